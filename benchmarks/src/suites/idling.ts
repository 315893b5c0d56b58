import { strict as assert } from 'node:assert';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Benchmark, Result } from '../benchmark.js';
import { type OtherProcess, startOther } from '../other-process.js';

const SCALE_SETS = 10;
/** By then each has polled twice and made its first timed pass: a start is not idling. */
const SETTLE_MS = 60_000;
const MINUTE_MS = 60_000;

/** GitHub and a Dicer host, emulated, and a bare server that holds every request as long as GitHub holds a poll. */
const SERVICES = `
import { createServer } from 'node:http';
import { startDicerEmulator } from '@rungar/emulators/dicer';
import { startGitHubEmulator } from '@rungar/emulators/github';
const github = await startGitHubEmulator({ rateLimit: 1e9 });
const dicer = await startDicerEmulator({ socketPath: process.argv[1] });
let held = 0;
const bare = createServer((request, response) => {
  if (request.url === '/polls') {
    response.end(JSON.stringify({ ours: github.counts.get('get-message') ?? 0, bare: held }));
    return;
  }
  held += 1;
  setTimeout(() => response.writeHead(202).end(), 50_000);
});
bare.listen(0, '127.0.0.1', () => console.log(JSON.stringify({
  githubUrl: github.configUrl,
  token: github.createToken(),
  dicer: dicer.address,
  bareUrl: 'http://127.0.0.1:' + bare.address().port,
})));
`;

/** Says how much CPU a minute took that began a while after the start. */
const MEASURE = `
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const measure = async () => {
  await pause(${SETTLE_MS});
  const before = process.cpuUsage();
  await pause(${MINUTE_MS});
  const { user, system } = process.cpuUsage(before);
  console.log((user + system) / 1000);
};
`;

const DAEMON = `${MEASURE}
import { loadConfig } from '@rungar/config';
import { startDaemon } from '@rungar/daemon';
import { createRedactor, systemClock, systemRandom } from '@rungar/model';
import { providerTypes } from '@rungar/providers';
const { signal } = new AbortController();
const { settings } = await loadConfig(process.argv[1], { types: providerTypes, signal });
await startDaemon({
  settings, version: '0.0.0', commit: '', clock: systemClock, random: systemRandom, redactor: createRedactor(),
  stderr: { write() {} },
  host: { name: 'bench', nodeVersion: process.versions.node, umask: (mask) => process.umask(mask) },
});
await measure();
`;

const BARE = `${MEASURE}
import { Agent, get } from 'node:http';
const agent = new Agent({ keepAlive: true });
const poll = () => get(process.argv[1], { agent }, (response) => response.resume().on('end', poll));
for (let one = 0; one < ${SCALE_SETS}; one++) poll();
await measure();
`;

interface Services {
  readonly githubUrl: string;
  readonly token: string;
  readonly dicer: string;
  readonly bareUrl: string;
}

function configText(folder: string, { githubUrl, token, dicer }: Services): string {
  const sets = Array.from(
    { length: SCALE_SETS },
    (_, at) => `  - {name: linux-${at}, max_runners: 4, providers: [host]}`,
  );
  return `version: 1
github: {url: "${githubUrl}", token: "${token}"}
socket: ${folder}/s
events: {file: ${folder}/events.jsonl}
providers:
  - name: host
    type: dicer
    address: "${dicer}"
    runner: {image: "ghcr.io/actions/actions-runner:latest", vcpus: 2, memory: 4GiB}
scale_sets:
${sets.join('\n')}
`;
}

/** Both run through the same minute: whatever slows the machine slows both. */
export const idling: Benchmark = {
  id: 'P48',
  kind: 'real',
  what: `${SCALE_SETS} idle scale sets for a minute`,
  measurements: [
    {
      what: 'CPU of a daemon ÷ bare long polls',
      async run(lab): Promise<Result> {
        const folder = await mkdtemp('/tmp/rgb-'); // short: the name of a socket may have 103 bytes
        const running: OtherProcess[] = [];
        const start = async (source: string, argument: string): Promise<string> => {
          const other = await startOther(lab, source, [argument]);
          running.push(other);
          return other.said;
        };
        try {
          const services = JSON.parse(await start(SERVICES, join(folder, 'd'))) as Services;
          const config = join(folder, 'config.yaml');
          await writeFile(config, configText(folder, services), { mode: 0o600 });
          const [ours = Number.NaN, reference = Number.NaN] = (
            await Promise.all([start(DAEMON, config), start(BARE, services.bareUrl)])
          ).map(Number);
          const polls = (await (await fetch(`${services.bareUrl}/polls`)).json()) as { ours: number; bare: number };
          // One at the start, and another every fifty seconds.
          assert.deepEqual(polls, { ours: 3 * SCALE_SETS, bare: 3 * SCALE_SETS });
          return { unit: 'ms', ours, reference, ratio: ours / reference, better: 'lower', target: 2, bar: 4 };
        } finally {
          for (const other of running) other.close();
          await rm(folder, { recursive: true });
        }
      },
    },
  ],
};
