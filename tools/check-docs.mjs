// Checks what the documentation shows: README.md, CONTRIBUTING.md, docs/, and the READMEs of packages, examples and
// benchmarks, or the pages given as arguments.
//   ```ts            is type-checked and run            ```ts norun        is type-checked only
//   ```ts file=x.ts  is a module that other blocks of its page import as './x.js'
//   ```ts from=x.ts  (or another language) is a part of that file, as it stands there but for its indentation; the file
//                    is named from the page, and checked where it is
//   ```sh            is run in an empty folder          ```sh norun        is not (it needs a real GitHub, say)
//   ```sh needs=curl is run where that program is installed
//   ```yaml config   is a configuration without any problem
//   ```text          right after a block that ran is exactly what it printed
// Every link within the repository must lead to a file, and to a heading in it where it names one.
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { delimiter, dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { blocksOf, isProgram, wordOf } from './docs/blocks.mjs';
import { faultOf, isInstalled, writeModules } from './docs/snippets.mjs';

const LANGUAGES = ['bash', 'json', 'mermaid', 'sh', 'text', 'ts', 'yaml'];
const AT_ONCE = Math.max(2, availableParallelism());

const root = dirname(dirname(fileURLToPath(import.meta.url)));
// Inside the workspace, so that snippets find the packages as the workspace's own programs do.
const work = join(root, '.setup', 'snippets');
const path = [join(root, 'node_modules', '.bin'), process.env.PATH].join(delimiter);
const faults = [];
const skipped = new Set();

rmSync(work, { recursive: true, force: true });
const pages = pagesToCheck();
const blocks = pages.flatMap(blocksOf);
for (const page of pages) checkLinks(page);
for (const block of blocks) checkFence(block);
for (const block of blocks) checkExcerpt(block);
writeModules(blocks, root, work);
checkTypes(blocks);
await checkConfigurations(blocks);
const ran = await runAll(blocks.filter((block) => isProgram(block) && hasProgram(block)));

for (const fault of faults) process.stderr.write(`${fault}\n`);
for (const program of skipped) process.stdout.write(`not run for want of ${program}\n`);
process.stdout.write(`${pages.length} pages, ${blocks.length} blocks, ${ran} run, ${faults.length} faults\n`);
process.exitCode = faults.length > 0 ? 1 : 0;

function pagesToCheck() {
  const given = process.argv.slice(2).map((file) => resolve(file));
  if (given.length > 0) return given;
  const readmes = ['packages', 'examples', 'deploy'].flatMap((group) =>
    readdirSync(join(root, group)).map((name) => join(group, name, 'README.md')),
  );
  const docs = readdirSync(join(root, 'docs'), { recursive: true }).map((name) => join('docs', name));
  return [
    'README.md',
    'CONTRIBUTING.md',
    'SECURITY.md',
    'CODE_OF_CONDUCT.md',
    'site/README.md',
    'benchmarks/README.md',
    'examples/README.md',
    'deploy/README.md',
    ...readmes,
    ...docs,
  ]
    .filter((file) => file.endsWith('.md') && !file.startsWith(join('docs', 'api')))
    .map((file) => join(root, file))
    .filter((file) => existsSync(file));
}

function where(block, line = 0) {
  return `${relative(root, block.page)}:${block.line + line}`;
}

function checkFence(block) {
  if (!LANGUAGES.includes(block.language)) {
    faults.push(
      `${where(block)}: a block of "${block.language}", which is not checked; there are ${LANGUAGES.join(', ')}`,
    );
  }
  for (const word of block.words) {
    if (!/^(norun|config|file=\w[\w-]*\.ts|from=[\w./-]+|needs=\w+)$/.test(word))
      faults.push(`${where(block)}: "${word}" means nothing here`);
  }
}

/** Whether a part of a file still stands in it. */
function checkExcerpt(block) {
  const from = wordOf(block, 'from');
  if (from === undefined) return;
  const file = resolve(dirname(block.page), from);
  if (!existsSync(file)) {
    faults.push(`${where(block)}: there is no file ${from}`);
    return;
  }
  const wanted = withoutIndent(block.text.split('\n'));
  const lines = readFileSync(file, 'utf8').split('\n');
  const stands = lines.some(
    (_, at) => withoutIndent(lines.slice(at, at + wanted.length)).join('\n') === wanted.join('\n'),
  );
  if (!stands) faults.push(`${where(block)}: this does not stand in ${from}`);
}

function withoutIndent(lines) {
  const indents = lines.filter((line) => line.trim() !== '').map((line) => line.search(/\S/));
  const indent = Math.min(...indents);
  return lines.map((line) => line.slice(indent));
}

function checkLinks(page) {
  const text = readFileSync(page, 'utf8')
    .replace(/^ *```[\s\S]*?^ *```$/gm, '')
    .replace(/`[^`\n]*`/g, '');
  for (const [, target] of text.matchAll(/\]\(([^)\s]+)\)/g)) {
    if (/^[a-z]+:/.test(target)) continue;
    const [file, heading] = target.split('#');
    const to = file === '' ? page : resolve(dirname(page), file);
    if (!existsSync(to)) faults.push(`${relative(root, page)}: the link to ${target} leads nowhere`);
    else if (heading && statSync(to).isFile() && !headingsOf(to).includes(heading)) {
      faults.push(`${relative(root, page)}: the link to ${target} leads to no heading`);
    }
  }
}

/** The names by which a page's headings are linked to, as GitHub makes them. */
function headingsOf(page) {
  const text = readFileSync(page, 'utf8').replace(/^```[\s\S]*?^```$/gm, '');
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, title]) =>
    title
      .trim()
      .toLowerCase()
      .replace(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-'),
  );
}

function checkTypes(all) {
  const snippets = new Map(all.filter(({ source }) => source).map((block) => [block.source, block]));
  const { config } = ts.readConfigFile(join(root, 'tsconfig.base.json'), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root);
  const program = ts.createProgram([...snippets.keys()], options);
  for (const { file, start, messageText } of ts.getPreEmitDiagnostics(program)) {
    const block = snippets.get(file?.fileName);
    const place = block
      ? where(block, file.getLineAndCharacterOfPosition(start).line + 1)
      : (file?.fileName ?? 'a snippet');
    faults.push(`${place}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`);
  }
}

async function checkConfigurations(all) {
  const configurations = all.filter(({ language, words }) => language === 'yaml' && words.includes('config'));
  if (configurations.length === 0) return;
  const [{ formatProblem, parseConfig }, { providerTypes }] = await Promise.all([
    import('@rungar/config'),
    import('@rungar/providers'),
  ]);
  for (const block of configurations) {
    const { problems } = parseConfig(block.text, { file: where(block), types: providerTypes });
    for (const problem of problems) faults.push(`${where(block)}: ${formatProblem(problem)}`);
  }
}

function hasProgram(block) {
  const program = wordOf(block, 'needs');
  if (program === undefined || isInstalled(program, path)) return true;
  skipped.add(program);
  return false;
}

async function runAll(all) {
  const waiting = all.values();
  const worker = async () => {
    for (const block of waiting) {
      const fault = await faultOf(block, { node: process.execPath, path });
      if (fault) faults.push(`${where(block)}: ${fault}`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return all.length;
}
