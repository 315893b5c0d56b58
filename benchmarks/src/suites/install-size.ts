import { lstat, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Benchmark, Lab, Measurement, Result } from '../benchmark.js';
import { run } from '../programs.js';

const MEBIBYTE = 1024 * 1024;

/** What a user gets who installs a package. */
interface Installed {
  readonly bytes: number;
  readonly packages: number;
}

/** A package to install: its folder's name, those of the workspace's packages it needs, and its program. */
interface Subject {
  readonly name: string;
  readonly needs: readonly string[];
  readonly program: string;
}

const manifestCli: Subject = {
  name: 'dispat-k8s',
  needs: ['model', 'yaml-source'],
  program: 'dispat-worker-manifest',
};

export const installSize: Benchmark = {
  id: 'P40',
  kind: 'real',
  what: 'what an installation takes, dependencies included (asks the npm registry)',
  measurements: rows('the manifest CLI', manifestCli, {
    mebibytes: { target: 4, bar: 10 },
    packages: { target: 20, bar: 35 },
  }),
};

interface Limits {
  readonly target: number;
  readonly bar: number;
}

/** Two rows from one installation. */
function rows(
  what: string,
  subject: Subject,
  limits: { readonly mebibytes: Limits; readonly packages: Limits },
): Measurement[] {
  let installation: Promise<Installed> | undefined;
  const installedBy = (lab: Lab): Promise<Installed> => (installation ??= install(lab, subject));
  return [
    {
      what: `${what}: size`,
      run: async (lab) => counted((await installedBy(lab)).bytes / MEBIBYTE, 'MiB', limits.mebibytes),
    },
    {
      what: `${what}: packages`,
      run: async (lab) => counted((await installedBy(lab)).packages, '', limits.packages),
    },
  ];
}

function counted(ours: number, unit: string, limits: Limits): Result {
  return { unit, ours, reference: undefined, ratio: ours, better: 'lower', ...limits };
}

/** Packs the packages as they are published, installs them into an empty folder, and starts the program. */
async function install(lab: Lab, { name, needs, program }: Subject): Promise<Installed> {
  const folder = await mkdtemp(join(tmpdir(), 'rungar-install-'));
  try {
    const tarballs = await pack(lab, [name, ...needs], join(folder, 'tarballs'));
    const home = join(folder, 'home');
    await mkdir(home);
    await writeFile(join(home, 'package.json'), '{"private": true}\n');
    const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error'];
    await run(lab, { file: 'npm', args: ['install', '--prefix', home, ...quiet, ...tarballs] });
    const modules = join(home, 'node_modules');
    await run(lab, { file: join(modules, '.bin', program), args: ['--version'], prints: /^\d+\.\d+\.\d+/ });
    return { bytes: await bytesIn(modules), packages: await packagesIn(modules) };
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Tarballs with the dependencies that published packages have: pnpm writes versions in place of `workspace:*`. */
async function pack(lab: Lab, names: readonly string[], into: string): Promise<string[]> {
  const { packageManager } = JSON.parse(await readFile(join(lab.root, 'package.json'), 'utf8'));
  for (const name of names) {
    const args = ['--yes', String(packageManager), '--dir', join(lab.root, 'packages', name)];
    await run(lab, { file: 'npx', args: [...args, 'pack', '--pack-destination', into] });
  }
  const tarballs = await readdir(into);
  if (tarballs.length !== names.length) throw new Error(`${names.length} packages gave ${tarballs.length} tarballs`);
  return tarballs.map((file) => join(into, file));
}

async function bytesIn(folder: string): Promise<number> {
  let bytes = 0;
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isFile()) bytes += (await lstat(join(entry.parentPath, entry.name))).size;
  }
  return bytes;
}

/** npm's own list of what it installed. */
async function packagesIn(modules: string): Promise<number> {
  const { packages } = JSON.parse(await readFile(join(modules, '.package-lock.json'), 'utf8'));
  return Object.keys(packages).length;
}
