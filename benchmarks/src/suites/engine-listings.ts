import { strict as assert } from 'node:assert';
import type { EventAction } from '@rungar/model';
import { seededRandom } from '@rungar/model/testing';
import type { Benchmark, Lab } from '../benchmark.js';
import { oncePerRun } from '../once.js';
import { type BackendCalls, openBackends } from './engine-backends.js';
import { PROVIDERS, scaleSetNames, standingFleet, standingMachine } from './engine-fleet.js';
import { EngineGitHub } from './engine-github.js';
import { newClock, openEngine } from './engine-world.js';

const MACHINES = 10_000;
const SCALE_SETS = 10;
const EACH = MACHINES / PROVIDERS.length;
const NEW_EACH = EACH / 100;
const PASS_MS = 30_000;
const CALL_MS = 100;
const CONFIG_MS = 20;
const AT_ONCE = 8;
/** EC2 by pages of a thousand, Compute Engine's three zones by pages of five hundred, Proxmox and Dicer at once. */
const FEWEST_CALLS = Math.ceil(EACH / 1_000) + 3 * Math.ceil(EACH / 3 / 500) + 1 + 1;
/**
 * The first look-up and session, and then the slowest of what has to be read: the pages of
 * GitHub's runners after the first eight at once, or the descriptions of as many machines on Proxmox.
 */
const READING_MS = Math.max(
  CALL_MS * (1 + Math.ceil((MACHINES / 100 - 1) / AT_ONCE)),
  CALL_MS + Math.ceil(EACH / AT_ONCE) * CONFIG_MS,
);
const FLOOR_MS = 2 * CALL_MS + READING_MS;

interface Restart {
  readonly adoptedMs: number;
  readonly adopted: number;
  readonly adoptedTwice: number;
  readonly changesBefore: number;
  readonly second: BackendCalls;
  readonly third: BackendCalls;
  /** How often a specification was looked at in a pass in which nothing had changed. */
  readonly specificationReads: number;
}

/** A daemon is started where an earlier one left ten thousand machines, all at work. */
const restart = oncePerRun(async (lab: Lab): Promise<Restart> => {
  const clock = newClock();
  const random = seededRandom(lab.seed);
  const fleet = standingFleet(random, MACHINES, SCALE_SETS);
  const github = new EngineGitHub(clock);
  const working = new Map<string, number>();
  const leave = (name: string, scaleSet: string): void => {
    github.leave(name, scaleSet, 'busy');
    working.set(scaleSet, (working.get(scaleSet) ?? 0) + 1);
  };
  for (const { name, labels } of [...fleet.machines.values()].flat()) leave(name, labels['rungar.sh/scale-set'] ?? '');
  for (const [scaleSet, jobs] of working) github.assign(scaleSet, jobs);
  const backends = await openBackends(clock, fleet, lab.seed);
  const specification = { reads: 0 };
  const watched = countingReads(specification);
  const world = openEngine(lab, {
    clock,
    github,
    scaleSets: fleet.scaleSets.map((set) => ({
      ...set,
      maxRunners: 2 * MACHINES,
      providers: set.providers.map((one) => ({ ...one, spec: watched })),
    })),
    providers: [...backends.providers].map(([name, provider]) => ({ name, provider })),
  });
  const adopted = new Map<string, number>();
  const others: EventAction[] = [];
  let lastAt = 0;
  world.reconciler.on('event', ({ action, name }) => {
    if (action !== 'adopted') return void others.push(action);
    adopted.set(name, (adopted.get(name) ?? 0) + 1);
    lastAt = clock.now();
  });
  const from = clock.now();
  const passed = async (): Promise<BackendCalls> => {
    const before = backends.calls();
    await clock.advance(PASS_MS);
    return difference(backends.calls(), before);
  };
  world.reconciler.start();
  await world.until(() => adopted.size === MACHINES, 100);
  const adoptedMs = lastAt - from;
  const changesBefore = backends.calls().changes + github.runnerCalls;
  // To the middle between two passes, so that each of the following measures one.
  await clock.advance(PASS_MS + PASS_MS / 2 - ((clock.now() - from) % PASS_MS));
  specification.reads = 0;
  const second = await passed();
  const specificationReads = specification.reads;
  const names = scaleSetNames(SCALE_SETS);
  for (const provider of PROVIDERS) {
    for (let at = 0; at < NEW_EACH; at++) {
      const machine = standingMachine(random, names[at % SCALE_SETS] ?? '');
      leave(machine.name, machine.labels['rungar.sh/scale-set'] ?? '');
      backends.add(provider, machine);
    }
  }
  const third = await passed();
  assert.equal(adopted.size, MACHINES + NEW_EACH * PROVIDERS.length, 'new machines are found');
  assert.equal(others.length, 0, 'nothing else is done');
  await world.stop();
  return {
    adoptedMs,
    adopted: adopted.size,
    adoptedTwice: [...adopted.values()].filter((times) => times > 1).length,
    changesBefore,
    second,
    third,
    specificationReads,
  };
});

