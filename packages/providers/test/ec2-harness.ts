import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type Ec2Emulator,
  type Ec2EmulatorOptions,
  type EmulatedInstance,
  startEc2Emulator,
} from '@rungar/emulators/aws';
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
import { checkAwsOnline } from '../src/aws/check-online.js';
import { openAws } from '../src/aws/provider.js';
import type { AwsRunner, AwsSettings } from '../src/aws/settings.js';
import type { BackendMachine, ContractBackend, Fault, Harness } from '../src/testing/harness.js';
import { someRunner, someSettings } from './aws-builders.js';

const ACTIONS = { create: 'RunInstances', list: 'DescribeInstances', delete: 'TerminateInstances' } as const;
const GONE = ['shutting-down', 'terminated'];
const FOR_EVER = 1_000;

/** An emulated EC2 and a credentials file that opens it. */
export interface Ec2World {
  readonly emulator: Ec2Emulator;
  readonly settings: AwsSettings;
  readonly spec: AwsRunner;
  open(more?: Partial<AwsSettings>, context?: Partial<ProviderContext>): Promise<OpenProvider<AwsRunner>>;
  close(): Promise<void>;
}

export async function startEc2World(options: Ec2EmulatorOptions = {}): Promise<Ec2World> {
  const emulator = await startEc2Emulator(options);
  const folder = await mkdtemp(join(tmpdir(), 'rungar-aws-'));
  const credentialsFile = join(folder, 'credentials');
  await writeFile(credentialsFile, credentialsText(emulator.credentials));
  const settings = someSettings({
    region: emulator.region,
    subnets: emulator.catalogue.subnets.map((subnet) => subnet.id).slice(0, 2),
    endpointUrl: emulator.url,
    credentialsFile,
    profile: 'runners',
  });
  return {
    emulator,
    settings,
    spec: someRunner({ image: emulator.catalogue.images[0]?.id ?? '', instanceTypes: ['m6i.large', 'm5.large'] }),
    open: (more = {}, context = {}) => openAws({ ...settings, ...more }, { ...contextWith(systemClock), ...context }),
    async close() {
      await emulator.close();
      await rm(folder, { recursive: true });
    },
  };
}

export function contextWith(clock: Clock): ProviderContext {
  return { name: 'cloud', clock, random: systemRandom, logger: silentLogger, redactor: createRedactor() };
}

export function credentialsText(key: { readonly accessKeyId: string; readonly secretAccessKey: string }): string {
  return `[runners]\naws_access_key_id = ${key.accessKeyId}\naws_secret_access_key = ${key.secretAccessKey}\n`;
}

/** The instances that are not gone or going. */
export function living(emulator: Ec2Emulator): readonly EmulatedInstance[] {
  return emulator.instances().filter((instance) => !GONE.includes(instance.state));
}

/** The contract suite's backend over an emulated EC2. */
export async function startEc2Harness(): Promise<Harness<AwsRunner>> {
  const world = await startEc2World();
  return {
    backend: backendOf(world.emulator),
    spec: world.spec,
    open: ({ timeoutMs, redactor, logger }) => world.open({ timeoutMs }, { redactor, logger }),
    checkOnline: ({ timeoutMs, redactor, logger }) =>
      checkAwsOnline(
        { ...world.settings, timeoutMs },
        [{ scaleSet: 'linux', spec: world.spec }],
        { ...contextWith(systemClock), redactor, logger },
        new AbortController().signal,
      ),
    close: () => world.close(),
  };
}

function backendOf(emulator: Ec2Emulator): ContractBackend {
  return {
    machines: async () => living(emulator).map(toBackendMachine),
    addForeign: async (name, labels) =>
      toBackendMachine(emulator.addForeignInstance({ tags: { Name: name, ...labels } })),
    async deliveredJitConfig({ id }) {
      const script = emulator.instances().find((instance) => instance.id === id)?.userData ?? '';
      return /^export ACTIONS_RUNNER_INPUT_JITCONFIG='(.*)'$/m.exec(script)?.[1];
    },
    faults: {
      set: (operation, fault) => setFault(emulator, ACTIONS[operation], fault),
      clear: () => emulator.clearFaults(),
      async met(operation) {
        await vi.waitUntil(() => (emulator.stats().calls[ACTIONS[operation]] ?? 0) > 0, {
          timeout: 10_000,
          interval: 1,
        });
      },
    },
  };
}

function toBackendMachine({ id, name, tags }: EmulatedInstance): BackendMachine {
  const labels = Object.fromEntries(Object.entries(tags).filter(([key]) => key !== 'Name'));
  return { id, name, labels };
}

const CONNECTION_FAULTS: Partial<Record<Fault, Omit<Parameters<Ec2Emulator['fault']>[0], 'operation'>>> = {
  lost_reply: { kind: 'lost' },
  lost_replies: { kind: 'lost', times: FOR_EVER },
  hang: { kind: 'hang', times: FOR_EVER },
  reset: { kind: 'reset', times: FOR_EVER },
  empty_answer: { kind: 'empty', times: FOR_EVER },
  html_answer: { kind: 'html', status: 200, times: FOR_EVER },
};

const REFUSALS: Partial<Record<Fault, string>> = {
  full: 'InsufficientInstanceCapacity',
  refused: 'UnauthorizedOperation',
};

function setFault(emulator: Ec2Emulator, operation: string, fault: Fault): void {
  const ofConnection = CONNECTION_FAULTS[fault];
  const code = REFUSALS[fault];
  if (ofConnection) emulator.fault({ operation, ...ofConnection });
  else if (code) emulator.refuseNext(operation, code, FOR_EVER);
  else for (let call = 0; call < FOR_EVER; call++) emulator.echoNextRequest(operation);
}
