import { ignoresOf } from '../ignores.js';
import { type Found, forPools, PAGE, type Rule } from '../rule.js';

/** An ignore annotation that does not say why. */
export const IGNORE_RULE: Rule = {
  id: 'DWM000',
  severity: 'error',
  title: 'a reason for what is ignored',
  why: 'A finding somebody chose to live with is only as good as the reason given for it.',
  when: 'dispat.dev/ignore, on the workload or its pod template, has no dispat.dev/ignore-reason beside it, or names something that is no rule',
  fix: 'add dispat.dev/ignore-reason with the reason, and name rules by their ids',
  page: PAGE.job,
  find: forPools(function* (pool): Iterable<Found> {
    for (const { at, ids, reason } of ignoresOf(pool)) {
      if (reason === undefined)
        yield {
          at,
          message: `${ids.join(', ') || 'nothing'} is to be ignored, and no dispat.dev/ignore-reason says why`,
        };
      const strange = ids.filter((id) => !/^DWM[0-9]{3}$/.test(id));
      if (strange.length > 0) yield { at, message: `${strange.join(', ')} is no rule` };
    }
  }),
};

/** Where the engine tells which rules could not be applied. It finds nothing by itself. */
export const UNREAD_RULE: Rule = {
  id: 'DWM001',
  severity: 'info',
  title: 'what could not be checked',
  why: 'A rule that cannot see what it is about has not been passed.',
  when: 'something that rules need could not be read; once for each such thing, with the rules that need it',
  fix: "give what is missing (--dispat-config, --worker), or write the worker's settings where they can be read",
  page: PAGE.job,
  find: () => [],
};
