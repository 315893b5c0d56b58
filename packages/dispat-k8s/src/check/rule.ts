import type { Place } from '@rungar/model';
import type { Facts } from './facts.js';
import type { Resource } from './kube/resource.js';
import type { KubeValue } from './kube/value.js';
import type { PoolFacts } from './pools/pool.js';

/** How bad a finding can be, the worst first. */
export const SEVERITIES = ['error', 'warning', 'info'] as const;

/** How bad a finding is. */
export type Severity = (typeof SEVERITIES)[number];

/** The chapters of docs/dispat-workers.md that rules come from. */
export const PAGE = {
  fits: 'What fits',
  fitsNot: 'What does not fit',
  size: 'How large a pool is worth having',
  job: 'One Indexed Job per release',
  secrets: 'Secrets and isolation',
  limits: 'What dispat does not do',
  embedding: 'How the configuration gets into the pod',
} as const;

/** A chapter of docs/dispat-workers.md. */
export type Page = (typeof PAGE)[keyof typeof PAGE];

/** Something a rule found. */
export interface Hit {
  /** What is there and what it leads to, in a sentence or two without a full stop at the end. */
  readonly message: string;
  /** The rule's own unless this one is worse or milder. */
  readonly severity?: Severity;
  /** The rule's own unless a better one is known here. */
  readonly fix?: string;
  readonly pool?: PoolFacts;
  /** The object at fault; the pool's without it. */
  readonly resource?: Resource;
  /** The field at fault, there or not. */
  readonly at?: KubeValue;
  /** Where it stands, when that is no object: in the dispat configuration. */
  readonly place?: Place;
}

/** A rule could not be applied: that is told, and never counts as a pass. */
export interface Unknown {
  /** What could not be read, in words that follow "could not read". */
  readonly unknown: string;
  readonly pool?: PoolFacts;
}

/** What a rule has to say: that something is wrong, or that it could not tell. */
export type Found = Hit | Unknown;

/** One rule, as data: it drives the check, `explain`, SARIF's list of rules and the reference page. */
export interface Rule {
  readonly id: `DWM${number}`;
  readonly severity: Severity;
  /** The other severities it may have, where its cases differ. */
  readonly otherwise?: readonly Severity[];
  /** A few words. */
  readonly title: string;
  /** Why it matters: a sentence or two. */
  readonly why: string;
  /** When it speaks, in words. */
  readonly when: string;
  /** What to do. */
  readonly fix: string;
  readonly page: Page;
  /** All that it finds. Pure; an empty answer means that nothing is wrong. */
  find(facts: Facts): Iterable<Found>;
}

/** Applies to each pool by itself; what it finds belongs to that pool. */
export function forPools(find: (pool: PoolFacts, facts: Facts) => Iterable<Found>): Rule['find'] {
  return function* (facts) {
    for (const pool of facts.pools) {
      for (const found of find(pool, facts)) yield { pool, ...found };
    }
  };
}

/**
 * The same, with something worked out once for all pools: what looks at each pool must not look through all of them.
 * @param prepare works it out
 */
export function forPoolsWith<Prepared>(
  prepare: (facts: Facts) => Prepared,
  find: (pool: PoolFacts, prepared: Prepared, facts: Facts) => Iterable<Found>,
): Rule['find'] {
  return function* (facts) {
    const prepared = prepare(facts);
    yield* forPools((pool) => find(pool, prepared, facts))(facts);
  };
}

/** A few of the names, and how many more there are. */
export function someOf(names: readonly string[], most = 5): string {
  const shown = names.slice(0, most).join(', ');
  return names.length > most ? `${shown} and ${names.length - most} more` : shown;
}
