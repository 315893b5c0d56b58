export type {
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
export type { PassPlan, PlanItem } from './decide/plan.js';
export { type PassContext, planPass } from './decide/plan-pass.js';
export type {
  CounterName,
  FleetProvider,
  GaugeName,
  HistogramName,
  MetricLabels,
  Metrics,
  ReconcilerOptions,
} from './ports.js';
export { createReconciler, type Reconciler } from './reconciler.js';
export type { ProviderStatus, RunnersView, RunnerView, ScaleSetPhase, ScaleSetStatus } from './status.js';
