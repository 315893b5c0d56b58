import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fakeClock, seededRandom } from '@rungar/model/testing';
import { servePage } from '@rungar/page';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { demoFleet, largeEvents, largeStatus } from '../../packages/page/test/demo-fleet.js';
import { event, type FakeSource, fakeSource, scaleSet } from '../../packages/page/test/fake-source.js';
import { findChromium, startChromium } from './chromium.js';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const executable = findChromium();
const WHERE = executable === undefined ? 'skipped: no chromium on the PATH (apt-get install chromium)' : 'in Chromium';

/** What is asked of the page from inside. */
const IN_PAGE = readFileSync(join(import.meta.dirname, 'in-page.js'), 'utf8');

interface Contrasts {
  readonly background: 'light' | 'dark';
  readonly texts: number;
  readonly tooWeak: readonly string[];
}

interface Widths {
  readonly page: number;
  readonly parts: readonly string[];
  readonly lefts: readonly number[];
}

interface Look {
  readonly page: Page;
  readonly source: FakeSource;
  readonly clock: ReturnType<typeof fakeClock>;
  /** What the browser complained of. */
  readonly complaints: readonly string[];
  close(): Promise<void>;
}

describe.skipIf(executable === undefined)(`the page, ${WHERE}`, () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await startChromium(executable ?? '');
  });
  afterAll(() => browser.close());

  async function look(
    more: { source?: FakeSource; width?: number; colorScheme?: 'light' | 'dark' } = {},
  ): Promise<Look> {
    const clock = fakeClock();
    const { status, events } = demoFleet(clock.wallNow());
    const { source = fakeSource(status, events), width = 1280, colorScheme = 'light' } = more;
    const served = await servePage({ listen: '127.0.0.1:0', source, clock });
    const context = await browser.newContext({ viewport: { width, height: 800 }, colorScheme });
    onTestFinished(async () => {
      await context.close();
      await served.close();
    });
    const page = await context.newPage();
    const complaints: string[] = [];
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('request', (request) => {
      if (!request.url().startsWith(served.url)) complaints.push(`asked for ${request.url()}`);
    });
    await page.goto(served.url);
    await page.getByRole('status').filter({ hasText: 'Live' }).waitFor();
    await page.locator('#events-list li').first().waitFor();
    await page.evaluate(IN_PAGE);
    return { page, source, clock, complaints, close: () => served.close() };
  }

  test('shows the fleet, follows what happens, and loads nothing from elsewhere', async () => {
    const { page, source, clock, complaints, close } = await look();
    const text = (selector: string): Promise<string | null> => page.locator(selector).first().textContent();

    expect(await text('#summary')).toBe('34 runners: 24 busy · 5 idle · 5 starting. 3 jobs wait.');
    expect(await page.title()).toBe('24 busy, 3 waiting · Rungar');
    expect(await text('#standing')).toMatch(
      /^Active · 96\.2 machine-hours · 4,321 of 5,000 GitHub requests left, all again at \S+ · token ends at \S+, renewed before$/,
    );
    const row = page.getByRole('row', { name: /^linux-small/ }).first();
    expect(await row.getByRole('cell').allInnerTexts()).toEqual([
      expect.stringMatching(
        /^24 of 40\s+24 wanted · reserve of 4 · 2 being created · 1 job waits · 74\.3 machine-hours$/,
      ),
      '11 busy · 4 idle',
      '4 busy · 2 starting',
      '2 busy · 1 starting',
    ]);
    const jobs = await page.locator('#jobs-table tbody tr').allInnerTexts();
    expect(jobs[0]).toMatch(/^e2e\s.*acme\/web\s.*linux-large\s.*waits for 1 min \d+ s\s.*assigned \+0\.4 s/s);
    expect(jobs.some((job) => /assigned \+0\.4 s · machine \+3\.4 s · connected \+\S+ s · started/.test(job))).toBe(
      true,
    );
    expect(jobs.some((job) => job.includes('from the reserve'))).toBe(true);
    expect(jobs.some((job) => /failed after \d+ min/.test(job))).toBe(true);
    expect(await text('#waits-day')).toMatch(/^\d+ jobs: half waited at most .*, 95 of 100 at most .*\.$/);
    expect(await page.locator('#waits-chart rect').count()).toBeGreaterThan(40);
    expect(await page.locator('#providers-list > li').allInnerTexts()).toEqual([
      expect.stringMatching(/^rack has trouble.*Has no room for linux-large: .*; tried again in \d+ s$/s),
      expect.stringMatching(/^frankfurt has trouble.*3 times in a row.*tried again in 4 min.*Kept for linux-large/s),
      expect.stringMatching(/^belgium is well/),
      expect.stringMatching(/^attic cannot be reached.*ECONNREFUSED/s),
    ]);

    // What looks like markup is text, also where somebody else wrote it.
    const markup = '<img src=x onerror="document.title=1">';
    source.happen({ ...event('failed', 'linux-small', clock.wallNow()), message: markup });
    source.current = {
      ...source.current,
      scaleSets: [scaleSet('alone', { counts: { starting: 0, idle: 7, busy: 0 } })],
    };
    await clock.advance(1_000);
    await page.getByText(markup).waitFor();
    expect(await text('#events-list li')).toContain('failed');
    expect(await text('#summary')).toBe('7 runners: 7 idle. 0 jobs wait.');
    expect(await page.locator('#fleet-table tbody tr').count()).toBe(1);
    expect(complaints).toEqual([]);

    await close();
    await page.getByText('The daemon does not answer: what is shown is old.').waitFor();
  });

  test('is used by keyboard alone', async () => {
    const { page, source, clock, complaints } = await look();
    const focused = () => page.evaluate<{ what: string; outline: string; top: number }>('inPage.focused()');
    const stops: string[] = [];
    await page.keyboard.press('Tab');
    const skip = await focused();
    expect(skip).toMatchObject({ what: 'Skip to the fleet', outline: 'solid' });
    expect(skip.top).toBeGreaterThanOrEqual(0);
    for (let stop = 0; stop < 12; stop++) {
      await page.keyboard.press('Tab');
      const { what, outline } = await focused();
      expect([what, outline]).toEqual([what, 'solid']);
      stops.push(what);
    }
    expect(stops).toEqual([
      ...['Fleet', 'Jobs', 'Waits', 'Providers', 'Events', 'filter', 'pause'],
      ...['fleet', 'jobs', 'waits', 'waits', 'events'],
    ]);

    await page.getByRole('link', { name: 'Skip to the fleet' }).press('Enter');
    await page.keyboard.press('Tab');
    expect(await focused()).toMatchObject({ what: 'fleet', outline: 'solid' });

    await page.locator('#filter').focus();
    await page.keyboard.type('LINUX-arm');
    await page
      .getByRole('row', { name: /^linux-small/ })
      .first()
      .waitFor({ state: 'detached' });
    expect(await page.locator('#fleet-table tbody tr').count()).toBe(1);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    expect(await page.getByRole('button', { name: 'Hold still', pressed: true }).count()).toBe(1);
    source.happen(event('created', 'linux-arm-1', clock.wallNow()));
    await clock.advance(1_000);
    await page.keyboard.press('Enter');
    await page.locator('#events-list').getByText('linux-arm-1', { exact: true }).waitFor();
    expect(complaints).toEqual([]);
  });

  test.each(['light', 'dark'] as const)('can be read in the %s', async (colorScheme) => {
    const { page } = await look({ colorScheme });
    const contrasts = await page.evaluate<Contrasts>('inPage.contrastsOfTexts()');
    expect(contrasts.background).toBe(colorScheme === 'light' ? 'light' : 'dark');
    expect(contrasts.texts).toBeGreaterThan(200);
    expect(contrasts.tooWeak).toEqual([]);
    expect(await page.evaluate<string[]>('inPage.faultsOfAccess()')).toEqual([]);
  });

  test('is one column on a phone, and nothing in it is wider than that', async () => {
    const { page } = await look({ width: 360 });
    const wide = await page.evaluate<Widths>('inPage.widths()');
    expect(wide.page).toBe(360);
    expect(wide.parts).toEqual([]);
    expect(wide.lefts).toHaveLength(1);
    // What were columns are named, and what were tables are still told as such.
    const row = page.getByRole('row', { name: /^linux-small/ }).first();
    expect(await row.getByRole('cell').allInnerTexts()).toContain('rack: 11 busy · 4 idle');
    expect(await page.evaluate<string[]>('inPage.faultsOfAccess()')).toEqual([]);
  });

  test('takes a thousand runners and hundreds of events a second', async () => {
    const random = seededRandom(1);
    const source = fakeSource(largeStatus(random), largeEvents(0, 1_000, fakeClock().wallNow()));
    const { page, clock, complaints } = await look({ source });
    expect(await page.locator('#fleet-table tbody tr').count()).toBe(50);
    await page.evaluate('inPage.watchTasks()');
    const cpu = await cpuOf(page);
    const before = await cpu();
    for (let second = 1; second <= 5; second++) {
      source.current = largeStatus(random);
      source.happen(...largeEvents(second * 1_000, 100, clock.wallNow()));
      await clock.advance(1_000);
      await page
        .locator('#events-list')
        .getByText(nameOf(second * 1_000 + 99), { exact: true })
        .first()
        .waitFor();
    }
    const { tasks, nodes } = await page.evaluate<{ tasks: number[]; nodes: number }>('inPage.work()');
    expect(await page.locator('#events-list li').count()).toBe(200);
    expect(await page.locator('#jobs-table tbody tr').count()).toBe(100);
    expect(nodes).toBeLessThan(10_000);
    expect(complaints).toEqual([]);
    const [perUpdate, longest] = [((await cpu()) - before) / 5, Math.max(0, ...tasks)].map(Math.round);
    // What a busy host makes of it is looked at, and fails nothing.
    console.info(
      `1,000 runners, 400 events a second: ${perUpdate} ms of CPU for an update, no task longer than ${longest} ms`,
    );
  });
});

/** The runner of a job of a large fleet. */
const nameOf = (n: number): string => `set-${(n % 50) + 1}-${(0x1000_0000 + n * 7919).toString(16)}`;

/** How much the main thread of a page has computed so far, in milliseconds. */
async function cpuOf(page: Page): Promise<() => Promise<number>> {
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  return async () => {
    const { metrics } = await session.send('Performance.getMetrics');
    return (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0) * 1000;
  };
}
