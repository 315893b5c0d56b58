import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  createRedactor,
  type Machine,
  type MachineRequest,
  type OpenProvider,
  Secret,
  silentLogger,
  systemClock,
  systemRandom,
} from '@rungar/model';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { fileHost, type Host } from '../src/host.js';
import { isAlive, lifeOf, markedWith } from '../src/proc.js';
import { openProcesses } from '../src/provider.js';
import type { ProcessRunner, ProcessSettings } from '../src/settings.js';
import { environmentOf, unending } from './harness.js';

const NAME = 'linux-00000001';
const SELECTOR = { 'rungar.sh/managed': 'true', 'rungar.sh/installation': 'gh-4e3651f01be5' };
const LABELS = { ...SELECTOR, 'rungar.sh/scale-set': 'linux', 'rungar.sh/runner': NAME, 'rungar.sh/revision': '0a' };
const SLEEP = ['sleep', '600'];
const SOON = { interval: 5, timeout: 10_000 };

let root: string;
let state: string;
let host: Host;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'rungar-processes-'));
  state = join(root, 'state');
  host = fileHost(state, systemClock);
  await host.tidy();
});
afterEach(async () => {
  vi.unstubAllEnvs();
  for (const kept of await host.all()) await host.end(kept, unending().signal);
  await rm(root, { recursive: true });
});

const open = (more: Partial<ProcessSettings> = {}): Promise<OpenProvider<ProcessRunner>> =>
  openProcesses(
    { state, startsAtOnce: 4, timeoutMs: 20_000, ...more },
    { name: 'here', clock: systemClock, random: systemRandom, redactor: createRedactor(), logger: silentLogger },
    host,
  );

const request = (command: string[] = SLEEP, labels = LABELS): MachineRequest<ProcessRunner> => ({
  name: NAME,
  labels,
  jitConfig: new Secret('a-registration-good-once'),
  spec: { command, env: new Map() },
});

const listed = async (provider: OpenProvider<ProcessRunner>): Promise<readonly Machine[]> =>
  (await provider.list(SELECTOR, unending())).parts.flatMap(({ machines }) => machines);

const stateOf = async (provider: OpenProvider<ProcessRunner>) => (await listed(provider))[0]?.state;

test('a daemon that was restarted finds the processes of the one before, and ends them', async () => {
  const first = await open();
  const made = await first.create(request(), unending());
  await environmentOf(state, NAME);
  await first.close();
  const second = await open();
  expect(await listed(second)).toEqual([{ ...made, state: 'running' }]);
  expect(await second.delete(made, SELECTOR, unending())).toBe('deleted');
  expect(await markedWith(made.id)).toEqual([]);
  expect(await readdir(state)).toEqual([]);
});

test('a creation that is repeated, by another daemon too, starts nothing more', async () => {
  const first = await open();
  const made = await first.create(request(), unending());
  await environmentOf(state, NAME);
  const second = await open();
  expect((await second.create(request(), unending())).id).toBe(made.id);
  expect(await markedWith(made.id)).toHaveLength(1);
});

test('of two starts of one record, one becomes the command', async () => {
  const record = await host.keep({ id: 'twice', name: NAME, labels: LABELS, createdAt: 0 });
  const start = { command: ['sh', '-c', 'echo ran >>../ran; exec sleep 600'], env: { PATH: '/usr/bin:/bin' } };
  await Promise.all([1, 2].map(() => host.start(record, start, unending().signal)));
  const attempts = async (): Promise<string[]> =>
    (await readdir(join(state, NAME))).filter((name) => /^process\.\d+$/.test(name));
  await vi.waitFor(async () => expect(await attempts()).toHaveLength(2), SOON);
  await vi.waitFor(async () => expect(await markedWith('twice')).toHaveLength(1), SOON);
  await vi.waitFor(async () => expect(await readFile(join(state, NAME, 'ran'), 'utf8')).toBe('ran\n'), SOON);
});

test('a record left before its process was started is found, and can be started or taken away', async () => {
  await host.keep({ id: 'half', name: NAME, labels: LABELS, createdAt: 0 });
  const provider = await open();
  expect(await stateOf(provider)).toBe('starting');
  expect((await provider.create(request(), unending())).id).toBe('half');
  await environmentOf(state, NAME);
  expect(await stateOf(provider)).toBe('running');
});

test('a name that is another machine’s is refused, and left as it is', async () => {
  const provider = await open();
  const made = await provider.create(request(), unending());
  const other = { ...LABELS, 'rungar.sh/installation': 'gh-other' };
  await expect(provider.create(request(SLEEP, other), unending())).rejects.toMatchObject({ code: 'internal' });
  expect((await listed(provider)).map(({ id }) => id)).toEqual([made.id]);
});

test('a process that has ended is stopped, and its last words are its console', async () => {
  const provider = await open();
  const made = await provider.create(request(['sh', '-c', 'echo one; echo two >&2']), unending());
  await vi.waitFor(async () => expect(await stateOf(provider)).toBe('stopped'), SOON);
  expect(await provider.readConsole?.(made, unending())).toEqual(['one', 'two']);
});

