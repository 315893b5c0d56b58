import { strict as assert } from 'node:assert';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EC2Client, RunInstancesCommand, type RunInstancesCommandInput } from '@aws-sdk/client-ec2';
import { createScaleSetService } from '@rungar/github';
import { installationOf } from '@rungar/labels';
import { createRedactor, Secret, silentLogger, systemClock, systemRandom } from '@rungar/model';
import { openAws } from '@rungar/providers/aws';
import { createReconciler } from '@rungar/reconciler';
import type { Benchmark, Lab, Result } from '../benchmark.js';
import { type Comparison, compare } from '../measure.js';
import { LATENCY, startWireWorld, type WireWorld } from './wire-world.js';

const MANY = 250;
const FEW = 50;
/** What the engine has in flight at most. */
const REGISTERING = 32;
const CREATING = 64;
const LIMIT_MS = 60_000;
const USER_DATA = Buffer.from(`#!/bin/sh\nexport X='${'x'.repeat(2_600)}'\nexec /opt/run\n`).toString('base64');

/** The request for one machine as any tool with labels has to make it: the same parameters as the engine's own. */
function bareLaunch(name: string, subnet: string, image: string): RunInstancesCommandInput {
  const tags = { managed: 'true', installation: 'gh-0123456789ab', 'scale-set': 'bench', revision: '0123456789ab' };
  const Tags = [
    { Key: 'Name', Value: name },
    ...Object.entries({ ...tags, runner: name }).map(([key, Value]) => ({ Key: `rungar.sh/${key}`, Value })),
  ];
  return {
    MinCount: 1,
    MaxCount: 1,
    ClientToken: `${name}-0123456789abcdef0123456789abcdef`,
    InstanceType: 'm6i.large',
    ImageId: image,
    UserData: USER_DATA,
    NetworkInterfaces: [{ DeviceIndex: 0, SubnetId: subnet, DeleteOnTermination: true }],
    InstanceInitiatedShutdownBehavior: 'terminate',
    MetadataOptions: { HttpEndpoint: 'enabled', HttpTokens: 'required' },
    TagSpecifications: [
      { ResourceType: 'instance', Tags },
      { ResourceType: 'volume', Tags },
    ],
  };
}

/** The engine over both services, with one scale set that nobody uses yet. */
interface Engine {
  /** Assigns jobs and resolves once every one has its machine. @returns the milliseconds that took */
  up(count: number): Promise<number>;
  /** Cancels them and resolves once every machine and registration is gone. */
  down(): Promise<void>;
  close(): Promise<void>;
}

