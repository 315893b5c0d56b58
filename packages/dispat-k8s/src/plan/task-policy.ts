import type { Relation, RunOnly } from '../dispat-config/configuration.js';

/** How a package's tasks depend on others, and where they may run. */
export interface TaskPolicy {
  readonly relation: Relation;
  readonly runOnly: RunOnly;
  /** Platforms its build may run on; nothing means any. */
  readonly platforms?: readonly string[] | undefined;
  /** Whether its build is needed by consumers even when it does not release. */
  readonly prepared: boolean;
  /** Publishes of one repository form one chain. */
  readonly repository: string;
  /** How much of the build budget its build takes. */
  readonly weight: number;
}
