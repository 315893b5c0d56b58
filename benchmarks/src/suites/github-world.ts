import { strict as assert } from 'node:assert';
import { type Credentials, createScaleSetService, type Exchange } from '@rungar/github';
import { runnerLabels, runnerName } from '@rungar/labels';
import { type EventAction, type Random, type ScaleSetPolicy, Secret, silentLogger } from '@rungar/model';
import { type FakeClock, fakeClock, seededRandom } from '@rungar/model/testing';
import { createReconciler } from '@rungar/reconciler';
import type { Lab } from '../benchmark.js';
import { NO_METRICS } from './ec2-pace.js';
import type { GitHubRunner, GitHubScaleSet } from './github-jobs.js';
import { ORGANISATION, SimulatedService } from './github-service.js';
import { machineOf, type SimulatedProvider, simulatedProvider } from './simulated-provider.js';

const INSTALLATION = 'gh-4e3651f01be5';
const REVISION = 'c8641158c70e';
const PROVIDER = 'frankfurt';
const STEP_MS = 10;
const TOKEN: Credentials = { kind: 'token', token: new Secret('ghp_personalaccesstoken') };
/** From a machine's creation until its runner connects. */
const LEAST_CONNECT_MS = 20_000;
const MOST_CONNECT_MS = 40_000;
const HOUR_MS = 3_600_000;

export interface WorldOptions {
  readonly scaleSets: number;
  /** Runners that an earlier daemon left, idle and wanted, of all scale sets together. */
  readonly idle: number;
  /** How many of the scale sets want idle runners; all unless told. The jobs of the others wait for a new one each. */
  readonly reserves?: number;
  /** Of one scale set. */
  readonly maxRunners: number;
  /** How long each job runs; without it nobody takes any. */
  readonly jobMs?: number;
  /** A personal access token unless given. */
  readonly credentials?: Credentials;
  /** Whether GitHub says of a page that it has not changed; it does unless told. */
  readonly etags?: boolean;
}

/** Something the reconciler did. */
export interface Happened {
  readonly at: number;
  readonly action: EventAction;
  readonly runner: string;
  readonly reason: string | undefined;
}

/** The real reconciler and the real client of GitHub, with GitHub and one provider simulated on one clock. */
export interface World {
  readonly clock: FakeClock;
  readonly random: Random;
  readonly github: SimulatedService;
  readonly provider: SimulatedProvider;
  /** Oldest first. */
  readonly happened: readonly Happened[];
  /** When each runner came to be connected. */
  readonly connectedAt: ReadonlyMap<string, number>;
  /** Of the scale sets. */
  readonly names: readonly string[];
  /** Jobs that ran to their end. */
  readonly served: number;
  assign(scaleSet: string, jobs: number): void;
  stop(): Promise<void>;
}

/** Has the client load what it loads with its first request, for which no simulated clock would wait. */
async function loadClient(): Promise<void> {
  const exchange: Exchange = async () => ({ status: 200, headers: {}, body: '{"runners":[]}' });
  const client = createScaleSetService({ url: ORGANISATION, credentials: TOKEN, exchange });
  await client.runnerStatuses({ signal: new AbortController().signal });
  await client.close();
}

export async function openWorld(lab: Lab, options: WorldOptions): Promise<World> {
  await loadClient();
  const clock = fakeClock();
  const random = seededRandom(lab.seed);
  const names = Array.from({ length: options.scaleSets }, (_, at) => `linux-${at}`);
  const github = new SimulatedService(clock, names, options.etags);
  const happened: Happened[] = [];
  const connectedAt = new Map<string, number>();
  const { reserves = names.length } = options;
  let served = 0;

  const recordOf = (name: string): GitHubScaleSet => {
    const record = github.scaleSets.get(name);
    assert(record, `there is no scale set ${name}`);
    return record;
  };

  const run = async (runner: GitHubRunner, jobMs: number, end: () => void): Promise<void> => {
    await clock.sleep(jobMs);
    github.runners.remove(runner);
    const machine = provider.machines.get(runner.name);
    if (machine) provider.machines.set(runner.name, { ...machine, state: 'stopped' });
    end();
    served++;
  };

  const handOutJobs = (scaleSet: GitHubScaleSet): void => {
    const { jobMs } = options;
    if (jobMs === undefined) return;
    let waiting = scaleSet.waiting;
    for (const runner of waiting > 0 ? scaleSet.runners : []) {
      if (waiting === 0) break;
      const end = scaleSet.start(runner);
      if (!end) continue;
      waiting--;
      github.runners.changed();
      void run(runner, jobMs, end);
    }
  };

  const boot = async (name: string): Promise<void> => {
    await clock.sleep(LEAST_CONNECT_MS + random.fraction() * (MOST_CONNECT_MS - LEAST_CONNECT_MS));
    const runner = github.runners.named(name);
    if (!runner) return;
    runner.online = true;
    github.runners.changed();
    connectedAt.set(name, clock.now());
    handOutJobs(runner.scaleSet);
  };

  const provider = simulatedProvider(clock, (name) => void boot(name));

  const leaveIdle = (scaleSet: string): void => {
    const name = runnerName(scaleSet, Buffer.from(random.bytes(4)).toString('hex'));
    const labels = runnerLabels({ installation: INSTALLATION, scaleSet, runner: name, revision: REVISION });
    github.runners.register(name, recordOf(scaleSet), true);
    provider.machines.set(name, machineOf(name, labels, clock.wallNow() - HOUR_MS));
  };
  for (let at = 0; at < options.idle; at++) leaveIdle(names[at % reserves] ?? '');

  const service = createScaleSetService({
    url: ORGANISATION,
    credentials: options.credentials ?? TOKEN,
    clock,
    random,
    exchange: github.exchange,
  });
  const minRunners = Math.floor(options.idle / reserves);
  const reconciler = createReconciler({
    installation: INSTALLATION,
    reconcileIntervalMs: 30_000,
    scaleSets: names.map((name, at) => policyOf(name, at < reserves ? minRunners : 0, options.maxRunners)),
    providers: [
      { name: PROVIDER, type: 'aws', endpoint: 'aws:eu', weight: 1, maxRunners: 0, disabled: false, provider },
    ],
    github: service,
    hostname: 'bench',
    clock,
    random,
    logger: silentLogger,
    events: {
      record({ action, name, attributes }) {
        happened.push({ at: clock.now(), action, runner: name, reason: attributes?.reason });
      },
    },
    metrics: NO_METRICS,
  });
  const stopping = new AbortController();
  let running = true;
  const ran = reconciler.run(stopping.signal).finally(() => {
    running = false;
  });

  return {
    clock,
    random,
    github,
    provider,
    happened,
    connectedAt,
    names,
    get served() {
      return served;
    },
    assign(name, jobs) {
      const scaleSet = recordOf(name);
      scaleSet.assign(jobs);
      handOutJobs(scaleSet);
    },
    async stop() {
      stopping.abort(new Error('measured'));
      while (running) await clock.advance(STEP_MS);
      await ran;
      await service.close();
    },
  };
}

function policyOf(name: string, minRunners: number, maxRunners: number): ScaleSetPolicy {
  return {
    name,
    labels: [name],
    runnerGroup: 'Default',
    minRunners,
    maxRunners,
    priority: 0,
    placement: 'spread',
    startTimeoutMs: 10 * 60_000,
    paused: false,
    providers: [{ name: PROVIDER, spec: {}, revision: REVISION, size: '4 vCPU, 16 GiB' }],
  };
}
