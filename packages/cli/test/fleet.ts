import type { ServerResponse } from 'node:http';
import type {
  ProviderAnswer,
  RunnerAnswer,
  RunnersAnswer,
  ScaleSetAnswer,
  StatusAnswer,
} from '../src/control/answers.js';
import { type Asked, type FakeDaemon, fakeDaemon, json } from './fake-daemon.js';

/** What a fake daemon has; a test changes it as the real one would. */
export interface Fleet {
  scaleSets: ScaleSetAnswer[];
  providers: ProviderAnswer[];
  runners: RunnerAnswer[];
  unreachable: Record<string, string>;
  githubError: string;
}

/** A method's own answer, in place of the usual one. */
export type Handler = (body: Readonly<Record<string, unknown>>, asked: Asked) => unknown;

/** What a daemon refuses with. */
export class Refusal {
  constructor(
    readonly code: string,
    readonly message: string,
  ) {}
}

/** A daemon that answers every method for `fleet`, and changes it. */
export async function fleetDaemon(
  fleet: Fleet,
  handlers: Readonly<Record<string, Handler>> = {},
): Promise<FakeDaemon & { methods(): string[]; bodies(method: string): unknown[] }> {
  const usual = methodsOf(fleet);
  const daemon = await fakeDaemon((asked: Asked, response: ServerResponse) => {
    const handle = handlers[asked.method] ?? usual[asked.method];
    const body = JSON.parse(asked.body.toString()) as Record<string, unknown>;
    const answer = handle?.(body, asked) ?? new Refusal('unimplemented', `no ${asked.method}`);
    if (answer instanceof Refusal) json({ code: answer.code, message: answer.message }, 400)(asked, response);
    else json(answer)(asked, response);
  });
  return {
    ...daemon,
    methods: () => daemon.asked.map(({ method }) => method),
    bodies: (method) =>
      daemon.asked.filter((one) => one.method === method).map(({ body }) => JSON.parse(body.toString()) as unknown),
  };
}

function methodsOf(fleet: Fleet): Record<string, Handler> {
  const runnersOf = ({ scale_set: scaleSet, provider }: Readonly<Record<string, unknown>>): RunnersAnswer => ({
    runners: fleet.runners.filter(
      (one) =>
        (scaleSet === undefined || one.scale_set === scaleSet) && (provider === undefined || one.provider === provider),
    ),
    ...(Object.keys(fleet.unreachable).length > 0 && { unreachable_providers: fleet.unreachable }),
    ...(fleet.githubError !== '' && { github_error: fleet.githubError }),
  });
  const setScaleSet = (name: unknown, more: Partial<ScaleSetAnswer>): ScaleSetAnswer | undefined => {
    fleet.scaleSets = fleet.scaleSets.map((one) => (one.name === name ? { ...one, ...more } : one));
    return fleet.scaleSets.find((one) => one.name === name);
  };
  const setProvider = (name: unknown, more: Partial<ProviderAnswer>): ProviderAnswer | undefined => {
    fleet.providers = fleet.providers.map((one) => (one.name === name ? { ...one, ...more } : one));
    return fleet.providers.find((one) => one.name === name);
  };
  return {
    GetStatus: (): StatusAnswer => ({
      ...{ scale_sets: fleet.scaleSets, providers: fleet.providers, runners: fleet.runners },
      ...(Object.keys(fleet.unreachable).length > 0 && { unreachable_providers: fleet.unreachable }),
    }),
    ListScaleSets: () => ({ scale_sets: fleet.scaleSets, unreachable_providers: fleet.unreachable }),
    GetScaleSet: ({ name }) =>
      fleet.scaleSets.find((one) => one.name === name) ?? new Refusal('not_found', `there is no scale set "${name}"`),
    ListProviders: () => ({ providers: fleet.providers }),
    GetProvider: ({ name }) =>
      fleet.providers.find((one) => one.name === name) ?? new Refusal('not_found', `there is no provider "${name}"`),
    ListRunners: runnersOf,
    RemoveRunner({ name }) {
      const runner = fleet.runners.find((one) => one.name === name);
      if (!runner) return new Refusal('not_found', `there is no runner "${name}"`);
      if (runner.state === 'RUNNER_STATE_BUSY') return new Refusal('failed_precondition', 'it has a job');
      fleet.runners = fleet.runners.filter((one) => one !== runner);
      return runner;
    },
    PauseScaleSet: ({ name }) => setScaleSet(name, { paused: true }),
    ResumeScaleSet: ({ name }) => setScaleSet(name, { paused: false }),
    DisableProvider: ({ name }) => setProvider(name, { disabled: true }),
    EnableProvider: ({ name }) => setProvider(name, { disabled: false }),
    Reconcile: ({ scale_sets: names }) => ({
      scale_sets: fleet.scaleSets.filter(
        ({ name }) => !Array.isArray(names) || names.length === 0 || names.includes(name),
      ),
    }),
  };
}

