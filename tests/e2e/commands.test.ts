import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import type { EventAnswer } from '../../packages/cli/src/control/answers.js';
import type { Documents } from '../../packages/cli/test/documents.js';
import { schemaFaults } from '../../packages/cli/test/schemas.js';
import { runCli } from '../../packages/cli/test/world.js';
import { atEnd } from './support/cleanup.js';
import { eventually, TEST_LIMIT_MS } from './support/eventually.js';
import { startRungar, startServe } from './support/rungar.js';
import { startWorld } from './support/world.js';

vi.setConfig({ testTimeout: TEST_LIMIT_MS });

const SCALE_SETS = `
- {name: small, max_runners: 4, min_runners: 1, providers: [cloud], schedule: {timezone: Europe/Oslo, windows: [{days: mon-sun, from: "00:00", to: "12:00", min_runners: 1}]}}
- {name: still, max_runners: 2, paused: true, providers: [cloud]}`;

test('commands ask, change and wait for a real daemon, in documents as their schemas say, and events go on over a restart', async () => {
  const world = await startWorld();
  const config = await world.writeConfig({ scaleSets: SCALE_SETS });
  const socket = join(world.folder, 's');
  const ask = (line: string) => runCli([...line.split(' '), '--socket', socket]);
  const lines = async (line: string): Promise<string> => {
    const { code, stdout, stderr } = await ask(line);
    expect({ line, code, stderr }).toEqual({ line, code: 0, stderr: '' });
    return stdout;
  };
  const documentOf = async (name: keyof Documents, line: string): Promise<unknown> => {
    const document = JSON.parse(await lines(`${line} --json`)) as unknown;
    expect([line, (await schemaFaults(name))(document)]).toEqual([line, []]);
    return document;
  };

  const daemon = await startServe(config);
  const follower = startRungar(['events', '--follow', '--json', '--socket', socket]);
  expect(await lines('wait scale-set small --for listening --timeout 30s')).toBe('small: listening\n');
  expect(await lines('wait scale-set small --for ready --timeout 30s')).toBe('small: ready\n');
  world.github.queueJobs([{ labels: ['small'], seconds: 60 }]);
  await eventually('the job runs', () => world.github.jobs()[0]?.state === 'running', daemon.ended);
  const busy = world.github.jobs()[0]?.runnerName ?? '';
  await lines(`wait runner ${busy} --for busy --timeout 30s`);

  for (const [name, line] of [
    ['status', 'status'],
    ['top', 'top'],
    ['reconcile', 'reconcile small'],
    ['scale-sets-ls', 'scale-sets ls'],
    ['scale-sets-inspect', 'scale-sets inspect small'],
    ['providers-ls', 'providers ls'],
    ['providers-inspect', 'providers inspect cloud'],
    ['runners-ls', `runners ls --scale-set small`],
    ['runners-rm', 'runners rm --state starting --older-than 9h --yes'],
    ['changes', 'providers disable cloud'],
    ['changes', 'providers enable cloud'],
    ['events-stats', 'events --stats'],
    ['events-timeline', `events --timeline --runner ${busy}`],
  ] as const) {
    await documentOf(name, line);
  }
  expect(await lines('runners ls -o name --provider cloud')).toContain(busy);
  expect(await lines('runners ls -o wide')).toContain(world.github.settings.runnerVersion);
  expect(await ask(`runners rm ${busy}`)).toMatchObject({ code: 5, stderr: expect.stringContaining('job') });
  expect(await ask('runners rm nobody')).toMatchObject({ code: 4 });
  expect(await ask('reconcile nobody')).toMatchObject({ code: 4 });
  expect(await ask('runners ls --provider nobody')).toMatchObject({ code: 4 });
  expect(await ask('scale-sets rm small')).toMatchObject({ code: 1 });
  expect(await lines('scale-sets pause --all')).toBe(
    'small: paused until the daemon restarts\nstill: is already paused\n',
  );
  expect(await lines('scale-sets resume small')).toBe('small: resumed, as the configuration has it\n');
  const completed = await runCli(['__complete', '--socket', socket, 'providers', 'drain', 'cl']);
  expect(completed).toEqual({ code: 0, stdout: 'cloud\t\n', stderr: '' });

  // A reader that has seen enough ends the command, although no event comes for long.
  const piped = spawn('sh', [
    '-c',
    `"$0" "$1" events --follow --json --socket "$2" | head -n 1`,
    process.execPath,
    join(import.meta.dirname, '../../node_modules/.bin/rungar'),
    socket,
  ]);
  atEnd(async () => void piped.kill('SIGKILL'));
  let first = '';
  piped.stdout.setEncoding('utf8').on('data', (part: string) => (first += part));
  await new Promise((resolve) => piped.once('close', resolve));
  expect(JSON.parse(first)).toMatchObject({ kind: 'EVENT_KIND_RUNNER', scale_set: 'small' });

  await daemon.end('SIGTERM');
  const next = await startServe(config);
  expect(await lines('wait scale-set small --for listening --timeout 30s')).toBe('small: listening\n');
  expect(await lines('scale-sets pause small')).toBe('small: paused until the daemon restarts\n');

  // A hang-up has the file read again: one with an error changes nothing, and the log says which.
  const mostOfSmall = async (): Promise<number | undefined> => (await world.status()).scale_sets?.[0]?.max_runners;
  const hangUpWith = async (most: string): Promise<void> => {
    await world.writeConfig({ scaleSets: SCALE_SETS.replace('max_runners: 4', `max_runners: ${most}`) });
    process.kill(next.pid, 'SIGHUP');
  };
  await hangUpWith('many');
  await eventually('the file is refused', () => /not reloaded.*max_runners/.test(next.stderr()), next.ended);
  expect(await mostOfSmall()).toBe(4);
  await hangUpWith('5');
  await eventually('the new file is in force', async () => (await mostOfSmall()) === 5, next.ended);

  const eventsIn = (text: string): EventAnswer[] =>
    text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as EventAnswer]));
  const kept = eventsIn(await lines('events --json'));
  const followed = (): EventAnswer[] => eventsIn(follower.stdout().replace(/[^\n]*$/, ''));
  await eventually('the follower has them all', () => followed().length >= kept.length, next.ended);
  expect(followed().slice(0, kept.length)).toEqual(kept);
  const faults = await schemaFaults('events');
  for (const event of kept) expect(faults(event)).toEqual([]);
  const actions = kept.map(({ action }) => action);
  for (const action of ['ADOPTED', 'RELOAD_FAILED', 'RELOADED']) expect(actions).toContain(`EVENT_ACTION_${action}`);
  expect(await follower.end('SIGINT')).toMatchObject({ code: 0, stderr: '' });
});
