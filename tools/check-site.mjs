// Looks at the built site as a reader does: every page in a browser, the search, the diagrams, and what is fetched.
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join, normalize } from 'node:path';
import { sitePages } from '../site/pages.mjs';
import { load, root } from './generate/source.mjs';

const TYPES = {
  '.css': 'text/css',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.json': 'application/json',
  '.mjs': 'text/javascript',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

/**
 * @param {string} dist where the site was built
 * @param {{ look: boolean }} options whether to open it in a browser
 * @returns {Promise<{ pages: number, faults: string[], skipped?: string }>}
 */
export async function checkSite(dist, { look }) {
  const pages = sitePages().map(({ file, route }) => ({
    path: `/${route.replace(/\.md$/, '.html')}`,
    diagrams: readFileSync(join(root, file), 'utf8').match(/^```mermaid$/gm)?.length ?? 0,
  }));
  const paths = [...pages.map(({ path }) => path), '/api/index.html', '/404.html'];
  const faults = paths.filter((path) => !existsSync(join(dist, path))).map((path) => `${path} was not built`);
  if (!look) return { pages: pages.length, faults, skipped: 'not looked at: it is for another address' };
  const { findChromium, startChromium } = await load('tests/browser/chromium.ts');
  const executable = findChromium();
  if (executable === undefined) {
    return { pages: pages.length, faults, skipped: 'not looked at: no chromium on the PATH' };
  }

  const { url, close } = await serve(dist);
  const browser = await startChromium(executable);
  try {
    const tab = await browser.newPage();
    let path = '/';
    tab.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) faults.push(`${path}: ${message.text()}`);
    });
    tab.on('pageerror', (error) => faults.push(`${path}: ${error.message}`));
    tab.on('request', (request) => {
      if (!request.url().startsWith(url)) faults.push(`${path} asked for ${request.url()}`);
    });
    tab.on('response', (response) => {
      if (response.status() >= 400) faults.push(`${path} was answered ${response.status()} for ${response.url()}`);
    });
    const must = async (/** @type {string} */ what, /** @type {Promise<unknown>} */ wait) => {
      await wait.catch(() => faults.push(`${path}: ${what}`));
    };

    for (const page of pages.filter((one) => existsSync(join(dist, one.path)))) {
      path = page.path;
      await tab.goto(`${url}${path}`);
      await must('has no heading', tab.locator('main h1').first().waitFor({ timeout: 10_000 }));
      if (page.diagrams === 0) continue;
      const last = tab.locator('.mermaid svg').nth(page.diagrams - 1);
      await must(`has fewer than ${page.diagrams} diagrams`, last.waitFor({ timeout: 10_000 }));
      const errors = await tab.locator('.mermaid .error-icon').count();
      if (errors > 0) faults.push(`${path}: a diagram has an error`);
    }

    path = '/';
    await tab.goto(url);
    await tab.locator('.DocSearch-Button').first().click();
    await tab.locator('.VPLocalSearchBox input').fill('pause');
    const hit = tab.locator('.VPLocalSearchBox .result', { hasText: /pausing/i }).first();
    await must('the search does not find "pause"', hit.waitFor({ timeout: 10_000 }));
    await must('what the search finds cannot be opened', hit.click({ timeout: 10_000 }));
    await must('what was found is no page', tab.locator('main h1').first().waitFor({ timeout: 10_000 }));
  } finally {
    await browser.close();
    close();
  }
  return { pages: pages.length, faults };
}

/** Serves a folder on loopback. @param {string} folder */
async function serve(folder) {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://site');
    const path = normalize(decodeURIComponent(pathname.endsWith('/') ? `${pathname}index.html` : pathname));
    const file = join(folder, path);
    if (!existsSync(file)) {
      response.writeHead(404).end();
      return;
    }
    response.writeHead(200, { 'content-type': TYPES[extname(file)] ?? 'application/octet-stream' });
    response.end(readFileSync(file));
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address();
  return { url: `http://127.0.0.1:${port}`, close: () => server.close() };
}
