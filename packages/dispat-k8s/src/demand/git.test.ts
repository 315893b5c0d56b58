import { chmod, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@rungar/model';
import { fakeClock } from '@rungar/model/testing';
import { describe, expect, test } from 'vitest';
import { branchName, openMailbox } from '../../test/mailbox.js';
import { classifyDemand } from './classify.js';
import { type GitRunner, gitEnvironment, gitFailed, redacted, systemGit } from './git.js';
import { inspectTips } from './inspect-tips.js';
import { listBranches } from './list-branches.js';

const { signal } = new AbortController();
const env = { PATH: process.env.PATH, HOME: '/nonexistent' };
const git = systemGit({ env, clock: systemClock, timeoutMs: 20_000 });

const context = {
  now: 0,
  wallNow: Date.UTC(2026, 7, 20, 12),
  pools: [],
  sightings: new Map(),
  retainedAfterMs: 3_660_000,
};

describe('a real mailbox', () => {
  test('A64: lists its coordination branches and no others', async () => {
    await using mailbox = await openMailbox();
    for (const node of ['w-0', 'w-1']) await mailbox.push(branchName(node, 'probe'), ['dispat/assignment.json']);
    await mailbox.push('main', ['README.md']);
    await mailbox.push('dispat-worker-x', ['README.md']);
    const refs = await listBranches(git, mailbox.endpoint, signal);
    expect(refs.foreign).toBe(1);
    expect(refs.branches.map(({ node, kind }) => [node, kind])).toEqual([
      ['w-0', 'probe'],
      ['w-1', 'probe'],
    ]);
  });

  test('A69: a tip that holds a claim is running, and nothing is left behind', async () => {
    await using mailbox = await openMailbox();
    const signed = (message: string) => [`dispat/${message}.json`, `dispat/${message}.json.sig`];
    const branches = {
      [branchName('w-0', 'build', 1)]: signed('assignment'),
      [branchName('w-0', 'build', 2)]: [...signed('assignment'), ...signed('claim')],
      [branchName('w-1', 'build', 3)]: signed('claim'),
      [branchName('w-1', 'build', 4)]: signed('result'),
      [branchName('w-2', 'build', 5)]: signed('cancel'),
      [branchName('w-2', 'publish', 6)]: signed('go'),
      [branchName('w-3', 'probe', 7)]: signed('ack'),
      [branchName('w-3', 'probe', 8)]: ['other/assignment.json'],
    };
    for (const [name, files] of Object.entries(branches)) await mailbox.push(name, files);
    const refs = await listBranches(git, mailbox.endpoint, signal);
    const before = await leftovers();
    const tips = await inspectTips(git, mailbox.endpoint, refs.branches, signal);
    expect(await leftovers()).toEqual(before);
    const demand = classifyDemand(refs, { ...context, tips });
    expect(demand).toMatchObject({ running: 3, done: 2, withdrawn: 1, unknown: 1, demand: 1, upperBound: false });
    expect(tips.get(branchName('w-0', 'build', 1))).toEqual({
      state: 'unclaimed',
      committedAt: Date.UTC(2026, 7, 20, 11),
    });
  });

  test('A70: a publish whose tip is two hours old is retained', async () => {
    await using mailbox = await openMailbox();
    await mailbox.push(branchName('w-0', 'publish'), ['dispat/go.json'], context.wallNow - 2 * 3_600_000);
    const refs = await listBranches(git, mailbox.endpoint, signal);
    const tips = await inspectTips(git, mailbox.endpoint, refs.branches, signal);
    expect(classifyDemand(refs, { ...context, tips })).toMatchObject({ retained: 1, demand: 0, running: 0 });
  });

  test('fetches no contents of files', async () => {
    await using mailbox = await openMailbox();
    await mailbox.push(branchName('w-0', 'probe'), ['dispat/assignment.json']);
    const refs = await listBranches(git, mailbox.endpoint, signal);
    const calls: string[][] = [];
    let blobs = '';
    const watched: GitRunner = {
      async run(call) {
        calls.push([...call.args]);
        const folder = call.args[1] ?? '';
        if (call.args.includes('cat-file')) {
          const all = await git.run({
            args: ['--git-dir', folder, 'cat-file', '--batch-all-objects', '--batch-check=%(objecttype)'],
            signal,
          });
          blobs = all.stdout.toString();
        }
        return git.run(call);
      },
    };
    await inspectTips(watched, `file://${mailbox.endpoint}`, refs.branches, signal);
    expect(blobs.trim().split('\n').sort()).toEqual(['commit', 'tree', 'tree']);
    expect(calls.every((args) => args.every((arg) => !arg.includes('assignment')))).toBe(true);
  });

  test('a branch that goes between the listing and the look does not hide the others', async () => {
    await using mailbox = await openMailbox();
    const [gone, stays] = [branchName('w-0', 'probe', 1), branchName('w-1', 'probe', 2)];
    for (const name of [gone, stays]) await mailbox.push(name, ['dispat/assignment.json']);
    const refs = await listBranches(git, mailbox.endpoint, signal);
    await mailbox.delete(gone);
    const tips = await inspectTips(git, mailbox.endpoint, refs.branches, signal);
    expect([...tips.keys()]).toEqual([stays]);
  });

  test('may be empty', async () => {
    await using mailbox = await openMailbox();
    const refs = await listBranches(git, mailbox.endpoint, signal);
    expect(refs).toEqual({ branches: [], foreign: 0 });
    expect(await inspectTips(git, mailbox.endpoint, refs.branches, signal)).toEqual(new Map());
  });
});

async function leftovers(): Promise<string[]> {
  return (await readdir(tmpdir())).filter((name) => name.startsWith('dispat-demand-'));
}

describe('git that fails', () => {
  test('is GIT_FAILED with its exit code and its last line', async () => {
    await expect(listBranches(git, '/nonexistent/mailbox.git', signal)).rejects.toMatchObject({
      problems: [{ code: 'GIT_FAILED', found: expect.stringMatching(/^git ended with exit code 128: .*nonexistent/) }],
    });
  });

  test('shows no user of an address', async () => {
    const failing: GitRunner = {
      run: async () => ({
        code: 128,
        stdout: Buffer.alloc(0),
        stderr: "warning: x\nfatal: unable to access 'https://me:hunter2@git.example.com/r.git/': 403\n",
      }),
    };
    const failed = listBranches(failing, 'ssh://bot@git.example.com/r.git', signal);
    await expect(failed).rejects.toMatchObject({
      problems: [
        {
          found: "git ended with exit code 128: fatal: unable to access 'https://REDACTED@git.example.com/r.git/': 403",
        },
      ],
    });
    await expect(failed).rejects.not.toThrow(/hunter2|bot@/);
  });

  test('that is not there is said', async () => {
    const none = systemGit({ env, clock: systemClock, timeoutMs: 1000, program: '/nonexistent/git' });
    await expect(listBranches(none, '/m.git', signal)).rejects.toMatchObject({ problems: [{ code: 'GIT_FAILED' }] });
  });

  test('that takes too long is ended', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'slow-git-'));
    const program = join(folder, 'git');
    await writeFile(program, '#!/bin/sh\nexec sleep 600\n');
    await chmod(program, 0o755);
    const clock = fakeClock();
    const failed = listBranches(systemGit({ env, clock, timeoutMs: 30_000, program }), '/m.git', signal);
    const seen = expect(failed).rejects.toMatchObject({ problems: [{ found: 'git ls-remote took more than 30 s' }] });
    await clock.advance(30_000);
    await seen;
    await rm(folder, { recursive: true });
  });

  test('ends with the caller’s own signal', async () => {
    const stop = new AbortController();
    stop.abort(new Error('stopped'));
    await expect(listBranches(git, '/m.git', stop.signal)).rejects.toThrow('stopped');
  });
});

