import { limitTime, RungarError } from '@rungar/model';
import type { World } from '../command.js';
import type { StatusAnswer } from '../control/answers.js';
import { openSession } from '../control/session.js';
import { EXIT, ExitError, exitCodeFor } from '../exit.js';
import { providerStatus } from '../output/providers.js';
import { runnerState } from '../output/runners.js';
import { runnerTotal, scaleSetStatus } from '../output/scale-sets.js';
import { styleFor } from '../output/style.js';
import { plural, span } from '../output/words.js';
import { standingOf, type WaitKind } from './conditions.js';

/** What is waited for. */
export interface Awaited {
  readonly kind: WaitKind;
  readonly name: string;
  readonly condition: string;
  /** No limit unless given. */
  readonly timeoutMs?: number;
}

/** How often is looked. */
const LOOK_MS = 2_000;

/**
 * `rungar wait`. A daemon that is restarted meanwhile is waited for too.
 * @throws RungarError `not_found` when there is no such thing; ExitError 5 when the time is up, or a runner has gone
 */
export async function waitFor(awaited: Awaited, socketFlag: unknown, world: World): Promise<number> {
  const { clock, signal, stdout } = world;
  const { timeoutMs = Number.MAX_SAFE_INTEGER } = awaited;
  let last: StatusAnswer = {};
  using limit = limitTime(clock, timeoutMs, () => timeIsUp(awaited, last), signal);
  const session = openSession(socketFlag, world, limit.signal);
  let seenOn: string | undefined;
  for (let isFirst = true; ; isFirst = false) {
    const status = await session.ask('GetStatus').catch((error: unknown) => {
      if (isFirst || exitCodeFor(error) !== EXIT.noDaemon) throw error;
    });
    if (status) {
      last = status;
      const standing = standingOf(awaited, status, seenOn);
      if (standing.met) break;
      if (!standing.exists && awaited.condition !== 'gone') throw missing(awaited, isFirst);
      seenOn = standing.seenOn;
    }
    await clock.sleep(LOOK_MS, limit.signal);
  }
  stdout.write(`${awaited.name}: ${awaited.condition}\n`);
  return EXIT.done;
}

function timeIsUp({ name, condition, timeoutMs = 0, ...awaited }: Awaited, status: StatusAnswer): ExitError {
  const is = describe({ ...awaited, name }, status);
  return new ExitError(EXIT.refused, `${name} is not ${condition} after ${span(timeoutMs)}: it is ${is}`);
}

function missing({ kind, name, condition }: Awaited, isFirst: boolean): Error {
  const what = kind === 'scale-set' ? 'scale set' : kind;
  return isFirst
    ? new RungarError('not_found', `there is no ${what} "${name}"`)
    : new ExitError(EXIT.refused, `${what} "${name}" has gone, and will not be ${condition}`);
}

function describe({ kind, name }: Pick<Awaited, 'kind' | 'name'>, status: StatusAnswer): string {
  const plain = styleFor({ write: () => true }, {});
  const { scale_sets: scaleSets = [], providers = [], runners = [] } = status;
  switch (kind) {
    case 'scale-set': {
      const one = scaleSets.find((scaleSet) => scaleSet.name === name);
      if (!one) return 'LEFTOVER';
      const { word, note } = scaleSetStatus(one, plain);
      return `${word} with ${plural(runnerTotal(one), 'runner')}${note ? `; ${note}` : ''}`;
    }
    case 'provider':
      return providers.flatMap((one) => (one.name === name ? [providerStatus(one, plain)] : []))[0] ?? 'not there';
    case 'runner': {
      const runner = runners.find((one) => one.name === name);
      if (runner) return runnerState(runner.state);
      const unlisted = Object.keys(status.unreachable_providers ?? {});
      return unlisted.length > 0 ? `perhaps on ${unlisted.join(', ')}, not listed` : 'not there';
    }
  }
}
