import type { RunnerAnswer, RunnersAnswer } from '../control/answers.js';
import type { Session } from '../control/session.js';
import { plural } from '../output/words.js';
import { listRunners } from './runners.js';

/** Something whose last runner is waited for. */
export interface Emptying {
  readonly name: string;
  /** Whether a runner is one of its own. */
  has(runner: RunnerAnswer): boolean;
  /** Providers that may have some: while one of these cannot be listed, nobody knows. */
  readonly providers: readonly string[];
  /** What is said where idle runners do not go by themselves, and only such are left. */
  readonly idleStay?: string;
  /** What is said once none is left. */
  readonly done: string;
}

/** How often is looked. */
const LOOK_MS = 5_000;

/**
 * Waits until none of them has a runner on a machine, and says how many are left whenever that changes.
 * @throws the signal's reason; what was changed before stays so
 */
export async function waitUntilGone(emptying: readonly Emptying[], session: Session): Promise<void> {
  const { stdout, clock, signal } = session.world;
  const told = new Map<string, number>();
  const advised = new Set<string>();
  let waiting = emptying;
  for (;;) {
    const answer = await listRunners({}, session);
    waiting = waiting.filter((one) => {
      const unlisted = unlistedOf(one, answer);
      for (const [provider, why] of unlisted) {
        stdout.write(`${one.name}: ${provider} could not be listed, waiting: ${why}\n`);
      }
      const there = (answer.runners ?? []).filter((runner) => runner.provider && one.has(runner));
      const left = there.length;
      if (left > 0 && told.get(one.name) !== left) {
        stdout.write(`${one.name}: ${plural(left, 'runner')} left, waiting\n`);
        told.set(one.name, left);
      }
      const allIdle = left > 0 && there.every(({ state }) => state === 'RUNNER_STATE_IDLE');
      if (one.idleStay !== undefined && allIdle && !advised.has(one.name)) {
        stdout.write(`${one.name}: ${one.idleStay}\n`);
        advised.add(one.name);
      }
      const gone = left === 0 && unlisted.length === 0;
      if (gone) stdout.write(`${one.name}: ${one.done}\n`);
      return !gone;
    });
    if (waiting.length === 0) return;
    await clock.sleep(LOOK_MS, signal);
  }
}

function unlistedOf({ providers }: Emptying, { unreachable_providers: unreachable = {} }: RunnersAnswer) {
  return Object.entries(unreachable).filter(([provider]) => providers.includes(provider));
}
