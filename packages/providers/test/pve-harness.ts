import { setTimeout as pause } from 'node:timers/promises';
import {
  type EmulatedVm,
  type PveEmulator,
  type PveEmulatorOptions,
  startPveEmulator,
} from '@rungar/emulators/proxmox';
import { parseProxmoxDescription, toProxmoxDescription, toProxmoxTags } from '@rungar/labels';
import {
  type Clock,
  createRedactor,
  type MachineRequest,
  type OpenProvider,
  type ProviderContext,
  Secret,
  silentLogger,
  systemClock,
  systemRandom,
} from '@rungar/model';
import { checkProxmoxOnline } from '../src/proxmox/check-online.js';
import { openProxmoxWith, type Rhythm } from '../src/proxmox/provider.js';
import type { ProxmoxRunner, ProxmoxSettings } from '../src/proxmox/settings.js';
import { connectWithGot } from '../src/proxmox/transport.js';
import type { BackendMachine, ContractBackend, Fault, Harness } from '../src/testing/harness.js';
import { labelsOf } from './aws-builders.js';

const FOR_EVER = 1_000;
const LONGEST_PAUSE_MS = 3_000;
/** A cluster in a hurry, and a provider that looks often. */
const QUICK = { linkedCloneMs: 2, fullCloneMs: 4, startMs: 1, agentMs: 2, stopMs: 1, destroyMs: 1 };
const LIVELY: Rhythm = { taskPollMs: 2, firstPingMs: 2, pingMs: 2 };

/** An emulated cluster, and settings that open it. */
export interface PveWorld {
  readonly emulator: PveEmulator;
  readonly settings: ProxmoxSettings;
  open(more?: Partial<ProxmoxSettings>, context?: Partial<ProviderContext>): Promise<OpenProvider<ProxmoxRunner>>;
  close(): Promise<void>;
}

export async function startPveWorld(options: PveEmulatorOptions = {}): Promise<PveWorld> {
  const emulator = await startPveEmulator({ ...options, times: { ...QUICK, ...options.times } });
  const settings: ProxmoxSettings = {
    url: emulator.url,
    tokenId: emulator.token.id,
    tokenSecret: new Secret(emulator.token.secret),
    tls: { fingerprint: emulator.fingerprint.replaceAll(':', ''), insecureSkipVerify: false },
    nodes: [],
    timeoutMs: 10_000,
  };
  return {
    emulator,
    settings,
    open: (more = {}, context = {}) =>
      openProxmoxWith(connectWithGot, { ...settings, ...more }, { ...someContext(), ...context }, LIVELY),
    close: () => emulator.close(),
  };
}

/** Real time, in which no pause lasts: only what is a time limit is waited for. */
const hastyClock: Clock = {
  ...systemClock,
  sleep: (ms, signal) => systemClock.sleep(ms <= LONGEST_PAUSE_MS ? 2 : ms, signal),
};

export function someContext(): ProviderContext {
  return {
    name: 'rack',
    clock: hastyClock,
    random: systemRandom,
    logger: silentLogger,
    redactor: createRedactor(),
  };
}

export function someRunner(more: Partial<ProxmoxRunner> = {}): ProxmoxRunner {
  return {
    template: 9000,
    cores: 2,
    memory: 1024n ** 3n,
    fullClone: false,
    storage: '',
    pool: '',
    jitPath: '/run/rungar/jitconfig',
    ...more,
  };
}

export function someRequest(name = 'linux-00000001', spec: Partial<ProxmoxRunner> = {}): MachineRequest<ProxmoxRunner> {
  return { name, labels: labelsOf(name), jitConfig: new Secret('a-registration-good-once'), spec: someRunner(spec) };
}

/** The contract suite's backend over an emulated cluster. */
export async function startPveHarness(): Promise<Harness<ProxmoxRunner>> {
  const world = await startPveWorld();
  return {
    backend: backendOf(world.emulator),
    spec: someRunner(),
    open: ({ timeoutMs, redactor, logger }) => world.open({ timeoutMs }, { redactor, logger, clock: systemClock }),
    checkOnline: ({ timeoutMs, redactor, logger }) =>
      checkProxmoxOnline(
        connectWithGot,
        { ...world.settings, timeoutMs },
        [{ scaleSet: 'linux', spec: someRunner() }],
        { ...someContext(), redactor, logger },
        new AbortController().signal,
      ),
    close: () => world.close(),
  };
}

const OPERATIONS = { create: ['clone'], list: ['resources'], delete: ['resources', 'destroy'] } as const;

function backendOf(emulator: PveEmulator): ContractBackend {
  return {
    machines: async () => emulator.vms().map(toBackendMachine),
    addForeign: async (name, labels) =>
      toBackendMachine(
        emulator.addVm({
          name,
          tags: toProxmoxTags(labels),
          description: toProxmoxDescription(labels, new Date(0)),
        }),
      ),
    async deliveredJitConfig({ id }) {
      return emulator.vms().find(({ vmid }) => String(vmid) === id)?.delivered;
    },
    faults: {
      set(operation, fault) {
        for (const name of OPERATIONS[operation]) setFault(emulator, name, fault);
      },
      clear: () => emulator.clearFaults(),
      async met(operation) {
        while ((emulator.calls()[OPERATIONS[operation][0]] ?? 0) === 0) await pause(1);
      },
    },
  };
}

function toBackendMachine({ vmid, name, description }: EmulatedVm): BackendMachine {
  return { id: String(vmid), name: name ?? '', labels: parseProxmoxDescription(description)?.labels ?? {} };
}

const CONNECTION_FAULTS: Partial<Record<Fault, Omit<Parameters<PveEmulator['fault']>[0], 'operation'>>> = {
  lost_reply: { kind: 'lost' },
  lost_replies: { kind: 'lost', times: FOR_EVER },
  hang: { kind: 'hang', times: FOR_EVER },
  reset: { kind: 'reset', times: FOR_EVER },
  empty_answer: { kind: 'empty', times: FOR_EVER },
  html_answer: { kind: 'html', status: 200, times: FOR_EVER },
};

const REFUSALS: Partial<Record<Fault, { message: string; status?: number }>> = {
  full: { message: 'clone failed: write error: No space left on device' },
  refused: { message: 'Permission check failed (/vms/9000, VM.Clone)', status: 403 },
};

function setFault(emulator: PveEmulator, operation: string, fault: Fault): void {
  const ofConnection = CONNECTION_FAULTS[fault];
  const refusal = REFUSALS[fault];
  if (ofConnection) emulator.fault({ operation, ...ofConnection });
  else if (refusal) emulator.refuse(operation, { ...refusal, times: FOR_EVER });
  else for (let call = 0; call < FOR_EVER; call++) emulator.echoNextRequest(operation);
}