async function startEngine(lab: Lab, world: WireWorld): Promise<Engine> {
  const folder = await mkdtemp(join(tmpdir(), 'rungar-wire-'));
  const credentialsFile = join(folder, 'credentials');
  const { accessKeyId, secretAccessKey } = world.ec2.key;
  await writeFile(
    credentialsFile,
    `[bench]\naws_access_key_id = ${accessKeyId}\naws_secret_access_key = ${secretAccessKey}\n`,
  );
  const shared = { clock: systemClock, random: systemRandom, logger: silentLogger, redactor: createRedactor() };
  const github = createScaleSetService({
    url: world.githubUrl,
    credentials: { kind: 'token', token: new Secret(world.token) },
    ...shared,
  });
  const { region, subnet, image, url } = world.ec2;
  const settings = {
    region,
    subnets: [subnet],
    securityGroups: [],
    endpointUrl: url,
    credentialsFile,
    profile: 'bench',
    timeoutMs: 30_000,
  };
  const provider = await openAws(settings, { ...shared, name: 'cloud' });
  let created = 0;
  let told: () => void = () => {};
  const spec = {
    instanceTypes: ['m6i.large'],
    image,
    diskSize: 0n,
    diskType: '',
    diskIops: 0,
    diskThroughput: 0,
    launchTemplate: '',
    spot: false,
    tags: undefined,
    userData: '#!/bin/sh\nexec /opt/run\n',
  };
  const reconciler = createReconciler({
    installation: installationOf(world.githubUrl),
    reconcileIntervalMs: 600_000,
    hostname: 'bench',
    scaleSets: [
      {
        name: 'linux',
        labels: ['linux'],
        runnerGroup: 'Default',
        minRunners: 0,
        maxRunners: 1_000,
        priority: 0,
        placement: 'spread',
        startTimeoutMs: 600_000,
        paused: false,
        providers: [{ name: 'cloud', spec, revision: 'c8641158c70e', size: 'm6i.large' }],
      },
    ],
    providers: [
      { name: 'cloud', type: 'aws', endpoint: 'aws:bench', weight: 1, maxRunners: 0, disabled: false, provider },
    ],
    github,
    clock: systemClock,
    random: systemRandom,
    logger: silentLogger,
    events: {
      record({ action }) {
        if (action !== 'created') return;
        created += 1;
        told();
      },
    },
    metrics: { add() {}, set() {}, unset() {}, observe() {} },
  });
  const stop = new AbortController();
  const running = reconciler.run(stop.signal);
  await until(() => reconciler.scaleSets()[0]?.counts !== undefined);
  return {
    async up(count) {
      const wanted = created + count;
      const done = new Promise<void>((resolve) => {
        told = () => {
          if (created >= wanted) resolve();
        };
      });
      const begun = lab.now();
      await world.queueJobs(count);
      await done;
      return lab.now() - begun;
    },
    async down() {
      await world.cancelJobs();
      await until(async () => {
        const { instances, runners } = await world.state();
        return instances === 0 && runners === 0;
      });
    },
    async close() {
      stop.abort();
      await running;
      await provider.close();
      await github.close();
      await rm(folder, { recursive: true });
    },
  };
}

async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  const limit = AbortSignal.timeout(LIMIT_MS);
  while (!(await holds())) await systemClock.sleep(10, limit);
}