/** A fleet in which something of everything goes on. */
export function busyFleet(): Fleet {
  return {
    scaleSets: [
      {
        name: 'birch-s',
        configured: true,
        machine_hours: 12.5,
        runner_versions: [{ version: '2.337.0', runners: 3, end_time: '2027-03-20T10:00:00Z' }],
        labels: ['birch-s', 'quick'],
        providers: ['rack-a', 'rack-b'],
        placement: 'pack',
        runner_sizes: [{ provider: 'rack-a', description: '2 vCPU, 4 GiB' }],
        min_runners: 1,
        max_runners: 12,
        runner_group: 'Default',
        runs_on: 'birch-s',
        phase: 'SCALE_SET_PHASE_LISTENING',
        desired_runners: 3,
        runner_counts: { idle: 2, busy: 1 },
        fleet_runners: 3,
        github: {
          found: true,
          id: '31',
          runner_group: 'Default',
          labels: ['birch-s', 'quick'],
          create_time: '2026-11-20T09:00:00Z',
          statistics: { assigned_jobs: 1, running_jobs: 1, registered_runners: 3, busy_runners: 1, idle_runners: 2 },
        },
        schedule: {
          time_zone: 'Europe/Oslo',
          windows: [{ days: 'mon-fri', from: '07:00', to: '18:00', min_runners: 1, in_force: true }],
        },
      },
      {
        name: 'birch-xl',
        configured: true,
        labels: ['birch-xl'],
        providers: ['rack-b'],
        max_runners: 2,
        paused: true,
        phase: 'SCALE_SET_PHASE_LISTENING',
        github: { error: 'no <answer> & none' },
      },
      {
        name: 'birch-old',
        fleet_runners: 1,
        github: { found: true, id: '18', runner_group: 'Default' },
      },
    ],
    providers: [
      {
        name: 'rack-a',
        type: 'proxmox',
        endpoint: 'proxmox:https://pve.fernhill.example:8006',
        weight: 1,
        reachable: true,
        runner_count: 3,
        max_runners: 16,
        scale_sets: [{ scale_set: 'birch-s' }],
      },
      {
        name: 'rack-b',
        type: 'dicer',
        machine_hours: 2.25,
        weight: 0.5,
        reachable: true,
        disabled: true,
        runner_count: 2,
        scale_sets: [
          { scale_set: 'birch-s', backoff_for: '60s', refusals: 3, refusal: 'no such kernel' },
          { scale_set: 'birch-xl' },
        ],
      },
    ],
    runners: [
      {
        name: 'birch-old-1234abcd',
        scale_set: 'birch-old',
        provider: 'rack-b',
        machine_state: 'MACHINE_STATE_STOPPED',
        create_time: '2027-02-01T11:12:40Z',
      },
      {
        name: 'birch-s-0a1b2c3d',
        scale_set: 'birch-s',
        provider: 'rack-a',
        state: 'RUNNER_STATE_BUSY',
        machine_state: 'MACHINE_STATE_RUNNING',
        github_status: 'RUNNER_GITHUB_STATUS_BUSY',
        create_time: '2027-02-03T11:06:00Z',
        version: '2.337.0',
        job: {
          id: '4f',
          repository: 'fernhill/site',
          display_name: 'unit tests',
          workflow_ref: 'fernhill/site/.github/workflows/ci.yml@refs/heads/main',
          workflow_run_id: '9001',
          start_time: '2027-02-03T11:07:00Z',
        },
      },
      {
        name: 'birch-s-77aa00ee',
        scale_set: 'birch-s',
        provider: 'rack-a',
        state: 'RUNNER_STATE_IDLE',
        machine_state: 'MACHINE_STATE_RUNNING',
        github_status: 'RUNNER_GITHUB_STATUS_IDLE',
        create_time: '2027-02-03T10:32:40Z',
      },
    ],
    unreachable: {},
    githubError: '',
  };
}
