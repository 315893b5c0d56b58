import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type DicerEmulator,
  type DicerEmulatorOptions,
  type EmulatedDicerInstance,
  startDicerEmulator,
} from '@rungar/emulators/dicer';
import { type OpenProvider, type ProviderContext, systemClock } from '@rungar/model';
import { vi } from 'vitest';
import { readAddress } from '../src/dicer/address.js';
import { checkDicer } from '../src/dicer/online.js';
import type { DicerRunner, DicerSettings, DicerTls } from '../src/dicer/settings.js';
import { openDicer } from '../src/dicer/type.js';
import type { BackendMachine, ContractBackend, Fault, Harness } from '../src/testing/harness.js';
import { someDicerRunner } from './dicer-builders.js';
import { contextWith } from './ec2-harness.js';

const METHODS = { create: 'CreateInstance', list: 'ListInstances', delete: 'DeleteInstance' } as const;
const FOR_EVER = 1_000;

/** An emulated Dicer host, and the settings that reach it. */
export interface DicerWorld {
  readonly dicer: DicerEmulator;
  readonly settings: DicerSettings;
  /** Where the files of `tls` are, and the socket. */
  readonly folder: string;
  open(more?: Partial<DicerSettings>, context?: Partial<ProviderContext>): Promise<OpenProvider<DicerRunner>>;
  close(): Promise<void>;
}

/** How the host is reached: over its socket, over TCP in the clear, or over TLS with client certificates. */
export type Way = 'socket' | 'tcp' | 'tls';

export async function startDicerWorld(way: Way, options: DicerEmulatorOptions = {}): Promise<DicerWorld> {
  const folder = await mkdtemp(join(tmpdir(), 'rungar-dicer-'));
  const dicer = await startDicerEmulator({
    ...(way === 'socket' && { socketPath: join(folder, 'dicer.sock') }),
    ...(way === 'tls' && { tls: {} }),
    ...options,
  });
  const tls = way === 'tls' ? await writeTlsFiles(dicer, folder) : undefined;
  const settings = settingsFor(dicer.address, { timeoutMs: 10_000, ...(tls && { tls }) });
  return {
    dicer,
    settings,
    folder,
    open: (more = {}, context = {}) => openDicer({ ...settings, ...more }, { ...contextWith(systemClock), ...context }),
    async close() {
      await dicer.close();
      await rm(folder, { recursive: true });
    },
  };
}

/** Settings for an address as an entry would have it. */
export function settingsFor(address: string, more: Partial<DicerSettings> = {}): DicerSettings {
  const read = readAddress(address);
  if ('want' in read) throw new Error(`${address} ${read.want}`);
  return { address, target: read.target, timeoutMs: 10_000, ...more };
}

/** Writes what the emulator lets in now, over what was there. */
export async function writeTlsFiles({ tls }: DicerEmulator, folder: string): Promise<DicerTls> {
  if (!tls) throw new Error('the emulator does not speak TLS');
  const file = (name: string): string => join(folder, name);
  await writeFile(file('ca.pem'), tls.ca);
  await writeFile(file('client.pem'), tls.cert);
  await writeFile(file('client.key'), tls.key);
  return { caFile: file('ca.pem'), pair: { certFile: file('client.pem'), keyFile: file('client.key') } };
}

/** The contract suite's backend over an emulated Dicer host. */
export function dicerHarness(way: Way): () => Promise<Harness<DicerRunner>> {
  return async () => {
    const world = await startDicerWorld(way);
    return {
      backend: backendOf(world.dicer),
      spec: someDicerRunner(),
      open: ({ timeoutMs, redactor, logger }) => world.open({ timeoutMs }, { redactor, logger }),
      checkOnline: ({ timeoutMs, redactor, logger }) =>
        checkDicer(
          { ...world.settings, timeoutMs },
          [{ scaleSet: 'linux', spec: someDicerRunner() }],
          { ...contextWith(systemClock), redactor, logger },
          new AbortController().signal,
        ),
      close: () => world.close(),
    };
  };
}

function backendOf(dicer: DicerEmulator): ContractBackend {
  return {
    machines: async () => dicer.instances().map(toBackendMachine),
    addForeign: async (name, labels) => toBackendMachine(dicer.addForeignInstance({ name, labels })),
    deliveredJitConfig: async ({ id }) =>
      dicer.instances().find((instance) => instance.id === id)?.env.ACTIONS_RUNNER_INPUT_JITCONFIG,
    faults: {
      set: (operation, fault) => setFault(dicer, METHODS[operation], fault),
      clear: () => dicer.clearFaults(),
      async met(operation) {
        const isMet = (): boolean => (dicer.stats().calls[METHODS[operation]] ?? 0) > 0;
        await vi.waitUntil(isMet, { timeout: 10_000, interval: 1 });
      },
    },
  };
}

function toBackendMachine({ id, name, labels }: EmulatedDicerInstance): BackendMachine {
  return { id, name, labels };
}

const CONNECTION_FAULTS: Partial<Record<Fault, Omit<Parameters<DicerEmulator['fault']>[0], 'operation'>>> = {
  lost_reply: { kind: 'lost' },
  lost_replies: { kind: 'lost', times: FOR_EVER },
  hang: { kind: 'hang', times: FOR_EVER },
  reset: { kind: 'reset', times: FOR_EVER },
  empty_answer: { kind: 'empty', times: FOR_EVER },
  html_answer: { kind: 'html', status: 200, times: FOR_EVER },
};

function setFault(dicer: DicerEmulator, operation: string, fault: Fault): void {
  const ofConnection = CONNECTION_FAULTS[fault];
  if (ofConnection) dicer.fault({ operation, ...ofConnection });
  else if (fault === 'echo') dicer.echoNextRequest(operation, FOR_EVER);
  else dicer.refuseNext(operation, fault === 'full' ? 'RESOURCE_EXHAUSTED' : 'INTERNAL', FOR_EVER);
}
