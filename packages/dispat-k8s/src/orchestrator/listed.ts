import { readDispatConfiguration } from '../dispat-config/read.js';
import type { NamedText } from '../files.js';
import { linksOfPool } from '../generate/generate.js';
import type { PoolOptions } from '../pool.js';
import { ProblemList } from '../problems.js';

/**
 * Refuses a dispat configuration that lists workers which flags are about to name: dispat takes no name twice, letter
 * case aside.
 * @throws InputError `LINKS_LISTED_TWICE`, or what is wrong with the file
 */
export function refuseListedWorkers(options: PoolOptions, { name, text }: NamedText): void {
  const problems = new ProblemList();
  const { execution } = readDispatConfiguration(text, name, problems);
  const wanted = new Set(linksOfPool(options).map((link) => link.name.toLowerCase()));
  for (const { name: listed, place } of execution?.workers?.value ?? []) {
    if (listed === undefined || !wanted.has(listed.value.toLowerCase())) continue;
    problems.add({
      code: 'LINKS_LISTED_TWICE',
      at: name,
      found: `${listed.value} in execution.workers`,
      allowed: 'a worker in the file or among the flags, not in both',
      fix: 'take execution.workers out of the file, or use --as block',
      place,
    });
  }
  problems.throwIfAny();
}
