import type { DispatConfiguration } from '../dispat-config/configuration.js';
import { readDispatConfiguration } from '../dispat-config/read.js';
import { probablySameRepository, redactEndpoint } from '../endpoint.js';
import type { NamedText } from '../files.js';
import { linksOf, type PoolOptions } from '../pool.js';
import { preemptibleMarks } from '../preemptible.js';
import { type InputProblem, ProblemList } from '../problems.js';

/**
 * Holds a pool's options against the configuration of its orchestrator, for what the options alone cannot tell.
 * @returns warnings and notes
 * @throws InputError with what cannot be, and with what is wrong with the file
 */
export function compareWithConfiguration(options: PoolOptions, { name, text }: NamedText): readonly InputProblem[] {
  const problems = new ProblemList();
  const configuration = readDispatConfiguration(text, name, problems);
  refusePreemptiblePublishers(options, configuration, problems);
  refuseShortGrace(options, configuration, problems);
  compareEndpoints(options, configuration, problems);
  problems.throwIfAny();
  return problems.all;
}

/** A publish that is cut off has an unknown outcome, and leaves the release lock held. */
function refusePreemptiblePublishers(
  { nodeSelector, affinity, tolerations }: PoolOptions,
  { defaults, spaces, packages }: DispatConfiguration,
  problems: ProblemList,
): void {
  const scopes = [defaults, ...spaces.values(), ...packages.values()];
  const publisher = scopes.find(({ runOnly }) => runOnly?.value.publish === 'worker')?.runOnly;
  if (publisher === undefined) return;
  for (const { from, label, effect } of preemptibleMarks({ nodeSelector, affinity, tolerations })) {
    if (effect === 'excludes') continue;
    problems.add({
      code: 'OPTIONS_CONFLICT',
      at: from === 'toleration' ? 'tolerations' : from,
      found: `${label}, which ${effect === 'permits' ? 'permits' : 'asks for'} machines that may be taken away, and a publish on workers`,
      allowed: 'one of them: a publish that is cut off leaves the release lock held until a person has looked',
      fix: 'take it out, or set runOnly: [both, orchestrator]',
      place: publisher.place,
    });
  }
}

function refuseShortGrace(
  { gracePeriod }: PoolOptions,
  { execution }: DispatConfiguration,
  problems: ProblemList,
): void {
  const task = execution?.timeouts.task;
  if (task === undefined || task.value <= gracePeriod) return;
  problems.add({
    code: 'GRACE_TOO_SHORT',
    at: 'gracePeriod',
    found: `${gracePeriod} s, for a task timeout of ${task.value} s in the configuration`,
    allowed: 'at least the task timeout: a shorter grace period kills a task with its pod',
    fix: `write taskTimeout ${task.value}`,
    place: task.place,
  });
}

/** Endpoints are compared as text, because dispat keys its caches by the text. */
function compareEndpoints(options: PoolOptions, { execution }: DispatConfiguration, problems: ProblemList): void {
  const own = new Set(linksOf(options.pools, undefined).map((link) => link.name));
  const told = new Set<string>();
  for (const { name, endpoint, place } of execution?.workers?.value ?? []) {
    if (name === undefined || endpoint === undefined || !own.has(name.value) || told.has(endpoint.value)) continue;
    told.add(endpoint.value);
    if (endpoint.value === options.endpoint) continue;
    const isSame = probablySameRepository(endpoint.value, options.endpoint);
    problems.add({
      code: 'OPTION_QUESTIONABLE',
      severity: isSame ? 'info' : 'warning',
      at: 'endpoint',
      found: `${redactEndpoint(options.endpoint)}, and ${redactEndpoint(endpoint.value)} for ${name.value} in the configuration${isSame ? ': probably the same repository' : ''}`,
      allowed: 'one endpoint, letter for letter: work is left where the node does not look',
      fix: 'write the same text on both sides',
      place,
    });
  }
}
