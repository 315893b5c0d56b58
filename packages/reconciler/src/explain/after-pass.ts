import type { Replacement, RunnerFacts } from '../decide/facts.js';
import { isConnected } from '../decide/facts.js';
import type { PassPlan } from '../decide/plan.js';

/** What is known once a pass has been carried out, as far as that goes without asking anybody. */
export interface AfterPass {
  readonly runners: ReadonlyMap<string, RunnerFacts>;
  readonly replacement: Replacement | undefined;
}

/** The runners as a pass would leave them, every removal having succeeded. */
export function afterPass(
  before: ReadonlyMap<string, RunnerFacts>,
  replacing: Replacement | undefined,
  plan: PassPlan,
): AfterPass {
  const runners = new Map(before);
  let replacement = replacing;
  const change = (name: string, facts: Partial<RunnerFacts>): void => {
    const runner = runners.get(name);
    if (runner) runners.set(name, { ...runner, ...facts });
  };
  for (const item of plan.items) {
    switch (item.do) {
      case 'note_status': {
        const state = item.to === 'busy' ? 'busy' : isConnected(item.to) ? 'idle' : undefined;
        const known = runners.get(item.runner);
        const moves = state === 'busy' || known?.state === 'starting';
        change(item.runner, { githubStatus: item.to, ...(state && moves && { state }) });
        break;
      }
      case 'note_machine':
        change(item.runner, {
          ...(item.missingSince !== undefined && { missingSince: item.missingSince }),
          ...(item.unknownSince !== undefined && { unknownSince: item.unknownSince }),
        });
        break;
      case 'adopt': {
        const { runner: name, place, twins, state, size, revision, createdAt } = item;
        const facts = { place, twins, state, size, revision, ...(createdAt !== undefined && { createdAt }) };
        runners.set(name, { name, ...facts, adopted: true, countedAt: plan.at, listed: true, removing: false });
        break;
      }
      case 'let_go':
      case 'write_off':
        runners.delete(item.runner);
        break;
      case 'remove':
        runners.delete(item.runner);
        if (!item.replacement) break;
        replacement =
          replacement?.old === item.runner || (item.reason !== 'outdated' && item.reason !== 'expired')
            ? undefined
            : { old: item.runner, reason: item.reason, removedFirst: true };
        break;
      case 'replace':
        replacement = { old: item.runner, reason: item.reason, removedFirst: false };
        break;
      case 'drop_replacement':
        replacement = undefined;
        break;
      // What these are about does not count, before or after.
      case 'adopt_ended':
      case 'settle':
      case 'delete':
      case 'delete_again':
      case 'remove_orphan':
      case 'wait':
        break;
    }
  }
  return { runners, replacement };
}
