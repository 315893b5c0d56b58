import {
  type EmulatedGceInstance,
  type GceEmulator,
  type GceEmulatorOptions,
  startGceEmulator,
} from '@rungar/emulators/gcp';
import { parseGcpMetadata, toGcpLabels, toGcpMetadata } from '@rungar/labels';
import {
  type Clock,
  createRedactor,
  type OpenProvider,
  type ProviderContext,
  silentLogger,
  systemClock,
  systemRandom,
} from '@rungar/model';
import { vi } from 'vitest';
import { checkGcpOnline } from '../src/gcp/check-online.js';
import { openGcp } from '../src/gcp/provider.js';
import type { GcpRunner, GcpSettings } from '../src/gcp/settings.js';
import type { BackendMachine, ContractBackend, Fault, Harness, Operation } from '../src/testing/harness.js';
import { someRunner, someSettings } from './gcp-builders.js';

/** The methods that each call of a provider begins with. */
const METHODS: Readonly<Record<Operation, readonly string[]>> = {
  create: ['instances.insert'],
  list: ['instances.list', 'instances.aggregatedList'],
  delete: ['instances.get', 'instances.delete'],
};
const FOR_EVER = 1_000;

/** An emulated Compute Engine, and how to open a provider on it. */
export interface GceWorld {
  readonly emulator: GceEmulator;
  readonly settings: GcpSettings;
  open(more?: Partial<GcpSettings>, context?: Partial<ProviderContext>): Promise<OpenProvider<GcpRunner>>;
  close(): Promise<void>;
}

/** Operations take no time unless `options` say otherwise. */
export async function startGceWorld(options: GceEmulatorOptions = {}): Promise<GceWorld> {
  const emulator = await startGceEmulator({
    project: 'my-ci-project',
    ...options,
    times: { insertMs: 0, deleteMs: 0, setLabelsMs: 0, bootMs: 60_000, ...options.times },
  });
  const settings = someSettings({ endpointUrl: emulator.url });
  return {
    emulator,
    settings,
    open: (more = {}, context = {}) =>
      openGcp(
        { ...settings, ...more },
        {
          name: 'cloud',
          clock: systemClock,
          random: systemRandom,
          logger: silentLogger,
          redactor: createRedactor(),
          ...context,
        },
      ),
    close: () => emulator.close(),
  };
}

/** The most that {@link warmUp} may take on a busy machine. */
export const WARM_UP_MS = 120_000;

/** Loads Google's library and has it make its first call, which takes long, so that no test is held up by it. */
export async function warmUp(): Promise<void> {
  const world = await startGceWorld();
  const provider = await world.open();
  await provider.list({}, { signal: new AbortController().signal });
  await provider.close();
  await world.close();
}

/** The emulator's clock as one with the provider's, so that both stand still and go on together. */
export function emulatorClock(clock: Clock): NonNullable<GceEmulatorOptions['clock']> {
  return {
    now: () => clock.wallNow(),
    after(ms, run) {
      const stop = new AbortController();
      clock.sleep(ms, stop.signal).then(run, () => {});
      return () => stop.abort();
    },
  };
}

/** The instances that are not on their way out. */
export function living(emulator: GceEmulator): readonly EmulatedGceInstance[] {
  return emulator.instances().filter(({ going }) => !going);
}

/** The contract suite's backend over an emulated Compute Engine. */
export async function startGceHarness(): Promise<Harness<GcpRunner>> {
  const world = await startGceWorld();
  return {
    backend: backendOf(world.emulator),
    spec: someRunner(),
    open: ({ timeoutMs, redactor, logger }) => world.open({ timeoutMs }, { redactor, logger }),
    checkOnline: ({ timeoutMs, redactor, logger }) =>
      checkGcpOnline(
        { ...world.settings, timeoutMs },
        [{ scaleSet: 'linux', spec: someRunner() }],
        { name: 'cloud', clock: systemClock, random: systemRandom, redactor, logger },
        new AbortController().signal,
      ),
    close: () => world.close(),
  };
}

function backendOf(emulator: GceEmulator): ContractBackend {
  return {
    machines: async () => living(emulator).map(toBackendMachine),
    addForeign: async (name, labels) =>
      toBackendMachine(
        emulator.addForeignInstance({
          name,
          labels: toGcpLabels(labels),
          metadata: { 'rungar-labels': toGcpMetadata(labels) },
        }),
      ),
    deliveredJitConfig: async ({ id }) =>
      emulator.instances().find((instance) => instance.id === id)?.metadata['rungar-jitconfig'],
    faults: {
      set: (operation, fault) => {
        for (const method of METHODS[operation]) setFault(emulator, method, fault);
      },
      clear() {
        emulator.clearFaults();
        emulator.setStock({}, undefined);
      },
      async met(operation) {
        const called = (): boolean => METHODS[operation].some((method) => (emulator.stats().calls[method] ?? 0) > 0);
        await vi.waitUntil(called, { timeout: 10_000, interval: 1 });
      },
    },
  };
}

function toBackendMachine({ id, name, metadata }: EmulatedGceInstance): BackendMachine {
  return { id, name, labels: parseGcpMetadata(metadata['rungar-labels']) ?? {} };
}

const CONNECTION_FAULTS: Partial<Record<Fault, Omit<Parameters<GceEmulator['fault']>[0], 'operation'>>> = {
  lost_reply: { kind: 'lost' },
  lost_replies: { kind: 'lost', times: FOR_EVER },
  hang: { kind: 'hang', times: FOR_EVER },
  reset: { kind: 'reset', times: FOR_EVER },
  empty_answer: { kind: 'empty', times: FOR_EVER },
  html_answer: { kind: 'html', status: 200, times: FOR_EVER },
};

function setFault(emulator: GceEmulator, operation: string, fault: Fault): void {
  const ofConnection = CONNECTION_FAULTS[fault];
  if (ofConnection) emulator.fault({ operation, ...ofConnection });
  else if (fault === 'full') emulator.setStock({}, 0);
  else emulator.refuseNext(operation, { status: 403, reason: 'forbidden', echo: fault === 'echo' }, FOR_EVER);
}
