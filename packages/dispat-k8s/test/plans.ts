import type { Relation } from '../src/dispat-config/configuration.js';
import type { SizeInput } from '../src/plan/analyse.js';
import type { Plan } from '../src/plan/parse-plan.js';

/** A package of a plan under test: what it waits for, and its durations in seconds. */
export interface TestPackage {
  readonly name: string;
  readonly build?: number;
  readonly publish?: number;
  readonly on?: readonly string[];
  readonly relation?: Relation;
  /** Whether it releases; it does unless it says otherwise. */
  readonly releases?: boolean;
}

/** A plan of these packages, in this order. */
export function planOf(packages: readonly TestPackage[]): Plan {
  return {
    packages: packages.map(({ name, on = [], releases = true }, index) => ({
      name,
      space: undefined,
      state: releases ? 'changed' : 'unchanged',
      releases,
      dependsOn: on,
      line: index + 1,
    })),
    releasing: packages.filter(({ releases = true }) => releases).length,
    counted: true,
    skippedLines: 0,
  };
}

/** How to size these packages without overhead, start delay or help of the orchestrator. */
export function sizeInputOf(packages: readonly TestPackage[], more: Partial<SizeInput> = {}): SizeInput {
  const relations = packages.flatMap(({ name, relation }) => (relation ? [[name, relation] as const] : []));
  return {
    plan: planOf(packages),
    durations: {
      defaults: {},
      packages: new Map(
        packages.map(({ name, build = 1, publish = 0 }) => [
          name,
          { buildMs: Math.round(build * 1000), publishMs: Math.round(publish * 1000) },
        ]),
      ),
    },
    relations: new Map(relations),
    overheadMs: 0,
    localSlots: 0,
    ...more,
  };
}
