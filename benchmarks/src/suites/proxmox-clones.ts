import { strict as assert } from 'node:assert';
import { type EmulatorClock, seededRandom as seededEmulator } from '@rungar/emulators';
import { type PveEmulator, startPveEmulator } from '@rungar/emulators/proxmox';
import { runnerLabels, runnerName, toProxmoxTags } from '@rungar/labels';
import { type Clock, createRedactor, type MachineRequest, Secret, silentLogger } from '@rungar/model';
import { fakeClock, seededRandom } from '@rungar/model/testing';
import { openProxmoxWith, type ProxmoxRunner, type ProxmoxSettings, type Transport } from '@rungar/providers/proxmox';
import type { Benchmark, Lab } from '../benchmark.js';

const MACHINES = 40;
const CLONE_MS = 2_000;
const AGENT_MS = 10_000;
const CALL_MS = 20;
const LISTING_MS = 100;
const REFUSAL_MS = 100;
const GIB = 1024 ** 3;
/** Longer than all of it takes. */
const ENOUGH_MS = 10 * 60_000;

const SPEC: ProxmoxRunner = {
  template: 9000,
  cores: 2,
  memory: 4n * 1024n ** 3n,
  fullClone: false,
  storage: '',
  pool: '',
  jitPath: '/run/rungar/jitconfig',
};

interface Outcome {
  readonly makespanMs: number;
  readonly clonesRefused: number;
  readonly callsBeside: number;
}

/** What a runner needs, and polls of any kind. */
const EXPECTED = new Set(['clone', 'set_config', 'start', 'file_write', 'task_status', 'ping']);

/**
 * Makes forty machines at once on a cluster whose one storage works on one clone at a time, all on a clock of their own.
 * @param lockWaitMs how long a clone waits for the storage's lock before it is refused
 */
async function makeForty(lab: Lab, lockWaitMs: number): Promise<Outcome> {
  const clock = fakeClock();
  const pve = await startPveEmulator({
    clock: emulatorClock(clock),
    random: seededEmulator(lab.seed),
    times: { linkedCloneMs: CLONE_MS, agentMs: AGENT_MS, startMs: CALL_MS, lockWaitMs },
    latency: { resources: LISTING_MS, refusal: REFUSAL_MS, ...sameFor(CALL_MS) },
    catalogue: {
      nodes: ['pve1', 'pve2', 'pve3'].map((name) => ({ name, cores: 64, memory: 256 * GIB, memoryUsed: 8 * GIB })),
    },
  });
  try {
    const provider = await openProxmoxWith(async () => inProcess(pve), settingsOf(pve), {
      name: 'rack',
      clock,
      random: seededRandom(lab.seed),
      logger: silentLogger,
      redactor: createRedactor(),
    });
    const began = clock.now();
    let doneAt = began;
    const requests = Array.from({ length: MACHINES }, (_, at) => requestFor(at));
    const making = Promise.all(
      requests.map(async (request) => {
        await provider.create(request, { signal: new AbortController().signal });
        doneAt = clock.now();
      }),
    );
    await clock.advance(ENOUGH_MS);
    await making;
    checkOutcome(pve, requests);
    await provider.close();
    const calls = pve.calls();
    const beside = Object.entries(calls).filter(([operation]) => !EXPECTED.has(operation));
    return {
      makespanMs: doneAt - began,
      clonesRefused: (calls.clone ?? 0) - MACHINES,
      callsBeside: beside.reduce((sum, [, count]) => sum + count, 0),
    };
  } finally {
    await pve.close();
  }
}

/** Every machine once, labelled exactly, spread over the nodes, with its registration, and nothing else. */
function checkOutcome(pve: PveEmulator, requests: readonly MachineRequest<ProxmoxRunner>[]): void {
  const vms = new Map(pve.vms().map((vm) => [vm.name, vm]));
  assert.equal(pve.vms().length, MACHINES);
  assert.equal(new Set(pve.vms().map(({ node }) => node)).size, 3);
  for (const { name, labels, jitConfig } of requests) {
    const vm = vms.get(name);
    assert.equal(vm?.status, 'running');
    assert.equal(vm.delivered, jitConfig.reveal());
    assert.deepEqual(vm.tags, toProxmoxTags(labels));
  }
  assert.deepEqual(pve.failures, []);
}

function requestFor(at: number): MachineRequest<ProxmoxRunner> {
  const name = runnerName('linux', at.toString(16).padStart(8, '0'));
  const labels = runnerLabels({
    installation: 'gh-4e3651f01be5',
    scaleSet: 'linux',
    runner: name,
    revision: 'a0895bd4f55a',
  });
  return { name, labels, jitConfig: new Secret(`registration-of-${name}`), spec: SPEC };
}

function settingsOf(pve: PveEmulator): ProxmoxSettings {
  return {
    url: pve.url,
    tokenId: pve.token.id,
    tokenSecret: new Secret(pve.token.secret),
    tls: { insecureSkipVerify: false },
    nodes: [],
    timeoutMs: 10_000,
  };
}

function inProcess(pve: PveEmulator): Transport {
  return {
    async send({ method, path, params }) {
      return { ...(await pve.ask({ method, path: `/${path}`, params })), date: undefined };
    },
    close() {},
  };
}

function emulatorClock(clock: Clock): EmulatorClock {
  return {
    now: () => clock.now(),
    after(ms, run) {
      const stop = new AbortController();
      clock.sleep(ms, stop.signal).then(run, () => {});
      return () => stop.abort();
    },
  };
}

function sameFor(ms: number): Record<string, number> {
  const operations = ['options', 'config', 'set_config', 'clone', 'start', 'task_status', 'ping', 'file_write'];
  return Object.fromEntries(operations.map((operation) => [operation, ms]));
}

/** The clones one after the other, and then the rest of the last one: its settings, its start, its boot, the registration. */
const IDEAL_MS = LISTING_MS + MACHINES * CLONE_MS + 4 * CALL_MS + AGENT_MS;

export const proxmoxLock: Benchmark = {
  id: 'P11',
  kind: 'virtual',
  what: 'forty Proxmox machines over one storage lock and three nodes',
  measurements: [
    {
      what: 'clones refused for the lock or a taken VMID ÷ machines, by a storage that makes none wait',
      run: async (lab) => refused(await makeForty(lab, 0)),
    },
    {
      what: 'the same, by one that makes a clone wait ten seconds',
      run: async (lab) => refused(await makeForty(lab, 10_000)),
    },
    {
      what: 'last machine made ÷ clones one after the other',
      async run(lab) {
        const { makespanMs } = await makeForty(lab, 10_000);
        const ratio = makespanMs / IDEAL_MS;
        return { ours: makespanMs, reference: IDEAL_MS, unit: 'ms', ratio, better: 'lower', target: 1.05, bar: 1.15 };
      },
    },
  ],
};

function refused({ clonesRefused }: Outcome) {
  const ratio = clonesRefused / MACHINES;
  return {
    ours: clonesRefused,
    reference: MACHINES,
    unit: 'clones',
    ratio,
    better: 'lower',
    target: 0,
    bar: 0.05,
  } as const;
}

export const proxmoxCalls: Benchmark = {
  id: 'P12',
  kind: 'virtual',
  what: 'calls for a Proxmox machine',
  measurements: [
    {
      what: 'beside clone, settings, start, registration and polls ÷ machines',
      async run(lab) {
        const { callsBeside } = await makeForty(lab, 10_000);
        const ratio = callsBeside / MACHINES;
        return { ours: callsBeside, reference: MACHINES, unit: 'calls', ratio, better: 'lower', target: 0.1, bar: 1 };
      },
    },
  ],
};
