// Sets up what `npm start` and `npm test` need, and does nothing where that is done already: installs when the
// lock file or a manifest changed, builds the packages whose sources or dependencies changed. Silent unless it
// fails; a terminal sees one passing line while it works.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { hashOf, packagesInOrder, sourceFiles } from './workspace.mjs';

const NODE_FLOOR = [20, 19];
const root = dirname(dirname(fileURLToPath(import.meta.url)));
const stampFile = join(root, 'node_modules', '.rungar-setup.json');
const force = process.argv.includes('--force');
/** What runs now. Each leads a process group of its own, so that stopping this ends all of it. */
const children = new Set();

checkNode();
const unlock = await lock();
try {
  const stamp = readStamp();
  await install(stamp);
  await build(stamp);
} finally {
  unlock();
  say('');
}

function checkNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > NODE_FLOOR[0] || (major === NODE_FLOOR[0] && minor >= NODE_FLOOR[1])) return;
  fail(`Node.js ${NODE_FLOOR.join('.')} or newer is needed, and this is ${process.versions.node}.`);
}

async function install(stamp) {
  const manifests = ['packages', 'examples'].flatMap((group) =>
    existsSync(join(root, group))
      ? readdirSync(join(root, group)).map((name) => join(root, group, name, 'package.json'))
      : [],
  );
  const files = ['package.json', 'benchmarks/package.json', 'pnpm-lock.yaml', 'pnpm-workspace.yaml', '.npmrc'].map(
    (name) => join(root, name),
  );
  const hash = hashOf(
    root,
    [...files, ...manifests].filter((file) => existsSync(file)),
    [process.versions.modules],
  );
  if (!force && stamp.install === hash) return;

  if (existsSync(join(root, 'package-lock.json'))) {
    process.stderr.write(
      'package-lock.json was left by "npm install"; this workspace uses pnpm-lock.yaml, and you can delete it.\n',
    );
  }
  say('installing dependencies (once, and again when they change)');
  const { packageManager } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  // The questions pnpm would ask (an old node_modules laid out by npm, say) have one answer here.
  const pnpm = `npx --yes --prefer-offline ${packageManager} install --frozen-lockfile --config.confirmModulesPurge=false`;
  await run(
    pnpm,
    root,
    'installing the dependencies',
    'Check that the package registry can be reached, then run the same command again.',
  );
  stamp.install = hash;
  stamp.builds = {};
  writeStamp(stamp);
}

async function build(stamp) {
  const packages = packagesInOrder(root);
  const shared = hashOf(
    root,
    ['tools/tsup.ts', 'tools/notices.ts', 'tsconfig.base.json'].map((name) => join(root, name)),
  );
  const hashes = new Map();
  for (const one of packages) {
    hashes.set(one.name, hashOf(root, sourceFiles(one.folder), [shared, ...one.needs.map((name) => hashes.get(name))]));
  }
  const stale = packages.filter(
    (one) => force || stamp.builds[one.name] !== hashes.get(one.name) || !existsSync(join(one.folder, 'dist')),
  );
  const waiting = new Set(stale.map((one) => one.name));
  const running = new Set();
  let failed;

  const buildOne = async (one) => {
    const path = [join(one.folder, 'node_modules', '.bin'), join(root, 'node_modules', '.bin'), process.env.PATH].join(
      delimiter,
    );
    await run(
      one.manifest.scripts.build,
      one.folder,
      `building ${one.name}`,
      'Mend what it says above, then run the same command again.',
      { PATH: path },
    );
    stamp.builds[one.name] = hashes.get(one.name);
    writeStamp(stamp);
  };

  while (waiting.size > 0 || running.size > 0) {
    for (const one of stale) {
      if (failed || running.size >= availableParallelism()) break;
      if (
        !waiting.has(one.name) ||
        one.needs.some((name) => waiting.has(name) || [...running].some((task) => task.name === name))
      )
        continue;
      waiting.delete(one.name);
      const task = { name: one.name };
      task.done = buildOne(one)
        .catch((error) => {
          failed ??= error;
        })
        .finally(() => running.delete(task));
      running.add(task);
    }
    say(
      `building ${[...running].map((task) => task.name).join(', ')} (${stale.length - waiting.size} of ${stale.length})`,
    );
    await Promise.race([...running].map((task) => task.done));
    if (failed && running.size === 0) throw failed;
  }
}

/** Runs a command with its output held back; shows it all when the command fails. */
function run(command, cwd, what, cure, env = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, {
      cwd,
      shell: true,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    children.add(child);
    const output = [];
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => output.push(chunk));
    child.on('close', (code, signal) => {
      children.delete(child);
      if (code === 0) return resolve();
      say('');
      process.stderr.write(Buffer.concat(output));
      fail(`\n${what} failed (${signal ?? `exit ${code}`}). ${cure}`);
    });
  });
}

/** One set-up at a time: two commands started together in a new clone take turns. */
async function lock() {
  const folder = join(root, '.setup');
  const file = join(folder, 'lock');
  mkdirSync(folder, { recursive: true });
  for (;;) {
    try {
      writeFileSync(file, String(process.pid), { flag: 'wx' });
      process.on('exit', () => {
        stopChildren();
        rmSync(file, { force: true });
      });
      for (const [signal, code] of [
        ['SIGINT', 130],
        ['SIGTERM', 143],
        ['SIGHUP', 129],
      ])
        process.on(signal, () => process.exit(code));
      return () => rmSync(file, { force: true });
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
      const owner = Number(readIfThere(file));
      if (!owner || !isAlive(owner)) rmSync(file, { force: true });
      else {
        say(`waiting for the set-up of process ${owner}`);
        await new Promise((resolve) => setTimeout(resolve, 200));
      }
    }
  }
}

function stopChildren() {
  for (const child of children) {
    try {
      process.kill(-child.pid, 'SIGTERM');
    } catch {
      // It has ended by itself.
    }
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

function readIfThere(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

function readStamp() {
  try {
    return JSON.parse(readFileSync(stampFile, 'utf8'));
  } catch {
    return { builds: {} };
  }
}

function writeStamp(stamp) {
  writeFileSync(stampFile, `${JSON.stringify(stamp, null, 2)}\n`);
}

function say(text) {
  if (process.stderr.isTTY)
    process.stderr.write(`\r\x1b[2K${text && `setting up: ${text}`.slice(0, (process.stderr.columns ?? 80) - 1)}`);
}

function fail(text) {
  process.stderr.write(`${text}\n`);
  process.exit(1);
}
