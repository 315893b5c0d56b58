import { strict as assert } from 'node:assert';
import { type Clock, type OpenProvider, RungarError } from '@rungar/model';
import { type FakeClock, fakeClock, seededRandom } from '@rungar/model/testing';
import { createReconciler, type EmbeddedReconciler, type ReconcilerOptions } from '@rungar/reconciler';
import type { Lab } from '../benchmark.js';
import { EngineGitHub } from './engine-github.js';
import { machineOf } from './simulated-provider.js';

export const INSTALLATION = 'gh-4e3651f01be5';
export const REVISION = 'c8641158c70e';
export const START_MS = 10_000;
const HOUR_MS = 3_600_000;

/** The real reconciler on a clock of its own, over a simulated GitHub and whatever providers it is given. */
export interface EngineWorld {
  readonly clock: FakeClock;
  readonly github: EngineGitHub;
  readonly reconciler: EmbeddedReconciler;
  /** Lets time pass until `done`, looking every `stepMs`. @throws after an hour of it */
  until(done: () => boolean, stepMs?: number): Promise<void>;
  stop(): Promise<void>;
}

export type EngineOptions = Pick<ReconcilerOptions, 'scaleSets' | 'providers'> & {
  readonly clock: FakeClock;
  readonly github?: EngineGitHub;
};

/** Makes one; nothing is served before it is started. */
export function openEngine(
  lab: Lab,
  { clock, github = new EngineGitHub(clock), ...fleet }: EngineOptions,
): EngineWorld {
  const reconciler = createReconciler({
    installation: INSTALLATION,
    github,
    hostname: 'bench',
    clock,
    random: seededRandom(lab.seed),
    ...fleet,
  });
  const until = async (done: () => boolean, stepMs = 10): Promise<void> => {
    const end = clock.now() + HOUR_MS;
    while (!done()) {
      assert(clock.now() < end, 'it takes longer than an hour');
      await clock.advance(stepMs);
    }
  };
  return {
    clock,
    github,
    reconciler,
    until,
    async stop() {
      let over = false;
      const stopping = reconciler.stop().then(() => {
        over = true;
      });
      await until(() => over);
      await stopping;
    },
  };
}

/** A scale set on some providers. */
export function scaleSetOn(
  name: string,
  maxRunners: number,
  providers: readonly string[],
  spec: unknown = {},
): ReconcilerOptions['scaleSets'][number] {
  return {
    name,
    maxRunners,
    startTimeoutMs: HOUR_MS,
    providers: providers.map((provider) => ({ name: provider, spec, revision: REVISION, size: '4 vCPU, 16 GiB' })),
  };
}

/** A clock to begin with. */
export const newClock = (): FakeClock => fakeClock();

/** A provider that takes every call and answers none. */
export function silentProvider(): OpenProvider {
  const never = (): Promise<never> => new Promise(() => {});
  return { list: never, create: never, delete: never, close: async () => {} };
}

export interface LimitedProvider extends OpenProvider {
  /** When each machine was there. */
  readonly madeAt: number[];
  /** When each creation was asked for. */
  readonly askedAt: number[];
  /** When it first said that it was full. */
  firstRefusalAt: number | undefined;
  /** Creations under way. */
  readonly underWay: ReadonlySet<{ readonly endsAt: number }>;
}

const CREATE_MS = 500;
const REFUSAL_MS = 100;

/** A provider with room for so many machines. It makes as many at once as it is asked for, and deletes none. */
export function limitedProvider(clock: Clock, room = Number.POSITIVE_INFINITY): LimitedProvider {
  const machines = new Map<string, ReturnType<typeof machineOf>>();
  const underWay = new Set<{ readonly endsAt: number }>();
  let taken = 0;
  const provider: LimitedProvider = {
    madeAt: [],
    askedAt: [],
    firstRefusalAt: undefined,
    underWay,
    async list(_selector, { signal }) {
      const begunAt = clock.now();
      await clock.sleep(100, signal);
      return { parts: [{ part: 'all', begunAt, machines: [...machines.values()] }] };
    },
    async create({ name, labels }) {
      provider.askedAt.push(clock.now());
      if (taken >= room) {
        await clock.sleep(REFUSAL_MS);
        provider.firstRefusalAt ??= clock.now();
        throw new RungarError('no_capacity', `there is room for ${room} machines`);
      }
      taken += 1;
      const creation = { endsAt: clock.now() + CREATE_MS };
      underWay.add(creation);
      await clock.sleep(CREATE_MS);
      underWay.delete(creation);
      const machine = machineOf(name, labels, clock.wallNow());
      machines.set(name, machine);
      provider.madeAt.push(clock.now());
      return machine;
    },
    delete: async ({ name }) => (machines.has(name) ? Promise.reject(new Error(`${name} is deleted`)) : 'absent'),
    close: async () => {},
  };
  return provider;
}
