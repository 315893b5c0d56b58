import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@rungar/model';
import { fakeClock } from '@rungar/model/testing';
import { expect, test, vi } from 'vitest';
import { branchName, openMailbox } from '../../test/mailbox.js';
import { runProgram } from '../../test/world.js';

const env = { PATH: process.env.PATH, HOME: '/nonexistent' };
const noon = Date.UTC(2026, 7, 20, 12);
/** Real time, on the day of the branches. */
const clock = { ...systemClock, wallNow: () => noon };

test('A64: prints the wanted nodes of a mailbox as JSON, as an upper bound', async () => {
  await using mailbox = await openMailbox();
  for (const index of [0, 1, 2, 10])
    await mailbox.push(branchName(`w-${index}`, 'probe', index), ['dispat/claim.json']);
  const ran = await runProgram(['demand', '--endpoint', mailbox.endpoint, '--prefix', 'w-=4', '--format', 'json'], {
    env,
    clock,
  });
  expect(ran).toMatchObject({ code: 0, stderr: '' });
  expect(JSON.parse(ran.stdout)).toMatchObject({
    upperBound: true,
    demand: 4,
    wantedNodes: ['w-0', 'w-1', 'w-2', 'w-10'],
    unservable: ['w-10'],
    pools: [{ prefix: 'w-', count: 4, wanted: 11 }],
  });
});

test('A69: with --inspect a claimed probe is no demand', async () => {
  await using mailbox = await openMailbox();
  await mailbox.push(branchName('w-0', 'probe', 1), ['dispat/claim.json', 'dispat/claim.json.sig']);
  await mailbox.push(branchName('w-1', 'probe', 2), ['dispat/assignment.json', 'dispat/assignment.json.sig']);
  const ran = await runProgram(['demand', '--endpoint', mailbox.endpoint, '--inspect'], { env, clock });
  expect(ran.code).toBe(0);
  expect(ran.stdout).toContain('1 unclaimed (probe 1), 1 running');
  expect(ran.stdout).toContain('wanted nodes: w-1\n');
});

test('a pool file gives endpoint, prefixes and counts', async () => {
  await using mailbox = await openMailbox();
  const folder = await mkdtemp(join(tmpdir(), 'pool-'));
  const file = join(folder, 'pool.yaml');
  await writeFile(
    file,
    `endpoint: ${mailbox.endpoint}\nimage: registry.example.com/worker:1\ncount: 2\nsshSecret: none\npolicyKind: none\n`,
  );
  await mailbox.push(branchName('w-0', 'probe', 1), ['dispat/assignment.json']);
  const ran = await runProgram(['demand', '--pool', file, '--format', 'json'], { env, clock });
  expect(ran.stderr).toBe('');
  expect(JSON.parse(ran.stdout).pools).toEqual([{ prefix: 'w-', count: 2, wantedNodes: ['w-0'], wanted: 1, gaps: [] }]);
  await rm(folder, { recursive: true });
});

test('A71: watches, runs the command once for the pool, and ends with its signal', async () => {
  await using mailbox = await openMailbox();
  const folder = await mkdtemp(join(tmpdir(), 'watch-'));
  for (const index of [0, 1]) await mailbox.push(branchName(`w-${index}`, 'probe', index), ['dispat/assignment.json']);
  const stop = new AbortController();
  const time = fakeClock(noon);
  let told = '';
  const args = [
    'demand',
    '--endpoint',
    mailbox.endpoint,
    '--prefix',
    'w-=2',
    '--watch',
    '--exec',
    'echo "start $DWM_NODES" >&2',
  ];
  const running = runProgram(args, {
    env,
    clock: time,
    signal: stop.signal,
    stderr: { write: (text) => (told += text) },
  });
  await vi.waitFor(async () => {
    await time.advance(10_000);
    expect(told).toContain('start w-0 w-1\n');
  }, 15_000);
  expect(told.match(/started the pool/g)).toHaveLength(1);
  stop.abort();
  expect((await running).code).toBe(0);
  await rm(folder, { recursive: true });
});

test('A73: git that fails is exit 5, and no user of the address is shown', async () => {
  const ran = await runProgram(['demand', '--endpoint', 'ssh://deploy@127.0.0.1:1/none.git', '--timeout', '10'], {
    env,
    clock: systemClock,
  });
  expect(ran).toMatchObject({ code: 5, stdout: '' });
  expect(ran.stderr).toContain('GIT_FAILED');
  expect(ran.stderr).not.toContain('deploy');
});

test('every pool file that cannot be read is told, beside wrong flags', async () => {
  const ran = await runProgram(['demand', '--pool', '/none/a', '--pool', '/none/b', '--prefix', 'w..'], { env, clock });
  expect(ran).toMatchObject({ code: 2, stdout: '' });
  expect(ran.stderr.match(/Error: [A-Z_]+ \S+/g)).toEqual([
    'Error: CONFIG_NOT_READABLE /none/a:',
    'Error: CONFIG_NOT_READABLE /none/b:',
    'Error: PREFIX_INVALID prefix:',
  ]);
});

test.each([
  { name: 'no mailbox', args: [], code: 'ENDPOINT_MISSING' },
  { name: 'an endpoint with a token', args: ['--endpoint', 'https://me:s3cr3t@h/r.git'], code: 'ENDPOINT_INVALID' },
  { name: 'another helper', args: ['--endpoint', 'ext::sh -c true'], code: 'ENDPOINT_INVALID' },
  { name: 'a prefix that is none', args: ['--endpoint', '/m.git', '--prefix', 'w..'], code: 'PREFIX_INVALID' },
  {
    name: 'an interval of nothing',
    args: ['--endpoint', '/m.git', '--watch', '--interval', '0'],
    code: 'DURATION_INVALID',
  },
  { name: 'a command without watching', args: ['--endpoint', '/m.git', '--exec', 'x'], code: 'OPTIONS_CONFLICT' },
  {
    name: 'one prefix for two pools',
    args: ['--endpoint', '/m.git', '--prefix', 'w-=4', '--prefix', 'w-=5'],
    code: 'POOLS_OVERLAP',
  },
  {
    name: 'a lock with nothing to start',
    args: ['--endpoint', '/m.git', '--watch', '--prefix', 'w-=4', '--lock-file', '/tmp/none'],
    code: 'OPTIONS_CONFLICT',
  },
  {
    name: 'a file for what is told as it changes',
    args: ['--endpoint', '/m.git', '--watch', '--output', '/tmp/none'],
    code: 'OPTIONS_CONFLICT',
  },
  {
    name: 'a command without a pool',
    args: ['--endpoint', '/m.git', '--watch', '--exec', 'x'],
    code: 'OPTIONS_CONFLICT',
  },
])('$name is exit 2', async ({ args, code }) => {
  const ran = await runProgram(['demand', ...args], { env, clock });
  expect(ran).toMatchObject({ code: 2, stdout: '' });
  expect(ran.stderr).toContain(code);
  expect(ran.stderr).not.toContain('s3cr3t');
});
