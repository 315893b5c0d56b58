import type {
  EventAnswer,
  ProviderAnswer,
  ProvidersAnswer,
  RunnersAnswer,
  ScaleSetAnswer,
  ScaleSetsAnswer,
  StatusAnswer,
} from '../src/control/answers.js';
import type { EventStatsDocument } from '../src/events/stats.js';
import type { TimelineDocument } from '../src/events/timeline.js';
import type { ChangesDocument } from '../src/fleet/change-state.js';
import type { ReconciledDocument } from '../src/fleet/reconcile.js';
import type { RunnersRemovedDocument } from '../src/fleet/remove-runners.js';
import type { ScaleSetRemovedDocument } from '../src/fleet/remove-scale-set.js';
import type { PlanDocument } from '../src/output/plan-document.js';
import type { ReplayDocument } from '../src/output/replay.js';
import type { StoryDocument } from '../src/output/story.js';
import type { TopDocument } from '../src/output/top-document.js';

/** The documents whose JSON Schemas are kept in `schemas/`, by command. */
export interface Documents {
  readonly status: StatusAnswer;
  readonly top: TopDocument;
  /** Of one line. */
  readonly events: EventAnswer;
  readonly 'events-stats': EventStatsDocument;
  readonly 'events-timeline': TimelineDocument;
  readonly reconcile: ReconciledDocument;
  readonly 'scale-sets-ls': ScaleSetsAnswer;
  readonly 'scale-sets-inspect': { readonly runners: RunnersAnswer; readonly scale_set: ScaleSetAnswer };
  readonly 'scale-sets-rm': ScaleSetRemovedDocument;
  readonly 'providers-ls': ProvidersAnswer;
  readonly 'providers-inspect': { readonly provider: ProviderAnswer; readonly runners: RunnersAnswer };
  readonly 'runners-ls': RunnersAnswer;
  readonly 'runners-rm': RunnersRemovedDocument;
  /** Of `scale-sets pause` and `resume`, and of `providers disable`, `drain` and `enable`. */
  readonly changes: ChangesDocument;
  readonly plan: PlanDocument;
  readonly explain: StoryDocument;
  readonly replay: ReplayDocument;
}