describe('the environment of git', () => {
  test('asks nobody, and speaks three protocols', () => {
    expect(gitEnvironment({ PATH: '/bin', GIT_DIR: '/x', GIT_TRACE: '1', GIT_ALLOW_PROTOCOL: 'ext' })).toMatchObject({
      PATH: '/bin',
      GIT_TERMINAL_PROMPT: '0',
      GIT_ALLOW_PROTOCOL: 'https:ssh:file',
      SSH_ASKPASS_REQUIRE: 'never',
      GIT_SSH_COMMAND: 'ssh -o BatchMode=yes',
    });
    expect(gitEnvironment({ GIT_DIR: '/x', GIT_TRACE: '1' })).not.toHaveProperty('GIT_DIR');
    expect(gitEnvironment({ GIT_SSH_COMMAND: 'ssh -i key' }).GIT_SSH_COMMAND).toBe('ssh -i key');
  });

  test('refuses another protocol even where the user’s own settings allow it', async () => {
    await expect(
      git.run({ args: ['-c', 'protocol.ext.allow=always', 'ls-remote', '--', 'ext::sh -c true'], signal }),
    ).resolves.toMatchObject({ code: 128, stderr: expect.stringContaining("transport 'ext' not allowed") });
  });
});

test('a message is one line of text', () => {
  expect(redacted('a\u001b[31mb\r', 'git@h:r.git')).toBe('a?[31mb?');
  expect(redacted('cannot read git@h:r.git', 'git@h:r.git')).toBe('cannot read REDACTED@h:r.git');
});

test('what ssh says last is told without the carriage return it ends its lines with', () => {
  const stderr =
    'ssh: Could not resolve hostname h: Name or service not known\r\nfatal: Could not read from remote repository.\n';
  expect(gitFailed({ code: 128, stderr }, 'git@h:r.git').problems[0]?.found).toBe(
    'git ended with exit code 128: ssh: Could not resolve hostname h: Name or service not known',
  );
});
