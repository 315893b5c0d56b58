import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type GitHubEmulator, startGitHubEmulator } from '@rungar/emulators/github';
import type { Benchmark, Lab, Measurement, Result } from '../benchmark.js';
import { compare, median, type Round } from '../measure.js';
import { importing, installed, type Program, run } from '../programs.js';
import { residentBytes } from './resident.js';
import { awsBackend, type Backend, computeEngineBackend, dicerBackend, proxmoxBackend } from './serving-backends.js';

const STARTS_A_ROUND = 3;
const LOOK_EVERY_MS = 1;
const IDLE_SCALE_SETS = 10;
/** Until what the start has left behind is collected. */
const SETTLE_MS = 5_000;
const MEMORY_ROUNDS = 3;
const MEBIBYTE = 1024 * 1024;

type StartBackend = (folder: string) => Promise<Backend>;
interface Limits {
  readonly target: number;
  readonly bar: number;
}

const nothing = (lab: Lab): Program => ({ file: lab.node, args: ['--eval', '0'] });

export const serving: Benchmark = {
  id: 'P38',
  kind: 'real',
  what: 'rungar serve: from its start to its first poll, and its memory',
  measurements: [
    firstPoll('Proxmox VE only ÷ node -e 0', proxmoxBackend, nothing, { target: 3, bar: 4 }),
    firstPoll('Dicer only ÷ node -e 0', dicerBackend, nothing, { target: 3.6, bar: 5 }),
    firstPoll('EC2 ÷ importing its SDK', awsBackend, (lab) => importing(lab, '@aws-sdk/client-ec2'), {
      target: 1.25,
      bar: 1.5,
    }),
    firstPoll(
      'Compute Engine ÷ importing its package',
      computeEngineBackend,
      (lab) => importing(lab, '@google-cloud/compute'),
      { target: 0.7, bar: 0.9 },
    ),
    idleMemory('no cloud', dicerBackend, { target: 1.5, bar: 2 }),
    idleMemory('EC2', awsBackend, { target: 3, bar: 3.6 }),
    idleMemory('Compute Engine', computeEngineBackend, { target: 3.8, bar: 4.8 }),
  ],
};

/** Starts GitHub and a backend, writes a configuration for them, and ends all of it afterwards. */
async function withServices<T>(
  start: StartBackend,
  scaleSets: number,
  use: (config: string, github: GitHubEmulator) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp('/tmp/rgb-'); // short: the name of a socket may have 103 bytes
  const github = await startGitHubEmulator();
  const backend = await start(folder);
  try {
    const config = join(folder, 'config.yaml');
    const text = configText(folder, github.configUrl, github.createToken(), backend.entry, scaleSets);
    await writeFile(config, text, { mode: 0o600 });
    return await use(config, github);
  } finally {
    await Promise.all([github.close(), backend.close()]);
    await rm(folder, { recursive: true });
  }
}

function firstPoll(what: string, start: StartBackend, reference: (lab: Lab) => Program, limits: Limits): Measurement {
  return {
    what: `first poll, ${what}`,
    run: (lab) =>
      withServices(start, 1, async (config, github): Promise<Result> => {
        const polls = (): number => github.counts.get('get-message') ?? 0;
        const other: Round = async () => {
          const begun = lab.now();
          await run(lab, reference(lab));
          return lab.now() - begun;
        };
        const times = await compare(() => untilPoll(lab, config, polls), other, STARTS_A_ROUND);
        return {
          unit: 'ms',
          ours: times.oursMs,
          reference: times.referenceMs,
          ratio: times.ratio,
          spread: { min: times.min, max: times.max },
          better: 'lower',
          ...limits,
        };
      }),
  };
}

/** The memory of a daemon whose ten scale sets have nothing to do, against a process that only has an HTTP server. */
function idleMemory(what: string, start: StartBackend, limits: Limits): Measurement {
  return {
    what: `RSS of ${IDLE_SCALE_SETS} idle scale sets, ${what} ÷ a bare node:http process`,
    run: (lab) =>
      withServices(start, IDLE_SCALE_SETS, async (config, github): Promise<Result> => {
        const rounds: { ours: number; reference: number }[] = [];
        for (let round = 0; round < MEMORY_ROUNDS; round++) {
          const before = github.counts.get('get-message') ?? 0;
          const daemon = serve(lab, config);
          await daemon.until(() => (github.counts.get('get-message') ?? 0) >= before + IDLE_SCALE_SETS);
          await pause(SETTLE_MS);
          const ours = await residentBytes(daemon.pid);
          await daemon.stop();
          rounds.push({ ours: ours / MEBIBYTE, reference: (await bareServerBytes(lab)) / MEBIBYTE });
        }
        const ratios = rounds.map(({ ours, reference }) => ours / reference);
        return {
          unit: 'MiB',
          ours: median(rounds.map(({ ours }) => ours)),
          reference: median(rounds.map(({ reference }) => reference)),
          ratio: median(ratios),
          spread: { min: Math.min(...ratios), max: Math.max(...ratios) },
          better: 'lower',
          ...limits,
        };
      }),
  };
}

async function bareServerBytes(lab: Lab): Promise<number> {
  const code = `require('node:http').createServer().listen(0, '127.0.0.1', () => console.log('listening'))`;
  const child = spawn(lab.node, ['--eval', code], { stdio: ['ignore', 'pipe', 'ignore'] });
  await once(child.stdout, 'data');
  await pause(SETTLE_MS);
  const bytes = await residentBytes(child.pid);
  child.kill();
  await once(child, 'close');
  return bytes;
}

function configText(folder: string, url: string, token: string, entry: string, scaleSets: number): string {
  const sets = Array.from(
    { length: scaleSets },
    (_, at) => `  - {name: linux-${at}, max_runners: 4, providers: [host]}`,
  );
  return `version: 1
github: {url: "${url}", token: "${token}"}
socket: ${folder}/s
events: {file: ${folder}/events.jsonl}
providers:
  - ${entry}
scale_sets:
${sets.join('\n')}
`;
}

interface Served {
  readonly pid: number | undefined;
  /** @throws when the daemon ends before */
  until(reached: () => boolean): Promise<void>;
  stop(): Promise<void>;
}

function serve(lab: Lab, config: string): Served {
  const child = spawn(installed(lab, 'rungar'), ['serve', '--config', config], {
    env: { ...lab.env, PATH: `${dirname(lab.node)}:${lab.env.PATH ?? ''}` },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  const ended = once(child, 'close');
  return {
    pid: child.pid,
    async until(reached) {
      while (!reached()) {
        if (child.exitCode !== null) throw new Error(`rungar serve ended with ${child.exitCode}: ${said}`);
        await pause(LOOK_EVERY_MS);
      }
    },
    async stop() {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

/** Starts a daemon, waits for its first poll, and stops it. */
async function untilPoll(lab: Lab, config: string, polls: () => number): Promise<number> {
  const before = polls();
  const begun = lab.now();
  const daemon = serve(lab, config);
  await daemon.until(() => polls() > before);
  const took = lab.now() - begun;
  await daemon.stop();
  return took;
}
