import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { AppForm } from '@rungar/github';

/** A page on this host from which a browser sends the form, and to which GitHub sends it back. */
export interface LandingPage {
  /** The page's address, for a browser on this host. */
  readonly url: string;
  /** Where GitHub sends the browser back. */
  readonly backUrl: string;
  /** What the page shows from now on. */
  show(form: AppForm): void;
  /** Resolves with the code that GitHub handed back. */
  readonly code: Promise<string>;
  close(): Promise<void>;
}

const escaped = (text: string): string => text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);

const page = (content: string): string =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><title>Rungar</title><body>${content}</body></html>\n`;

const formPage = ({ action, manifest }: AppForm): string =>
  page(
    `<form action="${escaped(action)}" method="post"><input type="hidden" name="manifest" value="${escaped(manifest)}">` +
      '<p>GitHub shows the App and its permissions before it is created.</p><button>Go on to GitHub</button></form>',
  );

/** The code in what GitHub hands back; nothing when it belongs to another form. */
export function codeIn(query: URLSearchParams, state: string): string | undefined {
  const code = query.get('code');
  return query.get('state') === state && code ? code : undefined;
}

/** @param state what GitHub hands back unchanged, so that nobody else's code is taken */
export async function openLandingPage(state: string): Promise<LandingPage> {
  let form: AppForm | undefined;
  let take: (code: string) => void = () => {};
  const code = new Promise<string>((resolve) => {
    take = resolve;
  });
  const answer = (method: string, address: string): readonly [number, string] => {
    const target = `http://127.0.0.1${address}`;
    if (!URL.canParse(target)) return [400, page('<p>This is not an address.</p>')];
    const { pathname, searchParams } = new URL(target);
    if (method !== 'GET') return [405, page('<p>Only GET is answered here.</p>')];
    if (pathname === '/' && form) return [200, formPage(form)];
    if (pathname !== '/created') return [404, page('<p>There is nothing here.</p>')];
    const found = codeIn(searchParams, state);
    if (found === undefined) return [400, page('<p>This is not what was asked for: begin again.</p>')];
    take(found);
    return [200, page('<p>The App is created. Go on in the terminal.</p>')];
  };
  const server: Server = createServer((request, response) => {
    const [status, text] = answer(request.method ?? '', request.url ?? '/');
    response.writeHead(status, { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' }).end(text);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: `${url}/`,
    backUrl: `${url}/created`,
    show(shown) {
      form = shown;
    },
    code,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
