export type { CounterName, FleetProvider, GaugeName, HistogramName, MetricLabels, Metrics, ReconcilerOptions } from './ports.js';
export { createReconciler, type Reconciler } from './reconciler.js';
export type { ProviderStatus, RunnersView, RunnerView, ScaleSetPhase, ScaleSetStatus } from './status.js';