test('a command that is not there says so in its console', async () => {
  const provider = await open();
  const made = await provider.create(request(['./run.sh']), unending());
  await vi.waitFor(async () => expect(await stateOf(provider)).toBe('stopped'), SOON);
  expect((await provider.readConsole?.(made, unending()))?.join()).toMatch(/run\.sh.*not found/);
});

test.each(['start', 'boot'])(
  'a PID that another process has by now, told by its %s, is no machine of ours',
  async (by) => {
    const stranger = spawn('sleep', ['600'], { detached: true, stdio: 'ignore' });
    await once(stranger, 'spawn');
    const pid = stranger.pid ?? 0;
    try {
      const boot = (await readFile('/proc/sys/kernel/random/boot_id', 'utf8')).trim();
      const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
      const life = lifeOf(boot, stat);
      const written =
        by === 'start' ? `${boot}\n${stat.replace(` ${life?.startedAt} `, ' 1 ')}` : `another-boot\n${stat}`;
      await host.keep({ id: 'old', name: NAME, labels: LABELS, createdAt: 0 });
      await writeFile(join(state, NAME, 'process'), written);
      const provider = await open();
      expect(await stateOf(provider)).toBe('stopped');
      expect(await provider.delete({ name: NAME }, SELECTOR, unending())).toBe('deleted');
      expect(life && (await isAlive(life))).toBe(true);
    } finally {
      stranger.kill('SIGKILL');
    }
  },
);

test('process 1 is nobody’s machine, whatever a file says: its group would be every process', async () => {
  expect(lifeOf('boot', await readFile('/proc/1/stat', 'utf8'))).toBe(undefined);
  expect(lifeOf('boot', await readFile('/proc/self/stat', 'utf8'))?.pid).toBe(process.pid);
});

test('whatever a process has started ends with it, in its group or out of it', async () => {
  const provider = await open();
  const command = ['sh', '-c', 'sleep 600 & setsid sleep 600 & exec sleep 600'];
  const made = await provider.create(request(command), unending());
  await vi.waitFor(async () => expect(await markedWith(made.id)).toHaveLength(3), SOON);
  await provider.delete(made, SELECTOR, unending());
  expect(await markedWith(made.id)).toEqual([]);
});

test('a process sees its registration, and of the daemon’s environment only what it needs', async () => {
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'not-for-jobs');
  const provider = await open();
  const { id } = await provider.create(request(), unending());
  const environment = await environmentOf(state, NAME);
  expect(environment.get('ACTIONS_RUNNER_INPUT_JITCONFIG')).toBe('a-registration-good-once');
  expect(environment.get('RUNGAR_MACHINE')).toBe(id);
  expect(environment.get('PATH')).toBe(process.env.PATH);
  expect(environment.has('AWS_SECRET_ACCESS_KEY')).toBe(false);
});

test('each process works on a copy of the folder, which goes with it', async () => {
  const folder = join(root, 'unpacked');
  await mkdir(folder);
  await writeFile(join(folder, 'run.sh'), '#!/bin/sh\necho changed >file\nexec sleep 600\n', { mode: 0o755 });
  await writeFile(join(folder, 'file'), 'as unpacked');
  const provider = await open({ folder });
  const made = await provider.create(request(['./run.sh']), unending());
  const copied = join(state, NAME, 'runner', 'file');
  await vi.waitFor(async () => expect(await readFile(copied, 'utf8')).toBe('changed\n'), SOON);
  await provider.delete(made, SELECTOR, unending());
  expect(await readFile(join(folder, 'file'), 'utf8')).toBe('as unpacked');
  expect(await readdir(state)).toEqual([]);
});

test('a creation that fails leaves nothing', async () => {
  const provider = await open({ folder: join(root, 'nowhere') });
  await expect(provider.create(request(), unending())).rejects.toMatchObject({ code: 'internal' });
  expect(await readdir(state)).toEqual([]);
});

test('what is in the folder and is no machine stays there', async () => {
  await mkdir(join(state, NAME));
  await writeFile(join(state, NAME, 'precious'), '');
  await writeFile(join(state, 'notes'), '');
  const provider = await open();
  expect(await listed(provider)).toEqual([]);
  expect(await provider.delete({ name: NAME }, SELECTOR, unending())).toBe('absent');
  await expect(provider.create(request(), unending())).rejects.toMatchObject({ code: 'internal' });
  expect((await readdir(state)).sort()).toEqual([NAME, 'notes'].sort());
  expect(await readdir(join(state, NAME))).toEqual(['precious']);
});

test('a folder that is gone is unknown, and not a host without processes', async () => {
  const provider = await open();
  await rm(state, { recursive: true });
  await expect(provider.list(SELECTOR, unending())).rejects.toMatchObject({ code: 'internal' });
  await expect(provider.delete({ name: NAME }, SELECTOR, unending())).rejects.toMatchObject({ code: 'internal' });
  await mkdir(state);
});

test('what a killed daemon left half done goes when the next one opens, and not while it may be in use', async () => {
  for (const name of ['.new-old', '.gone-old', '.new-fresh']) await mkdir(join(state, name));
  const longAgo = new Date(systemClock.wallNow() - 3_600_000);
  for (const name of ['.new-old', '.gone-old']) await utimes(join(state, name), longAgo, longAgo);
  await open();
  expect(await readdir(state)).toEqual(['.new-fresh']);
});
