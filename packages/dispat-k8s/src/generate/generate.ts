import type { OptionsSource } from '../options/gather.js';
import { readPoolOptions } from '../options/read-options.js';
import type { PoolInput } from '../options/table.js';
import { type KubeObject, type Link, linksOf, type PoolOptions } from '../pool.js';
import type { InputProblem } from '../problems.js';
import { inputHash } from './labels.js';
import {
  configMapObject,
  disruptionBudget,
  namespaceObject,
  networkPolicy,
  serviceAccountObject,
} from './surroundings.js';
import { workload } from './workload.js';

/** A pool's manifests and the orchestrator's half of the same decision. */
export interface GeneratedPool {
  /** In the order to apply them. */
  readonly objects: readonly KubeObject[];
  readonly links: readonly Link[];
  /** `sha256:` and 64 hex digits over the options. */
  readonly inputHash: string;
}

/** {@link GeneratedPool}, and what came out of reading the options. */
export interface Generated extends GeneratedPool {
  readonly options: PoolOptions;
  /** Warnings and notes; there are no errors among them. */
  readonly notices: readonly InputProblem[];
}

/**
 * Makes the manifests of a worker pool. Equal options give equal objects.
 * @param input the options, as in the options file; `endpoint` and `image` are always needed
 * @throws InputError with every problem found
 */
export function generate(input: PoolInput): Generated {
  return generateFrom({ flags: input });
}

/**
 * The same, from an options file and flags.
 * @throws InputError with every problem found
 */
export function generateFrom(source: OptionsSource): Generated {
  const { options, notices } = readPoolOptions(source);
  return { ...generatePool(options), options, notices };
}

/** Makes the objects of a pool from checked options. */
export function generatePool(options: PoolOptions): GeneratedPool {
  const { pools, extras, createNamespace, serviceAccount, policyKind, pdb, configFrom } = options;
  const hash = inputHash(options);
  const objects = [
    ...(createNamespace && extras ? [namespaceObject(options)] : []),
    ...(serviceAccount === undefined ? [] : [serviceAccountObject(serviceAccount, options)]),
    ...(policyKind === 'none' ? [] : [networkPolicy(options)]),
    ...(pdb ? pools.map((pool) => disruptionBudget(pool, options)) : []),
    ...(configFrom === 'configmap' ? pools.map((pool) => configMapObject(pool, options)) : []),
    ...pools.map((pool) => workload(pool, options, hash)),
  ];
  return { objects, links: linksOfPool(options), inputHash: hash };
}

/** The orchestrator's list for these options. */
export function linksOfPool({ pools, endpoint, mailbox }: PoolOptions): Link[] {
  return linksOf(pools, mailbox === 'endpoint' ? endpoint : undefined);
}
