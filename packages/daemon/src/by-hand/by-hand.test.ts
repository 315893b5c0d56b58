import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type FakeClock, fakeClock } from '@rungar/model/testing';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type FakeReconciler, fakeReconciler, providerStatus, scaleSetStatus } from '../../test/fake-reconciler.js';
import { recordingLogger } from '../../test/recording-logger.js';
import { tempDir } from '../../test/temp-dir.js';
import { type ByHand, openByHand } from './by-hand.js';
import { stateFilePath } from './state-file.js';

const HOUR_MS = 3_600_000;

interface Opened {
  readonly byHand: ByHand;
  readonly reconciler: FakeReconciler;
  readonly logger: ReturnType<typeof recordingLogger>;
}

async function open(path: string, clock: FakeClock = fakeClock(), configuredPaused = false): Promise<Opened> {
  const reconciler = fakeReconciler();
  reconciler.scaleSetStatuses = [scaleSetStatus('linux', { configuredPaused, paused: configuredPaused })];
  reconciler.providerStatuses = [providerStatus('rack')];
  const logger = recordingLogger();
  const byHand = await openByHand({ path, reconciler, clock, logger });
  onTestFinished(() => byHand.close());
  return { byHand, reconciler, logger };
}

const paused = ({ reconciler }: Opened): boolean | undefined => reconciler.scaleSets()[0]?.paused;
const disabled = ({ reconciler }: Opened): boolean | undefined => reconciler.providers()[0]?.disabled;

describe('what is kept', () => {
  test('is there after a restart with its reason, in a file for the daemon alone', async () => {
    const path = join(await tempDir(), 'deep', 'state.json');
    const clock = fakeClock();
    const first = await open(path, clock);
    const until = clock.wallNow() + HOUR_MS;
    await first.byHand.pause('linux', { keep: true, reason: 'new image', until });
    await first.byHand.disable('rack', { keep: true });
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    const second = await open(path, clock);
    expect([paused(second), disabled(second)]).toEqual([true, true]);
    expect(second.byHand.pauseOf('linux')).toEqual({ kept: true, reason: 'new image', until });
    await second.byHand.resume('linux');
    await second.byHand.enable('rack');
    const third = await open(path, clock);
    expect([paused(third), disabled(third)]).toEqual([false, false]);
  });

  test('is only what was to be: another pause does not outlive the daemon', async () => {
    const path = join(await tempDir(), 'state.json');
    const first = await open(path);
    await first.byHand.pause('linux', { keep: false, reason: 'for now' });
    expect(paused(first)).toBe(true);
    expect(paused(await open(path))).toBe(false);
    // Said again without keeping, it is not kept any more.
    await first.byHand.pause('linux', { keep: true });
    await first.byHand.pause('linux', { keep: false });
    expect(paused(await open(path))).toBe(false);
  });

  test.each(['{', '[]', '{"paused": {"linux": 1}}', '{"paused": {"linux": {"until": "soon"}}}'])(
    'is nothing, with a warning, when its file says %s',
    async (text) => {
      const path = join(await tempDir(), 'state.json');
      await writeFile(path, text);
      const opened = await open(path);
      expect(paused(opened)).toBe(false);
      expect(opened.logger.lines.map(({ level }) => level)).toContain('warn');
      await opened.byHand.pause('linux', { keep: true });
      expect(JSON.parse(await readFile(path, 'utf8'))).toEqual({ version: 1, paused: { linux: {} }, disabled: {} });
    },
  );

  test('what cannot be kept changes nothing and says so', async () => {
    const folder = await tempDir();
    await writeFile(join(folder, 'file'), '');
    const opened = await open(join(folder, 'file', 'state.json'));
    await expect(opened.byHand.pause('linux', { keep: true })).rejects.toMatchObject({ code: 'unavailable' });
    expect(paused(opened)).toBe(false);
    await opened.byHand.pause('linux', { keep: false });
    expect(paused(opened)).toBe(true);
  });

  test('of a scale set that is not configured any more, or whose time has passed, is let go', async () => {
    const path = join(await tempDir(), 'state.json');
    const state = { version: 1, paused: { gone: {}, linux: { until: '2020-01-01T00:00:00Z' } }, disabled: {} };
    await writeFile(path, JSON.stringify(state));
    const opened = await open(path);
    expect(paused(opened)).toBe(false);
    expect(opened.byHand.pauseOf('gone')).toBeUndefined();
  });
});

describe('what ends by itself', () => {
  test('goes back to what the configuration says, kept or not', async () => {
    const path = join(await tempDir(), 'state.json');
    const clock = fakeClock();
    const opened = await open(path, clock);
    await opened.byHand.pause('linux', { keep: true, until: clock.wallNow() + 30 * 24 * HOUR_MS });
    await opened.byHand.disable('rack', { keep: false, until: clock.wallNow() + HOUR_MS });
    await clock.advance(HOUR_MS + 1);
    expect([paused(opened), disabled(opened)]).toEqual([true, false]);
    await clock.advance(30 * 24 * HOUR_MS);
    expect(paused(opened)).toBe(false);
    expect(opened.byHand.pauseOf('linux')).toBeUndefined();
  });

  test('stays paused where the configuration has it paused', async () => {
    const clock = fakeClock();
    const opened = await open(join(await tempDir(), 'state.json'), clock, true);
    await opened.byHand.pause('linux', { keep: false, until: clock.wallNow() + HOUR_MS });
    await clock.advance(2 * HOUR_MS);
    expect(paused(opened)).toBe(true);
  });

  test('is refused in the past, and for an unknown name', async () => {
    const clock = fakeClock();
    const { byHand } = await open(join(await tempDir(), 'state.json'), clock);
    const past = { keep: false, until: clock.wallNow() - 1 };
    await expect(byHand.pause('linux', past)).rejects.toMatchObject({ code: 'invalid_argument' });
    await expect(byHand.disable('moon', { keep: true })).rejects.toMatchObject({ code: 'not_found' });
  });
});

test('what the file has changed is forgotten', async () => {
  const path = join(await tempDir(), 'state.json');
  const { byHand } = await open(path);
  await byHand.pause('linux', { keep: true });
  await byHand.forget({ scaleSets: new Set(['linux']), providers: new Set() });
  expect(byHand.pauseOf('linux')).toBeUndefined();
  expect(paused(await open(path))).toBe(false);
});

test.each([
  [{}, '/var/lib/rungar/state.json'],
  [{ STATE_DIRECTORY: '' }, '/var/lib/rungar/state.json'],
  [{ STATE_DIRECTORY: '/var/lib/rungar-acme:/var/lib/other' }, '/var/lib/rungar-acme/state.json'],
])('the state stands in the folder of the service: %j', (env, path) => {
  expect(stateFilePath(env)).toBe(path);
});
