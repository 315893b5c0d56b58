import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A real bare repository with coordination branches, made by git. */
export interface Mailbox extends AsyncDisposable {
  /** Its endpoint: an absolute path. */
  readonly endpoint: string;
  /**
   * Makes a branch, or moves it.
   * @param files the names of the files in the tip's tree
   * @param committedAt when, in epoch milliseconds
   */
  push(branch: string, files: readonly string[], committedAt?: number): Promise<void>;
  delete(branch: string): Promise<void>;
}

export async function openMailbox(): Promise<Mailbox> {
  const endpoint = await mkdtemp(join(tmpdir(), 'mailbox-'));
  const git = (args: readonly string[], env: Record<string, string> = {}, input = ''): string =>
    execFileSync('git', args, {
      cwd: endpoint,
      env: { ...IDENTITY, PATH: process.env.PATH ?? '', ...env },
      input,
      encoding: 'utf8',
    }).trim();
  git(['init', '--quiet', '--bare', '.']);
  git(['config', 'uploadpack.allowFilter', 'true']);

  return {
    endpoint,
    async push(branch, files, committedAt = Date.UTC(2026, 7, 20, 11)) {
      let tree = git(['mktree'], {}, '');
      for (const folder of [...new Set(files.map((file) => file.split('/')[0] ?? ''))]) {
        const inside = files
          .filter((file) => file.startsWith(`${folder}/`))
          .map((file) => file.slice(folder.length + 1));
        const rows: string[] = [];
        for (const file of inside) {
          const blob = git(['hash-object', '-w', '--stdin'], {}, `{"file": "${file}", "branch": "${branch}"}\n`);
          rows.push(`100644 blob ${blob}\t${file}\n`);
        }
        const inner = git(['mktree'], {}, rows.join(''));
        tree = git(['mktree'], {}, `040000 tree ${inner}\t${folder}\n`);
      }
      const date = `${Math.floor(committedAt / 1000)} +0000`;
      const commit = git(['commit-tree', tree, '-m', branch], {
        GIT_COMMITTER_DATE: date,
        GIT_AUTHOR_DATE: date,
      });
      git(['update-ref', `refs/heads/${branch}`, commit]);
    },
    async delete(branch) {
      git(['update-ref', '-d', `refs/heads/${branch}`]);
    },
    [Symbol.asyncDispose]: () => rm(endpoint, { recursive: true, force: true }),
  };
}

const IDENTITY = {
  GIT_AUTHOR_NAME: 'test',
  GIT_AUTHOR_EMAIL: 'test@example.com',
  GIT_COMMITTER_NAME: 'test',
  GIT_COMMITTER_EMAIL: 'test@example.com',
  GIT_CONFIG_NOSYSTEM: '1',
  HOME: '/nonexistent',
};

/** A branch's name; `id` makes its hex digits distinct. */
export function branchName(node: string, kind: string, id = 1, date = '20260820'): string {
  return `dispat-worker-${node}-${date}-${kind}-${id.toString(16).padStart(32, '0')}`;
}
