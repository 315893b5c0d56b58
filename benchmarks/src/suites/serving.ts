import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { startDicerEmulator } from '@rungar/emulators/dicer';
import { startGitHubEmulator } from '@rungar/emulators/github';
import type { Benchmark, Lab, Measurement } from '../benchmark.js';
import { compare, type Round } from '../measure.js';
import { installed, run } from '../programs.js';

const STARTS_A_ROUND = 3;
const LOOK_EVERY_MS = 1;

/** A backend to serve from. */
interface Backend {
  /** Lines of a provider's entry, `name` and `type` included. */
  readonly entry: string;
  close(): Promise<void>;
}

export const serving: Benchmark = {
  id: 'P38',
  kind: 'real',
  what: 'rungar serve from its start to its first poll ÷ node -e 0',
  measurements: [firstPoll('Dicer only', { target: 3.6, bar: 5 }, dicerBackend)],
};

async function dicerBackend(folder: string): Promise<Backend> {
  const dicer = await startDicerEmulator({ socketPath: join(folder, 'd') });
  const runner = '{image: "ghcr.io/actions/actions-runner:latest", vcpus: 2, memory: 4GiB}';
  return {
    entry: `{name: host, type: dicer, address: "${dicer.address}", runner: ${runner}}`,
    close: () => dicer.close(),
  };
}

function firstPoll(
  what: string,
  limits: { readonly target: number; readonly bar: number },
  start: (folder: string) => Promise<Backend>,
): Measurement {
  return {
    what,
    async run(lab) {
      const folder = await mkdtemp('/tmp/rgb-'); // short: the name of a socket may have 103 bytes
      const github = await startGitHubEmulator();
      const backend = await start(folder);
      try {
        const config = join(folder, 'config.yaml');
        await writeFile(config, configText(folder, github.configUrl, github.createToken(), backend.entry), {
          mode: 0o600,
        });
        const polls = (): number => github.counts.get('get-message') ?? 0;
        const nothing: Round = async () => {
          const begun = lab.now();
          await run(lab, { file: lab.node, args: ['--eval', '0'] });
          return lab.now() - begun;
        };
        const times = await compare(() => untilPoll(lab, config, polls), nothing, STARTS_A_ROUND);
        return {
          unit: 'ms',
          ours: times.oursMs,
          reference: times.referenceMs,
          ratio: times.ratio,
          spread: { min: times.min, max: times.max },
          better: 'lower',
          ...limits,
        };
      } finally {
        await Promise.all([github.close(), backend.close()]);
        await rm(folder, { recursive: true });
      }
    },
  };
}

function configText(folder: string, url: string, token: string, entry: string): string {
  return `version: 1
github: {url: "${url}", token: "${token}"}
socket: ${folder}/s
events: {file: ${folder}/events.jsonl}
providers:
  - ${entry}
scale_sets:
  - {name: linux, max_runners: 4, providers: [host]}
`;
}

/** Starts a daemon, waits for its first poll, and stops it. */
async function untilPoll(lab: Lab, config: string, polls: () => number): Promise<number> {
  const before = polls();
  const begun = lab.now();
  const child = spawn(installed(lab, 'rungar'), ['serve', '--config', config], {
    env: { ...lab.env, PATH: `${dirname(lab.node)}:${lab.env.PATH ?? ''}` },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  const ended = once(child, 'close');
  while (polls() === before) {
    if (child.exitCode !== null) throw new Error(`rungar serve ended with ${child.exitCode}: ${said}`);
    await pause(LOOK_EVERY_MS);
  }
  const took = lab.now() - begun;
  child.kill('SIGTERM');
  await ended;
  return took;
}
