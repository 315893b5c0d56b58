import type { KubeObject, Link, PoolOptions } from '../pool.js';
import type { InputProblem } from '../problems.js';

/** A pool's manifests and the orchestrator's half of the same decision. */
export interface GeneratedPool {
  /** In the order to apply them. */
  readonly objects: readonly KubeObject[];
  readonly links: readonly Link[];
  /** `sha256:` and 64 hex digits over the options. */
  readonly inputHash: string;
  readonly notices: readonly InputProblem[];
}

/** Makes the objects of a pool from checked options. */
export function generatePool(options: PoolOptions): GeneratedPool {
  throw new Error(`not yet: ${options.name}`);
}