/** Jobs through a stage, so many at once. */
async function throughStage(
  jobs: readonly Promise<unknown>[],
  atOnce: number,
  work: () => Promise<void>,
): Promise<void> {
  const waiting = jobs.values();
  const worker = async (): Promise<void> => {
    for (const job of waiting) {
      await job;
      await work();
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}

/** Registers and creates as the engine has to, with whatever does either, each with as many in flight. */
async function pipeline(count: number, register: () => Promise<void>, create: () => Promise<void>): Promise<void> {
  const registered = Array.from({ length: count }, () => {
    let done: () => void = () => {};
    return { ready: new Promise<void>((resolve) => (done = resolve)), done: () => done() };
  });
  const next = registered.values();
  const registering = throughStage(
    registered.map(() => Promise.resolve()),
    REGISTERING,
    async () => {
      await register();
      next.next().value?.done();
    },
  );
  await Promise.all([
    registering,
    throughStage(
      registered.map(({ ready }) => ready),
      CREATING,
      create,
    ),
  ]);
}

/** A POST with `node:http` and nothing else. */
function bareCall(agent: Agent, url: string, bytes: number): () => Promise<void> {
  const body = 'x'.repeat(bytes);
  return () =>
    new Promise((resolve, reject) => {
      const sent = request(url, { method: 'POST', agent }, (response) => {
        response.resume().on('end', resolve).on('error', reject);
      });
      sent.on('error', reject).end(body);
    });
}

async function withWorld(lab: Lab, work: (world: WireWorld, engine: Engine) => Promise<Result>): Promise<Result> {
  const world = await startWireWorld(lab);
  try {
    const engine = await startEngine(lab, world);
    try {
      return await work(world, engine);
    } finally {
      await engine.close();
    }
  } finally {
    world.close();
  }
}

function resultOf(times: Comparison, limits: { target: number; bar: number }, per = 1): Result {
  return {
    ours: times.oursMs / per,
    reference: times.referenceMs / per,
    unit: 'ms',
    ratio: times.ratio,
    spread: { min: times.min, max: times.max },
    better: 'lower',
    ...limits,
  };
}

/** One round of the engine: all up, measured, and down again. */
async function upAndDown(world: WireWorld, engine: Engine): Promise<number> {
  const ms = await engine.up(MANY);
  const { instances, runners } = await world.state();
  assert.deepEqual([instances, runners], [MANY, MANY], 'every job has one machine and one registration');
  await engine.down();
  return ms;
}

export const wire: Benchmark = {
  id: 'P46',
  kind: 'real',
  what: `${MANY} EC2 machines over the wire, the services in another process`,
  measurements: [
    {
      what: 'until the last is made ÷ a bare node:http client',
      run: (lab) =>
        withWorld(lab, async (world, engine) => {
          const agent = new Agent({ keepAlive: true, maxSockets: 128 });
          const register = bareCall(agent, `${world.bareUrl}/jit`, 60);
          const create = bareCall(agent, `${world.bareUrl}/run`, 6_500);
          const times = await compare(
            () => upAndDown(world, engine),
            async () => {
              const begun = lab.now();
              await pipeline(MANY, register, create);
              return lab.now() - begun;
            },
          );
          agent.destroy();
          return resultOf(times, { target: 1.06, bar: 1.15 });
        }),
    },
    {
      what: "CPU for a machine ÷ the bare SDK's RunInstances and a bare JIT request",
      run: (lab) =>
        withWorld(lab, async (world, engine) => {
          const agent = new Agent({ keepAlive: true, maxSockets: 128 });
          const { region, url, key, subnet, image } = world.ec2;
          const requestHandler = { httpAgent: new Agent({ keepAlive: true, maxSockets: 128 }) };
          const client = new EC2Client({ region, endpoint: url, credentials: key, requestHandler });
          const register = bareCall(agent, `${world.bareUrl}/jit`, 60);
          let launched = 0;
          const create = async (): Promise<void> => {
            const input = bareLaunch(`bench-${(launched++).toString(16).padStart(8, '0')}`, subnet, image);
            await client.send(new RunInstancesCommand(input));
          };
          const times = await compare(
            async () => {
              const start = lab.cpu();
              await engine.up(MANY);
              const used = lab.cpu() - start;
              await engine.down();
              return used;
            },
            async () => {
              const start = lab.cpu();
              await pipeline(MANY, register, create);
              const used = lab.cpu() - start;
              await world.clear();
              return used;
            },
          );
          agent.destroy();
          client.destroy();
          return resultOf(times, { target: 1.3, bar: 1.6 }, MANY);
        }),
    },
  ],
};

/** Fifty up and fifty down, and what that took. */
async function fifty(lab: Lab): Promise<{ upMs: number; upCalls: number; downCalls: number }> {
  const world = await startWireWorld(lab);
  try {
    const engine = await startEngine(lab, world);
    const before = await world.state();
    const upMs = await engine.up(FEW);
    const between = await world.state();
    assert.deepEqual([between.instances, between.runners], [FEW, FEW]);
    await engine.down();
    const after = await world.state();
    await engine.close();
    return { upMs, upCalls: between.calls - before.calls, downCalls: after.calls - between.calls };
  } finally {
    world.close();
  }
}

export const wireCalls: Benchmark = {
  id: 'P47',
  kind: 'real',
  what: `${FEW} EC2 machines up, and down again, over the wire`,
  measurements: [
    {
      what: 'calls for a machine up, polls left out',
      async run(lab) {
        const { upCalls } = await fifty(lab);
        return callsResult(upCalls, { target: 2, bar: 2.1 });
      },
    },
    {
      what: 'calls for a machine down, polls left out',
      async run(lab) {
        const { downCalls } = await fifty(lab);
        return callsResult(downCalls, { target: 1.02, bar: 1.1 });
      },
    },
    {
      what: 'until the last is made ÷ the same calls one after another',
      async run(lab) {
        const { upMs } = await fifty(lab);
        const reference = FEW * (LATENCY.jit + LATENCY.run);
        return { ours: upMs, reference, unit: 'ms', ratio: upMs / reference, better: 'lower', target: 0.03, bar: 0.06 };
      },
    },
  ],
};

function callsResult(calls: number, limits: { target: number; bar: number }): Result {
  return { ours: calls, reference: FEW, unit: 'calls', ratio: calls / FEW, better: 'lower', ...limits };
}
