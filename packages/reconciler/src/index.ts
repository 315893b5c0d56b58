export type { PlannedChange } from './act/preview.js';
export type {
  LeavingFacts,
  LookUp,
  MachinePlace,
  Memory,
  Outcome,
  Replacement,
  RunnerFacts,
  Seen,
  SeenFleet,
  SeenGitHub,
  SeenMachine,
  SeenPart,
  SeenProvider,
} from './decide/facts.js';
export type { StatusChange } from './decide/github-status.js';
export type { Claimant, ExclusionKind, ProviderFacts } from './decide/placement.js';
export type { PassPlan, PlanItem } from './decide/plan.js';
export { type PassContext, planPass } from './decide/plan-pass.js';
export {
  type GiveBackFacts,
  type PlacementFacts,
  planScaling,
  type ScalingFacts,
  type ScalingPlan,
  type ScalingQuestion,
} from './decide/plan-scaling.js';
export type { Proof, ProofFact } from './decide/proof.js';
export type { UnsentCreation } from './decide/scale-down.js';
export type { Counts } from './decide/target.js';
export { explain } from './explain/explain.js';
export { jobSubject } from './explain/job-subject.js';
export { proofInWords } from './explain/proof-words.js';
export type {
  OutdatedRunner,
  PlanStep,
  ProviderVerdict,
  ScaleSetPlan,
  ScalingView,
} from './explain/scale-set-plan.js';
export type {
  ExplainFacts,
  JobSubject,
  Present,
  Story,
  StoryEntry,
  Subject,
  Teller,
} from './explain/story.js';
export type { ReconcilerState } from './lifecycle.js';
export type { EventListener, EventName, EventOf } from './listeners.js';
export type {
  FleetProviderOptions,
  ReconcilerOptions,
  Reconfiguration,
  ScaleSetOptions,
  ScaleSetProviderOptions,
} from './options.js';
export type {
  CounterName,
  FleetProvider,
  GaugeName,
  HistogramName,
  MetricLabels,
  Metrics,
} from './ports.js';
export { createReconciler, type EmbeddedReconciler, type Reconciler } from './reconciler.js';
export type {
  DecisionRecord,
  PassRecord,
  Recorder,
  ScalingRecord,
} from './record/entries.js';
export { type ReadLine, readRecordLine } from './record/read-line.js';
export { type Difference, replayRecord } from './record/replay.js';
export type {
  ProviderStatus,
  ReconcilerStatus,
  RunnersView,
  RunnerView,
  ScaleSetPhase,
  ScaleSetRemoval,
  ScaleSetStatus,
} from './status.js';
