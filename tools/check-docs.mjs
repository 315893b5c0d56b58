// Runs what the documentation shows. In README.md, docs/ and packages/*/README.md:
//   ```ts      is type-checked and run                 ```ts norun   is type-checked only
//   ```sh      is run in an empty folder               ```sh norun   is not (it needs a real GitHub, say)
//   ```yaml config   must be a valid configuration     ```text       right after a block that ran is what it printed
// and every relative link must lead to a file.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const only = process.argv.slice(2).map((path) => resolve(path));
// Inside the workspace, so that snippets find the packages as the workspace's own programs do.
const work = join(root, '.setup', 'snippets');
const TIME_LIMIT_MS = 120_000;

rmSync(work, { recursive: true, force: true });
mkdirSync(work, { recursive: true });

const pages = ['README.md', 'CONTRIBUTING.md', ...below('docs'), ...below('benchmarks'), ...readdirSync(join(root, 'packages')).map((name) => join('packages', name, 'README.md'))]
  .map((path) => join(root, path))
  .filter((path) => path.endsWith('.md') && existsSync(path) && (only.length === 0 || only.includes(path)));

const faults = [];
const blocks = pages.flatMap(blocksOf);
for (const page of pages) checkLinks(page);
checkTypes(blocks.filter((block) => block.language === 'ts'));
let ran = 0;
for (const block of blocks) run(block);

for (const fault of faults) process.stderr.write(`${fault}\n`);
process.stdout.write(`${pages.length} pages, ${blocks.length} blocks, ${ran} run, ${faults.length} faults\n`);
process.exitCode = faults.length > 0 ? 1 : 0;

function below(folder) {
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder), { recursive: true }).map((name) => join(folder, name)).filter((path) => !path.includes('node_modules') && !path.startsWith('docs/api'));
}

function blocksOf(page) {
  const lines = readFileSync(page, 'utf8').split('\n');
  const found = [];
  for (let at = 0; at < lines.length; at++) {
    const fence = /^( *)```(\w+)(?: +(.*))?$/.exec(lines[at]);
    if (!fence) continue;
    const start = at + 1;
    while (++at < lines.length && lines[at].trim() !== '```');
    const text = lines.slice(start, at).map((line) => line.slice(fence[1].length)).join('\n');
    const block = { page, line: start, language: fence[2], words: (fence[3] ?? '').split(' '), text };
    const before = found.at(-1);
    if (block.language === 'text' && before && lines.slice(before.end + 1, start - 1).every((line) => line.trim() === '')) before.expected = text;
    block.end = at;
    found.push(block);
  }
  return found;
}

function where(block) {
  return `${relative(root, block.page)}:${block.line}`;
}

function checkLinks(page) {
  const text = readFileSync(page, 'utf8').replace(/^ *```[\s\S]*?^ *```$/gm, '').replace(/`[^`\n]*`/g, '');
  for (const [, target] of text.matchAll(/\]\(([^)\s]+)\)/g)) {
    if (/^[a-z]+:/.test(target) || target.startsWith('#')) continue;
    if (!existsSync(resolve(dirname(page), target.split('#')[0]))) faults.push(`${relative(root, page)}: the link to ${target} leads nowhere`);
  }
}

function checkTypes(snippets) {
  const files = snippets.map((block, index) => {
    block.file = join(work, `snippet-${index}.ts`);
    writeFileSync(block.file, `${block.text}\nexport {};\n`);
    return block.file;
  });
  const { config } = ts.readConfigFile(join(root, 'tsconfig.base.json'), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root);
  const program = ts.createProgram(files, options);
  for (const diagnostic of ts.getPreEmitDiagnostics(program)) {
    const block = snippets.find(({ file }) => file === diagnostic.file?.fileName);
    const line = block && diagnostic.file.getLineAndCharacterOfPosition(diagnostic.start).line;
    const place = block ? `${relative(root, block.page)}:${block.line + line + 1}` : (diagnostic.file?.fileName ?? '');
    faults.push(`${place}: ${ts.flattenDiagnosticMessageText(diagnostic.messageText, ' ')}`);
  }
}

function run(block) {
  if (block.words.includes('norun')) return;
  const folder = mkdtempSync(join(tmpdir(), 'rungar-docs-'));
  try {
    const outcome = start(block, folder);
    if (!outcome) return;
    ran++;
    if (outcome.status !== 0) {
      const how = outcome.error?.code === 'ETIMEDOUT' ? `did not end within ${TIME_LIMIT_MS / 1000} s` : `ended with ${outcome.status ?? outcome.signal}`;
      faults.push(`${where(block)}: ${how}\n${outcome.stdout}${outcome.stderr}`);
    } else if (block.expected !== undefined && outcome.stdout.trimEnd() !== block.expected.trimEnd()) {
      faults.push(`${where(block)}: printed\n${outcome.stdout}but the page says\n${block.expected}\n`);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function start(block, folder) {
  const options = {
    cwd: folder,
    encoding: 'utf8',
    timeout: TIME_LIMIT_MS,
    env: { ...process.env, NO_COLOR: '1', PATH: [join(root, 'node_modules', '.bin'), process.env.PATH].join(delimiter) },
  };
  switch (block.language) {
    case 'ts': {
      const compiled = ts.transpileModule(block.text, { compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 } });
      const file = block.file.replace(/\.ts$/, '.mjs');
      writeFileSync(file, compiled.outputText);
      return spawnSync(process.execPath, [file], options);
    }
    case 'sh':
      return spawnSync('sh', ['-euc', block.text.replace(/^\$ /gm, '').replaceAll('npx ', '')], options);
    case 'yaml': {
      if (!block.words.includes('config')) return undefined;
      writeFileSync(join(folder, 'config.yaml'), block.text);
      const outcome = spawnSync('rungar', ['validate', '-f', 'config.yaml'], options);
      // The page's key files are not here; what the file itself says must be right.
      return /cannot be read|no such file/i.test(outcome.stderr) ? { ...outcome, status: 0 } : outcome;
    }
    default:
      return undefined;
  }
}
