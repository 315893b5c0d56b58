import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request as the scripted server saw it. */
export interface Seen {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export interface Reply {
  readonly status?: number;
  /** An object goes as JSON, a string as it is. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** `hang` never answers, `reset` cuts the connection. */
export type Scripted = Reply | 'hang' | 'reset';
export type Script = (seen: Seen, count: number) => Scripted | Promise<Scripted>;

/** A stand-in for GitHub that says what a test tells it to, with an authentication chain that works. */
export interface ScriptedGitHub {
  /** The configuration address of the organisation `acme`. */
  readonly url: string;
  readonly origin: string;
  readonly requests: readonly Seen[];
  /** Answers requests of this method whose path fits; the newest script of a route wins. `count` counts from 1. */
  on(method: string, path: RegExp, script: Script | Scripted): void;
  /** How many requests of this method and path there were. */
  count(method: string, path: RegExp): number;
  close(): Promise<void>;
}

export const ACTIONS_PREFIX = '/tenant/x7';

/** An unsigned token, of which clients read only the expiry. */
export function adminToken(expSeconds: number, id = 'admin'): string {
  const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${part({ alg: 'none' })}.${part({ exp: expSeconds, id })}.`;
}

export const inOneHour = (): number => Math.floor(Date.now() / 1000) + 3600;

export const typed = (typeName: string, message: string): unknown => ({
  typeName: `GitHub.Actions.Runtime.WebApi.${typeName}, GitHub.Actions.Runtime.WebApi`,
  message,
});

export async function startScriptedGitHub(): Promise<ScriptedGitHub> {
  const requests: Seen[] = [];
  const scripts: { method: string; path: RegExp; script: Script; count: number }[] = [];

  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => void answer(request, Buffer.concat(chunks).toString(), response));
  });

  async function answer(
    request: IncomingMessage,
    body: string,
    response: Parameters<Parameters<typeof createServer>[1] & object>[1],
  ): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://127.0.0.1');
    const seen: Seen = {
      method: request.method ?? '',
      path: url.pathname,
      query: url.searchParams,
      url: request.url ?? '',
      headers: request.headers,
      body,
    };
    requests.push(seen);
    const found = scripts.findLast(({ method, path }) => method === seen.method && path.test(seen.path));
    const reply: Scripted = found
      ? await found.script(seen, ++found.count)
      : { status: 418, body: { message: `nothing scripted for ${seen.method} ${seen.path}` } };
    if (reply === 'hang') return;
    if (reply === 'reset') {
      request.socket.destroy();
      return;
    }
    const { status = 200, body: content, headers = {} } = reply;
    const text = content === undefined ? '' : typeof content === 'string' ? content : JSON.stringify(content);
    response.writeHead(status, {
      ...(typeof content === 'object' && { 'content-type': 'application/json' }),
      ...headers,
    });
    response.end(text);
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  const github: ScriptedGitHub = {
    url: `${origin}/acme`,
    origin,
    requests,
    on(method, path, script) {
      scripts.push({ method, path, script: typeof script === 'function' ? script : () => script, count: 0 });
    },
    count: (method, path) => requests.filter((seen) => seen.method === method && path.test(seen.path)).length,
    async close() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
  github.on('POST', /\/access_tokens$/, () => ({
    status: 201,
    body: { token: 'ghs_installation', expires_at: new Date(Date.now() + 3_600_000).toISOString() },
  }));
  github.on('POST', /\/registration-token$/, {
    status: 201,
    body: { token: 'REGISTRATION', expires_at: '2030-01-01T00:00:00Z' },
  });
  github.on('POST', /\/runner-registration$/, () => ({
    body: { url: `${origin}${ACTIONS_PREFIX}/?tenant=7`, token: adminToken(inOneHour()) },
  }));
  return github;
}
