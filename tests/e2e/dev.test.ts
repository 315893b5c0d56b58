import { readdir } from 'node:fs/promises';
import { expect, test, vi } from 'vitest';
import { eventually, pause, TEST_LIMIT_MS } from './support/eventually.js';
import { processesNaming, type RungarProcess, rungar, startRungar } from './support/rungar.js';
import { newFolder } from './support/world.js';

vi.setConfig({ testTimeout: TEST_LIMIT_MS, maxConcurrency: 4 });

/** What a world leaves below its `TMPDIR` once it has ended: only the user's own folder, empty. */
async function expectNothingLeft(temporary: string): Promise<void> {
  expect(await processesNaming(temporary)).toEqual([]);
  const left = await readdir(temporary, { recursive: true });
  expect(left.filter((name) => !/^rungar-dev-\d+$|^node-compile-cache/.test(name))).toEqual([]);
}

/** What a user's environment may say of clouds and proxies of their own, none of which can be reached. */
const OWN_ENVIRONMENT = {
  AWS_PROFILE: 'my-own',
  AWS_ENDPOINT_URL: 'http://127.0.0.1:9',
  GOOGLE_APPLICATION_CREDENTIALS: '/nonexistent/credentials.json',
  HTTP_PROXY: 'http://127.0.0.1:9',
  HTTPS_PROXY: 'http://127.0.0.1:9',
};

function startDev(args: readonly string[], temporary: string): RungarProcess {
  return startRungar(['dev', ...args], { env: { ...OWN_ENVIRONMENT, TMPDIR: temporary } });
}

test.concurrent('the demonstration proves what it claims, and leaves nothing', async () => {
  const temporary = await newFolder();
  const demo = startDev(['--demo'], temporary);
  const ended = await demo.ended;
  expect(ended).toMatchObject({ code: 0, stderr: '' });
  const verdicts = ended.stdout.split('\n').filter((line) => /^(held {4}|BROKEN {2})\S/.test(line));
  expect(verdicts).toHaveLength(8);
  expect(verdicts.filter((line) => !line.startsWith('held'))).toEqual([]);
  expect(ended.stdout.split('\n').filter((line) => line.length > 80)).toEqual([]);
  await expectNothingLeft(temporary);
});

test.concurrent.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)('a kept world takes jobs, and %s ends all of it with %i', async (signal, code) => {
  const temporary = await newFolder();
  const env = { TMPDIR: temporary };
  const dev = startDev([], temporary);
  await eventually('it says how to use it', () => dev.stdout().includes('Ctrl-C ends it all'), dev.ended);
  const socket = /socket +(\S+)/.exec(dev.stdout())?.[1] ?? '';
  const page = /page +(\S+)/.exec(dev.stdout())?.[1] ?? '';
  const view = (await (await fetch(new URL('/api/view', page))).json()) as { fleet: { rows: unknown[] } };
  expect(view.fleet.rows).toMatchObject([{ scaleSet: 'linux-small' }, { scaleSet: 'linux-large' }]);

  const queued = await rungar(['dev', 'queue', '--count', '2', '--seconds', '1'], { env });
  expect(queued).toEqual({ code: 0, signal: null, stdout: 'queued 2 jobs for linux-small, 1 s each\n', stderr: '' });
  await eventually(
    'its jobs run on machines',
    async () => (await rungar(['events', '--socket', socket])).stdout.split('Job started').length === 3,
    dev.ended,
  );
  expect((await rungar(['status', '--socket', socket])).stdout).toMatch(/linux-small +LISTENING/);
  const { code: unknown, stderr } = await rungar(['dev', 'queue', '--dir', '/nonexistent'], { env });
  expect([unknown, stderr]).toEqual([
    4,
    'Error: no emulated world is running in /nonexistent. Start one with `rungar dev` in another terminal.\n',
  ]);

  expect(await dev.end(signal)).toMatchObject({ code, signal: null, stderr: '' });
  await expectNothingLeft(temporary);
});

/** Moments of the demonstration, each told by what it has said or by the time since its start. */
const MOMENTS: readonly [moment: string, reached: (demo: RungarProcess) => boolean | Promise<boolean>][] = [
  ['0.3 s after its start', () => pause(300).then(() => true)],
  ['while the daemon starts', (demo) => demo.stdout().includes('starting the daemon')],
  ['while jobs run', (demo) => / runs build/.test(demo.stdout())],
  ['right after the kill', (demo) => demo.stdout().includes('killed the daemon')],
];

test.concurrent.each(MOMENTS)(
  'Ctrl-C %s ends the demonstration with 130 and leaves nothing',
  async (moment, reached) => {
    const temporary = await newFolder();
    const demo = startDev(['--demo'], temporary);
    await eventually(moment, () => reached(demo), demo.ended);
    const ended = await demo.end('SIGINT');
    expect(ended).toMatchObject({ stderr: '' });
    // Before anything of ours is loaded the signal ends the process by itself.
    expect(ended.code ?? ended.signal).toBe(moment.startsWith('0.3') && ended.code === null ? 'SIGINT' : 130);
    await expectNothingLeft(temporary);
  },
);

test.concurrent('a reader that has seen enough ends the demonstration well, and nothing is left', async () => {
  const temporary = await newFolder();
  const demo = startDev(['--demo'], temporary);
  await eventually('it has begun', () => demo.stdout().includes('queueing'), demo.ended);
  demo.hangUp();
  expect(await demo.ended).toMatchObject({ code: 0, stderr: '' });
  await expectNothingLeft(temporary);
});

test.concurrent.each(['/proc/no-folder-can-be-made-here', '/dev/null'])(
  '%s as the folder of a world is refused',
  async (folder) => {
    const { code, stdout, stderr } = await rungar(['dev', '--demo', '--dir', folder]);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^Error: the folder \S+ cannot be used: [^\n]+\. Name another with --dir, [^\n]+\n$/);
  },
);
