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
    return { page, source, clock, complaints, close: () => served.close() };
  }

  test('shows the fleet, follows what happens, and loads nothing from elsewhere', async () => {
    const { page, source, clock, complaints, close } = await look();
    const text = (selector: string): Promise<string | null> => page.locator(selector).first().textContent();

    expect(await text('#summary')).toBe('34 runners: 24 busy · 5 idle · 5 starting. 3 jobs wait.');
    expect(await page.title()).toBe('24 busy, 3 waiting · Rungar');
    const row = page.getByRole('row', { name: /^linux-small/ }).first();
    expect(await row.getByRole('cell').allInnerTexts()).toEqual([
      expect.stringMatching(/^24 of 40\s+24 wanted · reserve of 4 · 2 being created · 1 job waits$/),
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
    const focused = () =>
      page.evaluate(() => {
        const at = document.activeElement;
        if (!at) return { what: 'nothing', outline: '', top: 0 };
        const name = at.id || at.closest('section')?.id || at.textContent || at.tagName;
        return { what: name, outline: getComputedStyle(at).outlineStyle, top: at.getBoundingClientRect().top };
      });
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
    const contrasts = await page.evaluate(contrastsOfTexts);
    expect(contrasts.background).toBe(colorScheme === 'light' ? 'light' : 'dark');
    expect(contrasts.texts).toBeGreaterThan(200);
    expect(contrasts.tooWeak).toEqual([]);
    expect(await page.evaluate(faultsOfAccess)).toEqual([]);
  });

  test('is one column on a phone, and nothing in it is wider than that', async () => {
    const { page } = await look({ width: 360 });
    const wide = await page.evaluate(() => ({
      page: document.documentElement.scrollWidth,
      parts: [...document.querySelectorAll('body *')]
        .filter((part) => part.getBoundingClientRect().right > innerWidth + 0.5 && part.getClientRects().length > 0)
        .map((part) => part.tagName + (part.id && `#${part.id}`)),
      lefts: [
        ...new Set([...document.querySelectorAll('main > section')].map((part) => part.getBoundingClientRect().left)),
      ],
    }));
    expect(wide.page).toBe(360);
    expect(wide.parts).toEqual([]);
    expect(wide.lefts).toHaveLength(1);
    // What were columns are named, and what were tables are still told as such.
    const row = page.getByRole('row', { name: /^linux-small/ }).first();
    expect(await row.getByRole('cell').allInnerTexts()).toContain('rack: 11 busy · 4 idle');
    expect(await page.evaluate(faultsOfAccess)).toEqual([]);
  });

  test('takes a thousand runners and hundreds of events a second', async () => {
    const random = seededRandom(1);
    const source = fakeSource(largeStatus(random), largeEvents(0, 1_000, fakeClock().wallNow()));
    const { page, clock, complaints } = await look({ source });
    expect(await page.locator('#fleet-table tbody tr').count()).toBe(50);
    await page.evaluate(() => {
      const tasks: number[] = [];
      Object.assign(globalThis, { tasks });
      new PerformanceObserver((found) => tasks.push(...found.getEntries().map(({ duration }) => duration))).observe({
        type: 'longtask',
      });
    });
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
    const { tasks, nodes } = await page.evaluate(() => ({
      tasks: (globalThis as unknown as { tasks: number[] }).tasks,
      nodes: document.querySelectorAll('*').length,
    }));
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

/** Runs in the browser: texts that stand out too little from what is behind them (less than 4.5 to 1). */
function contrastsOfTexts(): { background: 'light' | 'dark'; texts: number; tooWeak: string[] } {
  const numbers = (color: string): number[] => (color.match(/[\d.]+/g) ?? []).map(Number);
  const luminance = (color: string): number => {
    const [r = 0, g = 0, b = 0] = numbers(color).map((part) => {
      const share = part / 255;
      return share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (element: Element | null): string => {
    for (let at = element; at; at = at.parentElement) {
      const color = getComputedStyle(at).backgroundColor;
      if (numbers(color)[3] !== 0) return color;
    }
    return 'rgb(255, 255, 255)';
  };
  const tooWeak: string[] = [];
  let texts = 0;
  for (const element of document.querySelectorAll('body *')) {
    const own = [...element.childNodes].filter((node) => node.nodeType === Node.TEXT_NODE && node.textContent?.trim());
    if (own.length === 0 || element.getClientRects().length === 0) continue;
    texts++;
    const [a, b] = [luminance(getComputedStyle(element).color), luminance(behind(element))];
    const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (contrast < 4.5) tooWeak.push(`${element.textContent?.slice(0, 30)}: ${contrast.toFixed(1)}`);
  }
  return { background: luminance(behind(document.body)) > 0.5 ? 'light' : 'dark', texts, tooWeak };
}

/** Runs in the browser: what keeps some people out. */
function faultsOfAccess(): string[] {
  const all = (selector: string): Element[] => [...document.querySelectorAll(selector)];
  const ids = all('[id]').map(({ id }) => id);
  const labelOf = (element: Element): string | null =>
    element.getAttribute('aria-label') ??
    (element.getAttribute('aria-labelledby') ?? '')
      .split(' ')
      .map((id) => document.getElementById(id)?.textContent ?? '')
      .join(' ')
      .trim();
  const levels = all('h1, h2, h3').map(({ tagName }) => Number(tagName[1]));
  return [
    ...(document.documentElement.lang === '' ? ['no language'] : []),
    ...ids.filter((id, at) => ids.indexOf(id) !== at).map((id) => `${id} twice`),
    ...(all('h1').length === 1 && all('main').length === 1 ? [] : ['not one title and one main part']),
    ...levels.flatMap((level, at) => (level > (levels[at - 1] ?? 0) + 1 ? [`a title of level ${level} too deep`] : [])),
    ...all('section, nav, [role=group]')
      .filter((part) => !labelOf(part))
      .map((part) => `${part.tagName} without a name`),
    ...all('a, button, summary')
      .filter((part) => !part.textContent?.trim())
      .map((part) => `${part.tagName} without a text`),
    ...all('input')
      .filter((input) => (input as HTMLInputElement).labels?.length === 0)
      .map(() => 'an input without a label'),
    ...all('svg')
      .filter((svg) => svg.getAttribute('aria-hidden') !== 'true' && !labelOf(svg))
      .map(() => 'an unnamed picture'),
    ...all('th')
      .filter((title) => !title.hasAttribute('scope'))
      .map((title) => `${title.textContent} heads nothing`),
    ...all('a[href^="#"]')
      .filter((link) => !document.getElementById((link.getAttribute('href') ?? '').slice(1)))
      .map((link) => `${link.textContent} leads nowhere`),
    ...all('[tabindex]')
      .filter((part) => Number(part.getAttribute('tabindex')) > 0)
      .map(() => 'an order of its own'),
    ...all('button, summary, input, nav a')
      .filter((part) => part.getClientRects().length > 0 && part.getBoundingClientRect().height < 24)
      .map((part) => `${part.textContent} is too small to be hit`),
  ];
}
