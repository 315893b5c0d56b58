/** The control API's messages as its JSON form has them: docs/reference/control-api.md. What is zero is left out. */
export interface StatusAnswer {
  readonly daemon?: DaemonAnswer;
  readonly scale_sets?: readonly ScaleSetAnswer[];
  readonly providers?: readonly ProviderAnswer[];
  readonly runners?: readonly RunnerAnswer[];
  readonly unreachable_providers?: Readonly<Record<string, string>>;
}

export interface DaemonAnswer {
  readonly version?: string;
  readonly commit?: string;
  readonly start_time?: string;
  readonly config_file?: string;
  readonly installation?: string;
  readonly github?: {
    readonly url?: string;
    readonly scope?: string;
    readonly credentials?: string;
    readonly error?: string;
    readonly rate_limit?: { readonly limit?: number; readonly remaining?: number; readonly reset_time?: string };
    readonly token_expire_time?: string;
    readonly credential_expire_time?: string;
  };
  readonly events_error?: string;
}

export interface ScaleSetAnswer {
  readonly name?: string;
  readonly configured?: boolean;
  readonly labels?: readonly string[];
  readonly providers?: readonly string[];
  readonly placement?: string;
  readonly runner_sizes?: readonly { readonly provider?: string; readonly description?: string }[];
  readonly min_runners?: number;
  readonly max_runners?: number;
  readonly priority?: number;
  readonly phase?: string;
  readonly state_reason?: string;
  readonly state_since?: string;
  readonly retry_at?: string;
  readonly desired_runners?: number;
  readonly runner_counts?: { readonly starting?: number; readonly idle?: number; readonly busy?: number };
  readonly creating_runners?: number;
  readonly suspect_runners?: number;
  readonly assigned_jobs?: number;
  readonly waiting_jobs?: readonly WaitingJobAnswer[];
  readonly holding_back_reason?: string;
  readonly fleet_runners?: number;
  readonly runner_group?: string;
  readonly runs_on?: string;
  readonly github?: GitHubScaleSetAnswer;
  readonly paused?: boolean;
  readonly pause_reason?: string;
  readonly pause_until?: string;
  readonly pause_kept?: boolean;
  readonly role?: string;
  readonly session_since?: string;
  readonly machine_hours?: number;
  readonly runner_versions?: readonly {
    readonly version?: string;
    readonly runners?: number;
    readonly end_time?: string;
    readonly refused?: boolean;
  }[];
  readonly configured_paused?: boolean;
  readonly configured_min_runners?: number;
  readonly schedule?: {
    readonly time_zone?: string;
    readonly windows?: readonly {
      readonly days?: string;
      readonly from?: string;
      readonly to?: string;
      readonly min_runners?: number;
      readonly in_force?: boolean;
    }[];
  };
}

export interface WaitingJobAnswer {
  readonly id?: string;
  readonly repository?: string;
  readonly display_name?: string;
  readonly queue_time?: string;
}

export interface GitHubScaleSetAnswer {
  readonly found?: boolean;
  readonly error?: string;
  /** Digits. */
  readonly id?: string;
  readonly runner_group?: string;
  readonly labels?: readonly string[];
  readonly create_time?: string;
  readonly statistics?: {
    readonly assigned_jobs?: number;
    readonly running_jobs?: number;
    readonly registered_runners?: number;
    readonly busy_runners?: number;
    readonly idle_runners?: number;
  };
}

export interface ScaleSetsAnswer {
  readonly scale_sets?: readonly ScaleSetAnswer[];
  readonly unreachable_providers?: Readonly<Record<string, string>>;
}

export interface ProvidersAnswer {
  readonly providers?: readonly ProviderAnswer[];
}

export interface RunnersAnswer {
  readonly runners?: readonly RunnerAnswer[];
  readonly unreachable_providers?: Readonly<Record<string, string>>;
  readonly github_error?: string;
}

export interface ScaleSetRemovalAnswer {
  readonly removed?: readonly RunnerAnswer[];
  readonly busy_left?: number;
  /** Digits; absent while it is still at GitHub, or when GitHub had none. */
  readonly scale_set_id?: string;
}