function difference(after: BackendCalls, before: BackendCalls): BackendCalls {
  const entries = Object.entries(after) as [keyof BackendCalls, number][];
  return Object.fromEntries(entries.map(([name, count]) => [name, count - before[name]])) as BackendCalls;
}

const total = (calls: BackendCalls): number => Object.values(calls).reduce((sum, count) => sum + count, 0);

/** A specification that counts how often anything of it is looked at: no revision can be computed without that. */
function countingReads(count: { reads: number }): object {
  return new Proxy(
    { image: 'runner' },
    {
      get(target, key) {
        count.reads += 1;
        return Reflect.get(target, key) as unknown;
      },
      ownKeys(target) {
        count.reads += 1;
        return Reflect.ownKeys(target);
      },
    },
  );
}

export const passCalls: Benchmark = {
  id: 'P18',
  kind: 'virtual',
  what: `a pass over ${MACHINES.toLocaleString('en')} machines of ${SCALE_SETS} scale sets on four providers`,
  measurements: [
    {
      what: 'calls where nothing has changed ÷ one listing of each provider for all',
      async run(lab) {
        const ours = total((await restart(lab)).second);
        const ratio = ours / FEWEST_CALLS;
        return { ours, reference: FEWEST_CALLS, unit: 'calls', ratio, better: 'lower', target: 1, bar: 1.1 };
      },
    },
    {
      what: 'calls where one machine in a hundred is new ÷ the same and what those on Proxmox say of themselves',
      async run(lab) {
        const ours = total((await restart(lab)).third);
        const reference = FEWEST_CALLS + NEW_EACH;
        return { ours, reference, unit: 'calls', ratio: ours / reference, better: 'lower', target: 1, bar: 1.1 };
      },
    },
  ],
};

export const restarting: Benchmark = {
  id: 'P23',
  kind: 'virtual',
  what: `a start where ${MACHINES.toLocaleString('en')} machines stand`,
  measurements: [
    {
      what: 'all adopted ÷ sessions, and the slowest thing that has to be read',
      async run(lab) {
        const { adoptedMs: ours } = await restart(lab);
        const ratio = ours / FLOOR_MS;
        return { ours, reference: FLOOR_MS, unit: 'ms', ratio, better: 'lower', target: 1.05, bar: 1.15 };
      },
    },
    {
      what: 'machines made or deleted before, adopted twice, or missed',
      async run(lab) {
        const { adoptedTwice, changesBefore, adopted } = await restart(lab);
        const missed = MACHINES + NEW_EACH * PROVIDERS.length - adopted;
        const ours = adoptedTwice + changesBefore + missed;
        return { ours, reference: 0, unit: 'machines', ratio: ours, better: 'lower', target: 0, bar: 0 };
      },
    },
  ],
};

export const passRevisions: Benchmark = {
  id: 'P32',
  kind: 'virtual',
  what: 'a pass in which nothing has changed',
  measurements: [
    {
      what: 'looks at a specification, without which no revision can be computed',
      async run(lab) {
        const { specificationReads: ours } = await restart(lab);
        return { ours, reference: 0, unit: '', ratio: ours, better: 'lower', target: 0, bar: 0 };
      },
    },
  ],
};
