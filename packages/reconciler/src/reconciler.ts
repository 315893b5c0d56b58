import type { ReconcilerOptions } from './ports.js';
import type { ProviderStatus, RunnersView, ScaleSetStatus } from './status.js';

/** A reconciler over one installation's scale sets. Nothing happens until {@link Reconciler.run}. */
export interface Reconciler {
  /**
   * Serves every scale set until `signal` aborts, then lets go: no new creation, sessions closed, runners left
   * where they are. One scale set's or provider's trouble never ends it.
   * @throws RungarError when GitHub refuses the credential at the start, twice 10 s apart (docs/concepts/states.md)
   */
  run(signal: AbortSignal): Promise<void>;
  /** In configured order. */
  scaleSets(): readonly ScaleSetStatus[];
  /** In configured order. */
  providers(): readonly ProviderStatus[];
  /** Lists every provider (or one) now, with GitHub's view. @throws RungarError `not_found` for an unknown provider */
  listRunners(filter: { scaleSet?: string; provider?: string }, signal: AbortSignal): Promise<RunnersView>;
  /** Takes no more jobs until resumed; busy runners finish. @throws RungarError `not_found` listing the known names */
  pause(scaleSet: string): ScaleSetStatus;
  resume(scaleSet: string): ScaleSetStatus;
}

export declare function createReconciler(options: ReconcilerOptions): Reconciler;
