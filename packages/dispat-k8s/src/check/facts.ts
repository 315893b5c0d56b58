import type { DispatConfiguration, Written } from '../dispat-config/configuration.js';
import type { Durations } from '../plan/durations.js';
import type { Plan } from '../plan/parse-plan.js';
import type { ImageContents } from './image-contents.js';
import type { Resources } from './kube/resources.js';
import type { PoolFacts } from './pools/pool.js';
import type { Workload } from './pools/workload.js';

/** One node the orchestrator is told of. */
export interface LinkFact {
  readonly name: string;
  /** Nothing when the mailbox is the release's own remote. */
  readonly endpoint: string | undefined;
  /** Where it is written, unless it was a flag. */
  readonly written: Written<string> | undefined;
}

/** What the user said about the world around the manifests. */
export interface Surroundings {
  readonly releaseSecrets: readonly string[];
  readonly buildSecrets: readonly string[];
  readonly spotLabels: readonly string[];
  /** Cores of the machines the pods are for. */
  readonly machineCpu: number | undefined;
  /** How many machines there can be. */
  readonly machines: number | undefined;
  readonly releaseRemote: string | undefined;
  readonly imageContents: ImageContents | undefined;
  /** The cluster's version, such as `1.32`. */
  readonly kube: string | undefined;
  readonly karpenter: boolean;
  readonly policyElsewhere: boolean;
  /** Kinds that the manifests say nothing of, as their objects could not be listed. */
  readonly unlisted: readonly string[];
  readonly refsProtected: boolean;
}

/** Everything the rules look at. */
export interface Facts {
  readonly resources: Resources;
  readonly workloads: readonly Workload[];
  readonly pools: readonly PoolFacts[];
  readonly configuration: DispatConfiguration | undefined;
  /** Nothing when neither the configuration nor a flag names a node. */
  readonly links: readonly LinkFact[] | undefined;
  readonly plan: Plan | undefined;
  readonly durations: Durations | undefined;
  readonly surroundings: Surroundings;
}
