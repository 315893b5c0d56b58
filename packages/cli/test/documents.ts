import type { PlanDocument } from '../src/output/plan-document.js';
import type { ReplayDocument } from '../src/output/replay.js';
import type { StoryDocument } from '../src/output/story.js';

/** The documents whose JSON Schemas are kept in `schemas/`, by command. */
export interface Documents {
  readonly plan: PlanDocument;
  readonly explain: StoryDocument;
  readonly replay: ReplayDocument;
}
