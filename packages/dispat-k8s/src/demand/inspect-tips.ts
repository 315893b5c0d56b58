import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Tip, TipState } from './classify.js';
import type { GitRunner } from './git.js';
import { runGit } from './list-branches.js';
import type { Branch } from './parse-refs.js';

/** The message files a tip may hold, the one that says most first. */
const MESSAGES: readonly (readonly [message: string, state: TipState])[] = [
  ['ack', 'done'],
  ['result', 'done'],
  ['cancel', 'withdrawn'],
  ['go', 'running'],
  ['ready', 'running'],
  ['claim', 'running'],
  ['assignment', 'unclaimed'],
];

/**
 * Looks at the tips of branches: which files lie under `dispat/`. Only names are read, and nothing is verified: that
 * would take the signing secret. Everything goes through a repository that is thrown away.
 * @param branches the branches to look at; one that has gone meanwhile has no tip
 * @throws InputError `GIT_FAILED`
 */
export async function inspectTips(
  git: GitRunner,
  endpoint: string,
  branches: readonly Branch[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, Tip>> {
  if (branches.length === 0) return new Map();
  const folder = await mkdtemp(join(tmpdir(), 'dispat-demand-'));
  try {
    await runGit(git, endpoint, ['init', '--quiet', '--bare', '--template=', folder], signal);
    const found = await fetchTips(git, endpoint, folder, branches, signal);
    return await readTips(git, endpoint, folder, found, signal);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Fetches the tips and gives the branches that were there. A branch that was deleted since the listing makes git
 * refuse all of them: then those that are left are fetched.
 */
async function fetchTips(
  git: GitRunner,
  endpoint: string,
  folder: string,
  branches: readonly Branch[],
  signal: AbortSignal,
): Promise<readonly Branch[]> {
  let left = branches;
  for (;;) {
    try {
      const refspecs = left.map(({ name }) => `+refs/heads/${name}:refs/heads/${name}\n`).join('');
      const options = ['--quiet', '--depth=1', '--filter=blob:none', '--no-tags', '--no-write-fetch-head', '--stdin'];
      const settings = ['-c', `remote.${REMOTE}.url=${endpoint}`, ...FETCH_SETTINGS];
      const args = ['--git-dir', folder, ...settings, 'fetch', ...options, REMOTE];
      await runGit(git, endpoint, args, signal, refspecs);
      return left;
    } catch (error) {
      const there = await stillThere(git, endpoint, left, signal);
      if (there.length === left.length) throw error;
      if (there.length === 0) return [];
      left = there;
    }
  }
}

/** Only a remote with a name may leave objects out. */
const REMOTE = 'mailbox';
const FETCH_SETTINGS = ['-c', 'gc.auto=0', '-c', 'maintenance.auto=false', '-c', 'fetch.recurseSubmodules=false'];

async function stillThere(
  git: GitRunner,
  endpoint: string,
  branches: readonly Branch[],
  signal: AbortSignal,
): Promise<readonly Branch[]> {
  const { stdout } = await runGit(
    git,
    endpoint,
    ['ls-remote', '--heads', '--', endpoint, 'refs/heads/dispat-worker-*'],
    signal,
  );
  const names = new Set(
    stdout
      .toString('utf8')
      .split('\n')
      .map((line) => line.slice(line.indexOf('\t') + 1)),
  );
  return branches.filter(({ name }) => names.has(`refs/heads/${name}`));
}

async function readTips(
  git: GitRunner,
  endpoint: string,
  folder: string,
  branches: readonly Branch[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, Tip>> {
  const asked = branches.map(({ name }) => `refs/heads/${name}\nrefs/heads/${name}:dispat\n`).join('');
  const args = ['--git-dir', folder, 'cat-file', '--batch'];
  const { stdout } = await runGit(git, endpoint, args, signal, asked);
  const objects = readBatch(stdout);
  const tips = new Map<string, Tip>();
  branches.forEach(({ name }, index) => {
    const commit = objects[2 * index];
    const tree = objects[2 * index + 1];
    const committedAt = commit?.type === 'commit' ? commitTime(commit.content) : undefined;
    const state = tree?.type === 'tree' ? stateOf(tree.content) : 'unknown';
    tips.set(name, { state, ...(committedAt !== undefined && { committedAt }) });
  });
  return tips;
}

interface GitObject {
  readonly type: string;
  readonly content: Buffer;
}

/** Reads what `git cat-file --batch` prints: `<oid> <type> <size>`, the content, and a line's end for each. */
function readBatch(output: Buffer): (GitObject | undefined)[] {
  const objects: (GitObject | undefined)[] = [];
  for (let at = 0; at < output.length; ) {
    const end = output.indexOf(10, at);
    if (end === -1) break;
    const header = /^[0-9a-f]+ ([a-z]+) ([0-9]+)$/.exec(output.toString('latin1', at, end));
    at = end + 1;
    if (header === null) {
      objects.push(undefined); // `<name> missing`
      continue;
    }
    const size = Number(header[2]);
    objects.push({ type: header[1] ?? '', content: output.subarray(at, at + size) });
    at += size + 1;
  }
  return objects;
}

/** A tree is a row of `<mode> <name>`, a zero byte and an object id in bytes; the names here have no zero byte. */
function stateOf(tree: Buffer): TipState {
  const holds = (message: string): boolean => tree.includes(` ${message}.json\0`, 0, 'latin1');
  return MESSAGES.find(([message]) => holds(message))?.[1] ?? 'unknown';
}

function commitTime(commit: Buffer): number | undefined {
  const seconds = /^committer .* ([0-9]{1,12}) [-+][0-9]{4}$/m.exec(commit.toString('utf8'))?.[1];
  return seconds === undefined ? undefined : Number(seconds) * 1000;
}
