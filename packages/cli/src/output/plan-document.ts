import type { PlanAnswer, ScaleSetPlanAnswer } from '../control/answers.js';

/** What `rungar plan --json` prints. Zero values stay. */
export interface PlanDocument {
  readonly scale_sets: readonly PlannedScaleSet[];
  /** With `-f`: what is different in that configuration, as `rungar config diff --json` has it. */
  readonly changes: readonly PlannedChange[];
  /** Of those the keys that take a restart: `github.url`, `cloud.type`. */
  readonly needs_restart: readonly string[];
}

export interface PlannedScaleSet {
  readonly scale_set: string;
  /** `added` and `removed` only with `-f`. */
  readonly status: 'configured' | 'added' | 'removed';
  readonly phase: string;
  readonly paused: boolean;
  readonly time: string;
  readonly runner_counts: { readonly starting: number; readonly idle: number; readonly busy: number };
  /** What keeps it from doing more, in sentences. */
  readonly reasons: readonly string[];
  /** Null until GitHub has told a number of jobs. */
  readonly scaling: {
    readonly target: number;
    /** Runners and creations in progress. */
    readonly current: number;
    readonly able: number;
    readonly create: number;
    readonly give_back: number;
    readonly min_runners: number;
    readonly max_runners: number;
    readonly assigned_jobs: number;
    readonly why: string;
  } | null;
  /** In the order of trying; those that are not tried last, with rank 0. */
  readonly placement: readonly {
    readonly provider: string;
    readonly rank: number;
    /** `usable`, `disabled`, `unreachable`, `full`, `failing`, `slowed`, `held` or `at_limit`. */
    readonly verdict: string;
    readonly why: string;
    readonly runners: number;
    readonly max_runners: number;
    readonly weight: number;
  }[];
  readonly steps: readonly {
    readonly do: string;
    readonly runner: string;
    readonly provider: string;
    readonly what: string;
    readonly why: string;
    readonly facts: Readonly<Record<string, string>>;
  }[];
  /** Runners of another revision: idle ones are replaced in turn, busy ones end with their job. */
  readonly outdated: readonly {
    readonly runner: string;
    readonly provider: string;
    readonly state: 'starting' | 'idle' | 'busy';
    readonly old_revision: string;
    readonly new_revision: string;
  }[];
  readonly unreachable_providers: Readonly<Record<string, string>>;
}

export interface PlannedChange {
  readonly kind: string;
  readonly applies: 'reload' | 'restart';
  readonly scale_set?: string;
  readonly provider?: string;
  readonly key?: string;
  readonly from?: string;
  readonly to?: string;
  readonly old_revision?: string;
  readonly new_revision?: string;
  readonly keys?: readonly string[];
}

export function planDocument({ scale_sets: scaleSets = [], changes = [] }: PlanAnswer): PlanDocument {
  const planned = changes.map(
    ({ kind = '', applies, ...rest }): PlannedChange => ({
      kind,
      applies: applies === 'restart' ? 'restart' : 'reload',
      ...rest,
    }),
  );
  return { scale_sets: scaleSets.map(scaleSetOf), changes: planned, needs_restart: restartsOf(planned) };
}

function restartsOf(changes: readonly PlannedChange[]): readonly string[] {
  const restarts = changes.filter(({ applies }) => applies === 'restart');
  return [
    ...new Set(
      restarts.map(({ scale_set: scaleSet, provider, key, kind }) =>
        [scaleSet, provider, key ?? kind].filter((part) => part !== undefined).join('.'),
      ),
    ),
  ];
}

function scaleSetOf(plan: ScaleSetPlanAnswer): PlannedScaleSet {
  const { starting = 0, idle = 0, busy = 0 } = plan.runner_counts ?? {};
  const { status, scaling } = plan;
  return {
    scale_set: plan.scale_set ?? '',
    status: status === 'added' || status === 'removed' ? status : 'configured',
    phase: plan.phase ?? '',
    paused: plan.paused ?? false,
    time: plan.time ?? '',
    runner_counts: { starting, idle, busy },
    reasons: plan.reasons ?? [],
    scaling: scaling
      ? {
          target: scaling.target ?? 0,
          current: scaling.current ?? 0,
          able: scaling.able ?? 0,
          create: scaling.create ?? 0,
          give_back: scaling.give_back ?? 0,
          min_runners: scaling.min_runners ?? 0,
          max_runners: scaling.max_runners ?? 0,
          assigned_jobs: scaling.assigned_jobs ?? 0,
          why: scaling.why ?? '',
        }
      : null,
    placement: (plan.placement ?? []).map((one) => ({
      provider: one.provider ?? '',
      rank: one.rank ?? 0,
      verdict: one.verdict ?? '',
      why: one.why ?? '',
      runners: one.runners ?? 0,
      max_runners: one.max_runners ?? 0,
      weight: one.weight ?? 0,
    })),
    steps: (plan.steps ?? []).map((step) => ({
      do: step.do ?? '',
      runner: step.runner ?? '',
      provider: step.provider ?? '',
      what: step.what ?? '',
      why: step.why ?? '',
      facts: step.facts ?? {},
    })),
    outdated: (plan.outdated ?? []).map((one) => ({
      runner: one.runner ?? '',
      provider: one.provider ?? '',
      state: stateOf(one.state),
      old_revision: one.old_revision ?? '',
      new_revision: one.new_revision ?? '',
    })),
    unreachable_providers: plan.unreachable_providers ?? {},
  };
}

function stateOf(state: string | undefined): 'starting' | 'idle' | 'busy' {
  if (state === 'RUNNER_STATE_BUSY') return 'busy';
  return state === 'RUNNER_STATE_IDLE' ? 'idle' : 'starting';
}
