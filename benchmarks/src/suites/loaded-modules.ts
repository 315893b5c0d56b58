import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Benchmark, Lab, Measurement } from '../benchmark.js';
import { importing, installed, type Program, run } from '../programs.js';
import { ENTRIES } from './start-up.js';

/** Packages that only the one command or provider that needs them may load. */
const HEAVY = ['@aws-sdk', '@smithy', '@google-cloud', 'google-auth-library', 'got', 'zod'];

/** A configuration for EC2 alone. Reading it asks nobody, so its token need not be a real one. */
const AWS_ONLY = `
github:
  url: https://github.com/my-org
  token: not-a-real-token
providers:
  - name: ec2
    type: aws
    region: eu-central-1
    subnets: [subnet-0123456789abcdef0]
scale_sets:
  - name: linux
    max_runners: 1
    providers:
      - name: ec2
        runner:
          instance_type: m7i.xlarge
          image: ami-0a1b2c3d4e5f60718
`;

const rungar =
  (...args: string[]) =>
  (lab: Lab): Program => ({ file: lab.node, args: [installed(lab, 'rungar'), ...args] });

export const loadedModules: Benchmark = {
  id: 'P39',
  kind: 'virtual',
  what: `modules of ${HEAVY.join(', ')} loaded where they are not used`,
  measurements: [
    heavyModules('rungar --help', rungar('--help'), /status/),
    {
      what: 'rungar validate',
      run: (lab) =>
        inFolder(async (folder) => {
          const configuration = join(folder, 'config.yaml');
          await writeFile(configuration, AWS_ONLY);
          return heavyModules('', rungar('validate', '-f', configuration), /valid/).run(lab);
        }),
    },
    heavyModules('rungar labels', rungar('labels', 'installation', 'https://github.com/my-org'), /^gh-4e3651f01be5$/m),
    ...[
      ...ENTRIES.map(([name]) => name),
      '@rungar/providers/aws',
      '@rungar/providers/dicer',
      '@rungar/providers/gcp',
      '@rungar/daemon/client',
    ].map((entry) => heavyModules(`import ${entry}`, (lab) => importing(lab, entry))),
  ],
};

function heavyModules(what: string, program: (lab: Lab) => Program, prints = /(?:)/): Measurement {
  return {
    what,
    async run(lab) {
      const loaded = await inFolder((folder) => modulesOf(lab, { ...program(lab), prints }, join(folder, 'loaded')));
      const all = [...loaded, ...(await Promise.all(loaded.map(bundledIn))).flat()];
      const heavy = all.filter((module) => HEAVY.some((name) => module.includes(`/node_modules/${name}/`)));
      return {
        unit: '',
        ours: heavy.length,
        reference: undefined,
        ratio: heavy.length,
        better: 'lower',
        target: 0,
        bar: 0,
      };
    },
  };
}

/** The addresses of all modules that a program of Node's loads from its start to its end. */
async function modulesOf(lab: Lab, program: Program, list: string): Promise<string[]> {
  const recorder = pathToFileURL(join(lab.root, 'benchmarks', 'preload', 'record-modules.mjs')).href;
  await writeFile(list, '');
  await run(lab, { ...program, args: ['--import', recorder, ...program.args], env: { RUNGAR_BENCH_LOADED: list } });
  const loaded = new Set((await readFile(list, 'utf8')).split('\n').filter(Boolean));
  if (loaded.size === 0) throw new Error('no module was recorded');
  return [...loaded];
}

/** The modules that one of ours was bundled from, as its source map has them. */
async function bundledIn(module: string): Promise<string[]> {
  if (!/\/dist\/[^/]+\.js$/.test(module) || module.includes('/node_modules/')) return [];
  const map = JSON.parse(await readFile(new URL(`${module}.map`), 'utf8')) as { readonly sources: string[] };
  return map.sources;
}

async function inFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'rungar-bench-'));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}
