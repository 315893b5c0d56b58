// Snippets of documentation as programs: written to files, and run.
import { spawn } from 'node:child_process';
import { accessSync, constants, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join, relative } from 'node:path';
import ts from 'typescript';
import { wordOf } from './blocks.mjs';

const TIME_LIMIT_MS = 60_000;

/**
 * Every snippet of TypeScript as a module of its own, in a folder for its page, in TypeScript and as it is run. The
 * block gets the names of both files: `source` and `program`.
 * @param work where the folders are made: the snippets find the packages that are installed there
 */
export function writeModules(blocks, root, work) {
  for (const block of blocks.filter((one) => one.language === 'ts' && wordOf(one, 'from') === undefined)) {
    const folder = join(work, relative(root, block.page).replace(/\W+/g, '-'));
    mkdirSync(folder, { recursive: true });
    block.source = join(folder, wordOf(block, 'file') ?? `line-${block.line}.ts`);
    block.program = block.source.replace(/\.ts$/, '.js');
    writeFileSync(block.source, `${block.text}\nexport {};\n`);
    const compilerOptions = { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 };
    writeFileSync(block.program, ts.transpileModule(block.text, { compilerOptions }).outputText);
  }
}

export function isInstalled(program, path) {
  return path.split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/**
 * Runs one block in an empty folder.
 * @param node the Node.js that runs snippets of TypeScript
 * @param path the PATH it runs with
 * @returns what is wrong with it: how it ended, or what else it printed than the page says
 */
export async function faultOf(block, { node, path }) {
  const folder = mkdtempSync(join(tmpdir(), 'rungar-docs-'));
  try {
    const [program, args] =
      block.language === 'ts'
        ? [node, [block.program]]
        : ['sh', ['-euc', block.text.replace(/^\$ /gm, '').replaceAll('npx ', '')]];
    const { how, stdout, stderr } = await run(program, args, { cwd: folder, path });
    if (how !== 'ended with 0') return `${how}\n${stdout}${stderr}`;
    if (block.expected === undefined || stdout.trimEnd() === block.expected.trimEnd()) return undefined;
    return `printed\n${stdout}but the page says\n${block.expected}`;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Runs a program in a process group of its own, which ends with it. */
export function run(program, args, { cwd, path }) {
  return new Promise((done) => {
    const env = { ...process.env, NO_COLOR: '1', TMPDIR: cwd, PATH: path };
    const child = spawn(program, args, { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
    const output = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'])
      child[name].setEncoding('utf8').on('data', (text) => (output[name] += text));
    let late = false;
    const timer = setTimeout(() => {
      late = true;
      end(child);
    }, TIME_LIMIT_MS);
    child.on('error', (error) => (output.stderr += error.message));
    child.on('exit', () => end(child));
    child.on('close', (code, signal) => {
      clearTimeout(timer);
      done({ ...output, how: late ? `did not end within ${TIME_LIMIT_MS / 1000} s` : `ended with ${code ?? signal}` });
    });
  });
}

function end(child) {
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    // Nothing of it is left.
  }
}
