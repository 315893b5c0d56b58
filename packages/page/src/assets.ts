import { readFile } from 'node:fs/promises';

/** Every file of the page, with its type. Beside `src` and `dist` alike. */
const ASSETS: Readonly<Record<string, string>> = {
  'index.html': 'text/html; charset=utf-8',
  'page.css': 'text/css; charset=utf-8',
  'sections.css': 'text/css; charset=utf-8',
  'icon.svg': 'image/svg+xml',
  'page.js': 'text/javascript; charset=utf-8',
  'elements.js': 'text/javascript; charset=utf-8',
  'events.js': 'text/javascript; charset=utf-8',
  'fleet.js': 'text/javascript; charset=utf-8',
  'standing.js': 'text/javascript; charset=utf-8',
  'jobs.js': 'text/javascript; charset=utf-8',
  'providers.js': 'text/javascript; charset=utf-8',
  'waits.js': 'text/javascript; charset=utf-8',
  'words.js': 'text/javascript; charset=utf-8',
};

export interface Asset {
  readonly type: string;
  readonly body: Buffer;
}

/** The files of the page, by the path they are served at. */
export async function loadAssets(): Promise<ReadonlyMap<string, Asset>> {
  const all = await Promise.all(
    Object.entries(ASSETS).map(async ([name, type]) => {
      const body = await readFile(new URL(`../assets/${name}`, import.meta.url));
      return [name === 'index.html' ? '/' : `/${name}`, { type, body }] as const;
    }),
  );
  return new Map(all);
}
