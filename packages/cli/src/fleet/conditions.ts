import type { ProviderAnswer, RunnerAnswer, ScaleSetAnswer, StatusAnswer } from '../control/answers.js';

/** What can be waited for. */
export type WaitKind = 'scale-set' | 'provider' | 'runner';

/** Something that will be so, and when it is. */
interface Condition<Subject> {
  /** Says it in words. */
  readonly says: string;
  met(subject: Subject, status: StatusAnswer): boolean;
}

/** What is waited for, as the status has it. */
interface ScaleSetNow {
  /** Absent for one that is not configured. */
  readonly configured: ScaleSetAnswer | undefined;
  /** Its runners on machines. */
  readonly runners: readonly RunnerAnswer[];
}

interface RunnerNow {
  readonly runner: RunnerAnswer | undefined;
  /** Where it was last seen, if it was. */
  readonly seenOn: string | undefined;
}

const SCALE_SET: Readonly<Record<string, Condition<ScaleSetNow>>> = {
  listening: { says: 'it takes jobs', met: ({ configured }) => isListening(configured) },
  paused: { says: 'it is paused', met: ({ configured }) => configured?.paused === true },
  ready: {
    says: 'it takes jobs, and as many runners are connected as it wants',
    met: ({ configured }) => isListening(configured) && connected(configured) >= (configured?.desired_runners ?? 0),
  },
  idle: {
    says: 'none of its runners is starting or has a job',
    met: ({ configured }) => configured !== undefined && unsettled(configured) === 0,
  },
  empty: {
    says: 'it has no runner left on any provider',
    met: ({ configured, runners }, status) =>
      runners.length === 0 && !configured?.creating_runners && areListed(configured?.providers, status),
  },
};

const PROVIDER: Readonly<Record<string, Condition<ProviderAnswer>>> = {
  reachable: { says: 'it answers', met: ({ reachable }) => reachable === true },
  enabled: { says: 'it is enabled', met: ({ disabled }) => disabled !== true },
  disabled: { says: 'it is disabled', met: ({ disabled }) => disabled === true },
  drained: {
    says: 'it is disabled and has no runner left',
    met: ({ reachable, disabled, runner_count: count = 0 }) => reachable === true && disabled === true && count === 0,
  },
  usable: {
    says: 'it answers, is enabled, held for nobody and skipped by nobody',
    met: ({ reachable, disabled, hold, scale_sets: uses = [] }) =>
      reachable === true && disabled !== true && !hold && !uses.some((use) => use.backoff_for),
  },
};

const RUNNER: Readonly<Record<string, Condition<RunnerNow>>> = {
  connected: { says: 'it is connected to GitHub', met: ({ runner }) => isIdle(runner) || isBusy(runner) },
  idle: { says: 'it is connected and has no job', met: ({ runner }) => isIdle(runner) },
  busy: { says: 'it has a job', met: ({ runner }) => isBusy(runner) },
  gone: {
    says: 'it is no more',
    met: ({ runner, seenOn }, status) =>
      runner === undefined && areListed(seenOn === undefined ? undefined : [seenOn], status),
  },
};

/** What can be waited for of each, and what that says. */
export const CONDITIONS: Readonly<Record<WaitKind, Readonly<Record<string, { readonly says: string }>>>> = {
  'scale-set': SCALE_SET,
  provider: PROVIDER,
  runner: RUNNER,
};

/** How it stands with a condition. */
export interface Standing {
  readonly met: boolean;
  /** Whether there is such a thing. */
  readonly exists: boolean;
  /** Where a runner is. */
  readonly seenOn: string | undefined;
}

/** @param seenOn where a runner was last seen */
export function standingOf(
  { kind, name, condition }: { readonly kind: WaitKind; readonly name: string; readonly condition: string },
  status: StatusAnswer,
  seenOn?: string,
): Standing {
  const { scale_sets: scaleSets = [], providers = [], runners = [] } = status;
  switch (kind) {
    case 'scale-set': {
      const now = {
        configured: scaleSets.find((one) => one.name === name && one.configured),
        runners: runners.filter((one) => one.scale_set === name && one.provider),
      };
      const exists = now.configured !== undefined || now.runners.length > 0;
      return { met: SCALE_SET[condition]?.met(now, status) === true, exists, seenOn };
    }
    case 'provider': {
      const provider = providers.find((one) => one.name === name);
      const met = provider !== undefined && PROVIDER[condition]?.met(provider, status) === true;
      return { met, exists: provider !== undefined, seenOn };
    }
    case 'runner': {
      const runner = runners.find((one) => one.name === name);
      const met = RUNNER[condition]?.met({ runner, seenOn }, status) === true;
      return { met, exists: runner !== undefined, seenOn: runner?.provider || seenOn };
    }
  }
}

function isListening(one: ScaleSetAnswer | undefined): boolean {
  return one?.phase === 'SCALE_SET_PHASE_LISTENING' && !one.paused;
}

function connected({ runner_counts: counts = {} }: ScaleSetAnswer = {}): number {
  return (counts.idle ?? 0) + (counts.busy ?? 0);
}

function unsettled({ runner_counts: counts = {}, creating_runners: creating = 0 }: ScaleSetAnswer): number {
  return (counts.starting ?? 0) + (counts.busy ?? 0) + creating;
}

function isIdle(runner: RunnerAnswer | undefined): boolean {
  return runner?.state === 'RUNNER_STATE_IDLE';
}

function isBusy(runner: RunnerAnswer | undefined): boolean {
  return runner?.state === 'RUNNER_STATE_BUSY';
}

/** Whether these providers, or all, could be listed: else nobody knows what is there. */
function areListed(
  providers: readonly string[] | undefined,
  { unreachable_providers: unreachable = {} }: StatusAnswer,
): boolean {
  return !Object.keys(unreachable).some((name) => providers === undefined || providers.includes(name));
}
