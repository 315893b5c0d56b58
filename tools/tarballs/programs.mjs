// What somebody runs who has installed the packages: the programs they bring, and the examples of their READMEs.
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join, relative } from 'node:path';
import { blocksOf, isProgram, wordOf } from '../docs/blocks.mjs';
import { faultOf, isInstalled, run, writeModules } from '../docs/snippets.mjs';

const CONFIGURATION = `version: 1
github: {url: https://github.com/acme, token: example}
providers:
  - name: frankfurt
    type: aws
    region: eu-central-1
    subnets: [subnet-0a1b2c3d]
    runner: {image: ami-0a1b2c3d, instance_type: m7i.large}
scale_sets:
  - {name: linux, max_runners: 8, providers: [frankfurt]}
`;

const COMMANDS = [
  'rungar --version',
  'rungar --help',
  'rungar validate -f config.yaml',
  'dispat-worker-manifest --version',
  'dispat-worker-manifest --help',
  'dispat-k8s generate -q --endpoint git@git.example.com:acme/mailbox.git --image example.com/worker:1 --count 2 --egress 192.0.2.10/32:22',
];

/** The executable of a Node.js of that major version, fetched from the registry where it is not this one. */
export function nodeOf(major) {
  if (process.versions.node.split('.')[0] === major) return process.execPath;
  const ask = ['--yes', '--prefer-offline', `--package=node@${major}`, '-c', 'node -p process.execPath'];
  return execFileSync('npx', ask, { encoding: 'utf8' }).trim();
}

/** What is wrong with the programs and with importing every entry. */
export async function commandFaults(folder, node) {
  writeFileSync(join(folder, 'config.yaml'), CONFIGURATION);
  const env = environment(folder, node);
  const imports = { name: 'importing every entry', ...(await run(node, ['entries.js'], env)) };
  const [first, ...rest] = COMMANDS;
  // The first one the way it is documented, the others without the half second that npx takes.
  const commands = [`npx --no-install ${first}`, 'npx --no-install dispat-worker-manifest --version', ...rest];
  const ran = await inTurn(commands, async (name) => ({ name, ...(await run('sh', ['-euc', name], env)) }));
  return [imports, ...ran]
    .filter(({ how, stdout, stderr }) => how !== 'ended with 0' || stdout === '' || stderr !== '')
    .map(({ name, how, stdout, stderr }) => `${name}: ${how}\n${stdout}${stderr}`);
}

/** What is wrong with the examples in the packages' READMEs. */
export async function readmeFaults(folder, node, packages) {
  const { path } = environment(folder, node);
  const root = dirname(dirname(packages[0].folder));
  const blocks = packages.flatMap(({ unpacked }) => blocksOf(join(unpacked, 'README.md')));
  const snippets = join(folder, 'snippets');
  mkdirSync(snippets, { recursive: true });
  writeModules(blocks, root, snippets);
  const programs = blocks.filter((block) => {
    const needs = wordOf(block, 'needs');
    return isProgram(block) && (needs === undefined || isInstalled(needs, path));
  });
  const faults = await inTurn(programs, async (block) => {
    const fault = await faultOf(block, { node, path });
    return fault && `${relative(dirname(folder), block.page)}:${block.line}: ${fault}`;
  });
  return { ran: programs.length, faults: faults.filter(Boolean) };
}

function environment(folder, node) {
  const path = [join(folder, 'node_modules', '.bin'), dirname(node), process.env.PATH].join(delimiter);
  return { cwd: folder, path };
}

/** `act` on each of `all`, two at a time. */
async function inTurn(all, act) {
  const results = [];
  const waiting = all.entries();
  const worker = async () => {
    for (const [at, one] of waiting) results[at] = await act(one);
  };
  await Promise.all([worker(), worker()]);
  return results;
}
