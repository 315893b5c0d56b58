import { didYouMean, quoted } from '@rungar/model';
import type { Relation } from '../dispat-config/configuration.js';
import { type DispatConfiguration, settingsOf } from '../dispat-config/configuration.js';
import type { ProblemList } from '../problems.js';
import type { Durations } from './durations.js';
import type { Plan } from './parse-plan.js';
import type { TaskPolicy } from './task-policy.js';

/** What is told beside the files. Names are of packages or, where no package has them, of spaces. */
export interface PolicyOverrides {
  readonly relations?: ReadonlyMap<string, Relation>;
  /** The repository a package is published from; one for all where it is not told. */
  readonly repositories?: ReadonlyMap<string, string>;
  /** Whether providers that do not release are built once for their outputs. */
  readonly prepare?: boolean;
}

/** What the whole plan has in common where nothing is told. */
const ONE_REPOSITORY = 'the repository';

/** Puts together how each package's tasks depend on others, from its settings and from what overrides them. */
export function policiesOf(
  plan: Plan,
  configuration: DispatConfiguration | undefined,
  durations: Durations | undefined,
  overrides: PolicyOverrides,
): TaskPolicy[] {
  const named = <T>(
    values: ReadonlyMap<string, T> | undefined,
    name: string,
    space: string | undefined,
  ): T | undefined => values?.get(name) ?? (space === undefined ? undefined : values?.get(space));
  return plan.packages.map(({ name, space }) => {
    const settings = settingsOf(configuration, { name, space });
    const runOnly = settings.runOnly?.value ?? { build: 'both', publish: 'both' };
    return {
      relation: named(overrides.relations, name, space) ?? settings.isBuildWaitingPublish?.value ?? 'build',
      runOnly: settings.login === undefined ? runOnly : { ...runOnly, publish: 'orchestrator' },
      platforms: settings.buildPlatforms?.value,
      prepared: overrides.prepare === true || settings.buildOutputs !== undefined,
      repository: named(overrides.repositories, name, space) ?? ONE_REPOSITORY,
      weight: durations?.packages.get(name)?.weight ?? durations?.defaults.weight ?? 1,
    };
  });
}

/** Every name an override is for is a package or a space of the plan. */
export function checkOverrides(plan: Plan, overrides: PolicyOverrides, problems: ProblemList): void {
  const known = new Set(plan.packages.flatMap(({ name, space }) => (space === undefined ? [name] : [name, space])));
  const told = { relation: overrides.relations, repository: overrides.repositories };
  for (const [at, values] of Object.entries(told)) {
    for (const name of values?.keys() ?? []) {
      if (known.has(name)) continue;
      problems.add({
        code: 'OPTION_INVALID',
        at,
        found: `${quoted(name)}, which the plan does not have`,
        allowed: 'a package or a space of the plan',
        fix: didYouMean(name, known) ?? 'take it out',
      });
    }
  }
}

/** Every provider a package names is a package of the plan, and no package depends on itself. */
export function checkProviders(plan: Plan, file: string, problems: ProblemList): void {
  const known = new Set(plan.packages.map(({ name }) => name));
  for (const { name, dependsOn, line } of plan.packages) {
    for (const provider of dependsOn) {
      if (known.has(provider)) continue;
      problems.add({
        code: 'PLAN_UNKNOWN_PROVIDER',
        at: name,
        found: `the provider ${quoted(provider)}, which has no line in the plan`,
        allowed: 'packages of the same plan',
        fix: didYouMean(provider, known) ?? 'give the plan of the whole workspace',
        place: { file, line, column: 1 },
      });
    }
  }
}

/** What was taken for granted because no file and no flag says it. */
export function policyAssumptions(
  configuration: DispatConfiguration | undefined,
  overrides: PolicyOverrides,
  policies: readonly TaskPolicy[],
): string[] {
  const assumptions: string[] = [];
  if (configuration === undefined) {
    if (overrides.relations === undefined) {
      assumptions.push("every consumer's build waits for its providers' builds (isBuildWaitingPublish: false)");
    }
    assumptions.push(
      'every build may run on a worker and on the orchestrator, every publish runs on the orchestrator (runOnly: both)',
    );
    assumptions.push('every build may run on the platform of every worker (no buildPlatforms)');
    if (overrides.prepare !== true)
      assumptions.push('no provider that does not release is built for its outputs (no buildOutputs)');
  }
  if (overrides.repositories === undefined && policies.length > 1) {
    assumptions.push('all packages are published from one repository, one after another');
  }
  return assumptions;
}
