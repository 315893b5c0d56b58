// Takes the pictures of the page that docs/ shows, with a Chromium of this host: pass its path, or have it on the PATH.
// What they show is made up, and the same each time; a browser of another version may draw it a little differently.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { load, root } from './generate/source.mjs';

const PICTURES = [
  { name: 'page-light.png', width: 1280, height: 1900, colorScheme: 'light' },
  { name: 'page-dark.png', width: 1280, height: 1900, colorScheme: 'dark' },
  { name: 'page-phone.png', width: 390, height: 1400, colorScheme: 'light' },
];
/** A Monday, at half past nine in the morning. */
const NOW = Date.UTC(2027, 0, 4, 9, 30);

const [{ findChromium, startChromium }, { servePage }, { demoFleet }, { fakeSource }, { fakeClock }] =
  await Promise.all([
    load('tests/browser/chromium.ts'),
    load('packages/page/src/index.ts'),
    load('packages/page/test/demo-fleet.ts'),
    load('packages/page/test/fake-source.ts'),
    load('packages/model/src/testing/index.ts'),
  ]);

const executable = process.argv[2] ?? findChromium();
if (executable === undefined) {
  process.stderr.write('There is no chromium on the PATH: install one, or pass the path of one.\n');
  process.exit(1);
}
const folder = join(root, 'docs', 'images');
mkdirSync(folder, { recursive: true });
const { status, events } = demoFleet(NOW);
const page = await servePage({ listen: '127.0.0.1:0', source: fakeSource(status, events), clock: fakeClock(NOW) });
const browser = await startChromium(executable);
try {
  for (const { name, width, height, colorScheme } of PICTURES) {
    const context = await browser.newContext({
      viewport: { width, height },
      colorScheme,
      locale: 'en-GB',
      timezoneId: 'UTC',
    });
    const tab = await context.newPage();
    await tab.goto(page.url);
    await tab.locator('#events-list li').first().waitFor({ state: 'attached' });
    await tab.screenshot({ path: join(folder, name) });
    await context.close();
    process.stdout.write(`wrote docs/images/${name}\n`);
  }
} finally {
  await browser.close();
  await page.close();
}