export interface ProviderAnswer {
  readonly name?: string;
  readonly type?: string;
  readonly endpoint?: string;
  readonly weight?: number;
  readonly disabled?: boolean;
  readonly disable_reason?: string;
  readonly disable_until?: string;
  readonly disable_kept?: boolean;
  readonly machine_hours?: number;
  readonly configured_disabled?: boolean;
  readonly reachable?: boolean;
  readonly error?: string;
  readonly hold?: { readonly scale_set?: string; readonly priority?: number; readonly remaining?: string };
  readonly runner_count?: number;
  readonly max_runners?: number;
  readonly state_reason?: string;
  readonly state_since?: string;
  readonly retry_at?: string;
  readonly scale_sets?: readonly {
    readonly scale_set?: string;
    readonly backoff_for?: string;
    readonly full?: boolean;
    readonly refusals?: number;
    readonly refusal?: string;
  }[];
}

export interface RunnerAnswer {
  readonly name?: string;
  readonly scale_set?: string;
  readonly provider?: string;
  readonly state?: string;
  readonly machine_state?: string;
  readonly github_status?: string;
  readonly create_time?: string;
  readonly version?: string;
  readonly job?: {
    readonly id?: string;
    readonly repository?: string;
    readonly workflow_ref?: string;
    readonly display_name?: string;
    /** Digits. */
    readonly workflow_run_id?: string;
    readonly start_time?: string;
  };
}

export interface EventAnswer {
  readonly time?: string;
  readonly kind?: string;
  readonly name?: string;
  readonly action?: string;
  readonly scale_set?: string;
  readonly provider?: string;
  readonly message?: string;
  readonly attributes?: Readonly<Record<string, string>>;
}

export interface EventsAnswer {
  readonly events?: readonly EventAnswer[];
  readonly caught_up?: boolean;
}

export interface PlanAnswer {
  readonly scale_sets?: readonly ScaleSetPlanAnswer[];
  readonly changes?: readonly ConfigurationChangeAnswer[];
}

export interface ScaleSetPlanAnswer {
  readonly scale_set?: string;
  readonly time?: string;
  readonly status?: string;
  readonly phase?: string;
  readonly paused?: boolean;
  readonly reasons?: readonly string[];
  readonly scaling?: {
    readonly target?: number;
    readonly current?: number;
    readonly able?: number;
    readonly create?: number;
    readonly give_back?: number;
    readonly min_runners?: number;
    readonly max_runners?: number;
    readonly assigned_jobs?: number;
    readonly why?: string;
  };
  readonly placement?: readonly {
    readonly provider?: string;
    readonly rank?: number;
    readonly verdict?: string;
    readonly why?: string;
    readonly runners?: number;
    readonly max_runners?: number;
    readonly weight?: number;
  }[];
  readonly steps?: readonly PlanStepAnswer[];
  readonly outdated?: readonly {
    readonly runner?: string;
    readonly provider?: string;
    readonly state?: string;
    readonly old_revision?: string;
    readonly new_revision?: string;
  }[];
  readonly runner_counts?: { readonly starting?: number; readonly idle?: number; readonly busy?: number };
  readonly unreachable_providers?: Readonly<Record<string, string>>;
}

export interface PlanStepAnswer {
  readonly do?: string;
  readonly runner?: string;
  readonly provider?: string;
  readonly what?: string;
  readonly why?: string;
  readonly facts?: Readonly<Record<string, string>>;
}

export interface ConfigurationChangeAnswer {
  readonly kind?: string;
  readonly scale_set?: string;
  readonly provider?: string;
  readonly key?: string;
  readonly from?: string;
  readonly to?: string;
  readonly old_revision?: string;
  readonly new_revision?: string;
  readonly keys?: readonly string[];
  readonly applies?: string;
}

export interface ExplainAnswer {
  readonly kind?: string;
  readonly name?: string;
  readonly now?: readonly string[];
  readonly entries?: readonly {
    readonly time?: string;
    readonly by?: string;
    readonly about?: string;
    readonly text?: string;
    readonly facts?: Readonly<Record<string, string>>;
  }[];
  readonly left_out?: number;
}
