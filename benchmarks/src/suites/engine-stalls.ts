import { strict as assert } from 'node:assert';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { createRedactor, type Machine, type OpenProvider, silentLogger, systemClock } from '@rungar/model';
import { seededRandom } from '@rungar/model/testing';
import { openAws } from '@rungar/providers/aws';
import { createReconciler } from '@rungar/reconciler';
import type { Benchmark, Lab } from '../benchmark.js';
import { compare, type Round } from '../measure.js';
import { startOther } from '../other-process.js';
import { openBackends } from './engine-backends.js';
import { quietGitHub, standingFleet } from './engine-fleet.js';
import { INSTALLATION, newClock } from './engine-world.js';
import { pageOfEc2Instances } from './simulated-ec2.js';

const MACHINES = 10_000;
const SCALE_SETS = 10;
const PAGE = 1_000;
const INTERVAL_MS = 5_000;
/** Shorter stalls do not matter to anybody. */
const LEAST_MS = 5;
/** A monitor needs as long before its first interval counts. */
const SETTLE_MS = 50;
const LOOK_MS = 2;
const VIRTUAL_LOOK_MS = 100;
const MOST_LOOKS = 10_000;
/** Longer than a pass that has begun may take. */
const QUIET_MS = 2_000;

/** Answers every request with the page its token asks for, as EC2 would. */
const PAGES_SERVER = `
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
const pages = process.argv.slice(1).map((file) => readFileSync(file));
const server = createServer((request, response) => {
  let body = '';
  request.on('data', (text) => { body += text; });
  request.on('end', () => {
    const page = pages[Number(/NextToken=(\\d+)/.exec(body)?.[1] ?? 0)];
    response.writeHead(200, { 'content-type': 'text/xml' }).end(page);
  });
});
server.listen(0, '127.0.0.1', () => console.log('http://127.0.0.1:' + server.address().port));
`;

interface Pass {
  /** The longest time for which a pass holds the event loop, its listings decoded in it. */
  readonly ours: Round;
  /** The same of EC2's listing alone, page by page. */
  readonly page: Round;
  close(): Promise<void>;
}

async function openPass(lab: Lab): Promise<Pass> {
  const clock = newClock();
  const fleet = standingFleet(seededRandom(lab.seed), MACHINES, SCALE_SETS);
  const ec2 = await ec2OverTheWire(lab, fleet.machines.get('aws') ?? []);
  const backends = await openBackends(clock, fleet, lab.seed);
  let passes = 0;
  const reconciler = createReconciler({
    installation: INSTALLATION,
    reconcileIntervalMs: INTERVAL_MS,
    hostname: 'bench',
    scaleSets: fleet.scaleSets,
    providers: [...backends.providers].map(([name, provider]) => ({
      name,
      provider: name === 'aws' ? ec2.provider : provider,
    })),
    github: quietGitHub(clock, fleet),
    clock,
    random: seededRandom(lab.seed),
    metrics: {
      add() {},
      set() {},
      unset() {},
      observe(name) {
        if (name === 'rungar_reconcile_duration_seconds') passes += 1;
      },
    },
  });
  const counted = (): number => reconciler.providers().reduce((sum, { runnerCount }) => sum + runnerCount, 0);
  const pass = async (): Promise<void> => {
    const done = passes + SCALE_SETS;
    await clock.advance(INTERVAL_MS);
    while (passes < done) await systemClock.sleep(LOOK_MS);
  };
  reconciler.start();
  for (let waited = 0; counted() < MACHINES; waited++) {
    assert(waited < MOST_LOOKS, 'every machine is adopted');
    await clock.advance(VIRTUAL_LOOK_MS);
    await systemClock.sleep(LOOK_MS);
  }
  for (let before = -1; before < passes; ) {
    before = passes;
    await systemClock.sleep(QUIET_MS);
  }
  const selector = { 'rungar.sh/managed': 'true', 'rungar.sh/installation': INSTALLATION };
  return {
    ours: () => longestStall(pass),
    page: async () => {
      const listing = (): Promise<unknown> => ec2.provider.list(selector, { signal: new AbortController().signal });
      return Math.max(LEAST_MS, await longestStall(listing));
    },
    async close() {
      const stopping = reconciler.stop();
      await clock.advance(INTERVAL_MS);
      await stopping;
      await ec2.close();
    },
  };
}

/** @returns milliseconds */
async function longestStall(work: () => Promise<unknown>): Promise<number> {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  await systemClock.sleep(SETTLE_MS);
  await work();
  await systemClock.sleep(LOOK_MS);
  delay.disable();
  return delay.max / 1e6;
}

async function ec2OverTheWire(
  lab: Lab,
  machines: readonly Machine[],
): Promise<{ readonly provider: OpenProvider; close(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'rungar-stalls-'));
  const files: string[] = [];
  for (let from = 0; from < machines.length; from += PAGE) {
    const page = pageOfEc2Instances(machines.slice(from, from + PAGE).map(({ labels }) => labels)).replaceAll(
      /<instanceId>i-[0-9a-f]{10}/g,
      `<instanceId>i-${String(files.length).padStart(10, '0')}`,
    );
    const file = join(folder, `${files.length}.xml`);
    files.push(file);
    const token = from + PAGE < machines.length ? `<nextToken>${files.length}</nextToken>` : '';
    await writeFile(file, page.replace('</DescribeInstancesResponse>', `${token}</DescribeInstancesResponse>`));
  }
  const credentialsFile = join(folder, 'credentials');
  await writeFile(
    credentialsFile,
    '[bench]\naws_access_key_id = AKIABENCHMARK0000000\naws_secret_access_key = not/a/secret\n',
  );
  const server = await startOther(lab, PAGES_SERVER, files);
  const provider = await openAws(
    {
      region: 'eu-central-1',
      subnets: ['subnet-0a1b2c3d'],
      securityGroups: [],
      endpointUrl: server.said,
      credentialsFile,
      profile: 'bench',
      timeoutMs: 30_000,
    },
    {
      name: 'aws',
      clock: systemClock,
      random: seededRandom(lab.seed),
      logger: silentLogger,
      redactor: createRedactor(),
    },
  );
  return {
    provider,
    async close() {
      await provider.close();
      server.close();
      await rm(folder, { recursive: true });
    },
  };
}

export const stalls: Benchmark = {
  id: 'P20',
  kind: 'real',
  what: `the event loop in a pass over ${MACHINES.toLocaleString('en')} machines, listings decoded in it`,
  measurements: [
    {
      what: `longest stall ÷ the larger of ${LEAST_MS} ms and that of EC2's pages alone`,
      async run(lab) {
        const { ours, page, close } = await openPass(lab);
        try {
          const result = await compare(ours, page, 3);
          return {
            ours: result.oursMs,
            reference: result.referenceMs,
            unit: 'ms',
            ratio: result.ratio,
            spread: { min: result.min, max: result.max },
            better: 'lower',
            target: 1.5,
            bar: 3,
          };
        } finally {
          await close();
        }
      },
    },
  ],
};
