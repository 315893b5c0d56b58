import type { CheckReport } from '../src/check/report/model.js';
import type { ApplyResult } from '../src/cluster/apply.js';
import type { FollowEvent } from '../src/cluster/follow.js';
import type { RemoveResult } from '../src/cluster/remove.js';
import type { WaitResult } from '../src/cluster/wait.js';
import type { Demand } from '../src/demand/classify.js';
import type { PoolChoices } from '../src/explain/choices.js';
import type { Explanation } from '../src/explain/explain.js';
import type { OrchestratorBlock } from '../src/orchestrator/block.js';
import type { SizeReport } from '../src/plan/size-report.js';
import type { KubeObject } from '../src/pool.js';
import type { InputProblem } from '../src/problems.js';

interface Manifests {
  readonly apiVersion: 'v1';
  readonly kind: 'List';
  readonly items: readonly KubeObject[];
}

/** What can be explained. */
interface Topics {
  readonly rules: readonly { readonly id: string; readonly title: string }[];
  readonly settings: readonly string[];
  readonly other: readonly string[];
}

interface Orchestrator extends OrchestratorBlock {
  /** With `--as flags` and `--as both`: the arguments of the release. */
  readonly flags?: readonly string[];
}

interface Apply extends ApplyResult {
  /** With `--wait`. */
  readonly wait?: WaitResult;
}

/**
 * What each command prints with `--format json`. The JSON Schemas in `schemas/` are made from it; `init` prints an
 * options file, whose schema is made from the options themselves.
 */
export interface Documents {
  readonly generate: Manifests;
  readonly orchestrator: Orchestrator;
  readonly check: CheckReport;
  readonly explain: Explanation | Topics | { readonly pools: readonly PoolChoices[] };
  readonly size: SizeReport;
  readonly demand: Demand;
  readonly apply: Apply;
  readonly wait: WaitResult;
  /** One line each. */
  readonly follow: FollowEvent;
  readonly delete: RemoveResult;
  /** On standard error, when an input is refused. */
  readonly problems: { readonly problems: readonly InputProblem[] };
}
