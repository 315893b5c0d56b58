import { RungarError } from '@rungar/model';
import type {
  PlannedChange,
  ProviderStatus,
  Reconciler,
  Reconfiguration,
  RunnersView,
  RunnerView,
  ScaleSetPlan,
  ScaleSetStatus,
} from '@rungar/reconciler';

export function scaleSetStatus(name: string, more: Partial<ScaleSetStatus> = {}): ScaleSetStatus {
  return {
    name,
    labels: [name],
    providers: ['rack-a'],
    placement: 'spread',
    runnerSizes: [{ provider: 'rack-a', size: '2 vCPU, 4 GiB' }],
    minRunners: 0,
    configuredMinRunners: 0,
    maxRunners: 4,
    priority: 0,
    runnerGroup: 'Default',
    phase: 'listening',
    phaseSince: Date.UTC(2027, 0, 4, 9, 0, 0),
    role: 'lead',
    paused: false,
    configuredPaused: false,
    runnerVersions: {},
    creating: 0,
    suspects: 0,
    holdingBackReason: '',
    waiting: [],
    waitingJobs: [],
    ...more,
  };
}

export function providerStatus(name: string, more: Partial<ProviderStatus> = {}): ProviderStatus {
  return {
    name,
    type: 'aws',
    endpoint: `aws:${name}`,
    weight: 1,
    maxRunners: 0,
    disabled: false,
    configuredDisabled: false,
    reachable: true,
    runnerCount: 0,
    scaleSets: [],
    slowed: [],
    undeletable: [],
    ...more,
  };
}

export function runnerView(name: string, more: Partial<RunnerView> = {}): RunnerView {
  return { name, scaleSet: 'birch-s', provider: 'rack-a', size: '', revision: '', adopted: false, ...more };
}

/** A reconciler that says what it was told to say. */
export interface FakeReconciler extends Reconciler {
  scaleSetStatuses: ScaleSetStatus[];
  providerStatuses: ProviderStatus[];
  view: RunnersView;
  /** What `run` waits for beside its signal; rejecting it makes `run` reject. */
  failRun(error: Error): void;
  /** Replaces `listRunners`, for what takes long or fails. */
  onListRunners: ((signal: AbortSignal) => Promise<RunnersView>) | undefined;
  readonly running: boolean;
  /** What it was told to go on with. */
  readonly applied: Reconfiguration[];
  /** What a plan was asked for. */
  readonly planned: [scaleSet: string, change: PlannedChange | undefined][];
}

export function scaleSetPlan(scaleSet: string, more: Partial<ScaleSetPlan> = {}): ScaleSetPlan {
  const at = Date.UTC(2027, 0, 4, 9, 0, 0);
  const nothing = { reasons: [], steps: [], placement: [], outdated: [] };
  return { scaleSet, at, phase: 'listening', paused: false, ...nothing, ...more };
}

export function fakeReconciler(): FakeReconciler {
  let running = false;
  let failRun = (_: Error): void => {};
  const paused = (name: string, is: boolean): ScaleSetStatus => {
    const at = fake.scaleSetStatuses.findIndex((status) => status.name === name);
    const status = fake.scaleSetStatuses[at];
    if (!status) throw new RungarError('not_found', `there is no scale set "${name}"`);
    const changed = { ...status, paused: is };
    fake.scaleSetStatuses[at] = changed;
    return changed;
  };
  const disabled = (name: string, is: boolean): ProviderStatus => {
    const at = fake.providerStatuses.findIndex((status) => status.name === name);
    const status = fake.providerStatuses[at];
    if (!status) throw new RungarError('not_found', `there is no provider "${name}"`);
    const changed = { ...status, disabled: is };
    fake.providerStatuses[at] = changed;
    return changed;
  };
  const fake: FakeReconciler = {
    scaleSetStatuses: [],
    providerStatuses: [],
    view: { runners: [], unreachable: {} },
    onListRunners: undefined,
    get running() {
      return running;
    },
    failRun: (error) => failRun(error),
    async run(signal) {
      running = true;
      await new Promise<void>((resolve, reject) => {
        failRun = reject;
        if (signal.aborted) resolve();
        signal.addEventListener('abort', () => resolve());
      }).finally(() => {
        running = false;
      });
    },
    applied: [],
    async apply(change) {
      fake.applied.push(change);
    },
    async reconcile(name) {
      const status = fake.scaleSetStatuses.find((one) => one.name === name);
      if (!status) throw new RungarError('not_found', `there is no scale set "${name}"`);
      return status;
    },
    async removeRunner(name) {
      const runner = fake.view.runners.find((one) => one.name === name);
      if (!runner) throw new RungarError('not_found', `there is no runner "${name}"`);
      return runner;
    },
    async removeScaleSet(name) {
      const removed = fake.view.runners.filter((one) => one.scaleSet === name);
      if (removed.length === 0) throw new RungarError('not_found', `there is no scale set "${name}"`);
      return { removed, busyLeft: 0 };
    },
    enableProvider: (name) => disabled(name, false),
    disableProvider: (name) => disabled(name, true),
    scaleSets: () => fake.scaleSetStatuses,
    providers: () => fake.providerStatuses,
    async listRunners({ scaleSet, provider }, signal) {
      if (fake.onListRunners) return fake.onListRunners(signal);
      const runners = fake.view.runners.filter(
        (runner) =>
          (scaleSet === undefined || runner.scaleSet === scaleSet) &&
          (provider === undefined || runner.provider === provider),
      );
      return { ...fake.view, runners };
    },
    pause: (name) => paused(name, true),
    resume: (name) => paused(name, false),
    planned: [],
    async plan(name, change) {
      fake.planned.push([name, change]);
      return scaleSetPlan(name);
    },
  };
  return fake;
}
