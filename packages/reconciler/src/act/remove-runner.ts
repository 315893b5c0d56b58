import type { LossReason, RemovalReason } from '@rungar/model';
import type { Outcome } from '../decide/facts.js';
import type { Proof } from '../decide/proof.js';
import { noteMisfortune } from './misfortune.js';
import { unregister } from './registration.js';
import type { Runner } from './runners.js';
import type { ScaleSet } from './scale-set.js';
import { beginDeletion, setOutcome } from './settle.js';

export interface RemovalOrder {
  readonly reason: RemovalReason;
  readonly proof: Proof;
  /** The machine goes whatever GitHub says of the registration. */
  readonly force?: boolean;
  /** Its machine is gone from every listing: what is removed is recorded as lost. */
  readonly lost?: LossReason;
}

export type RemovalResult =
  /** It no longer counts; its machine is being deleted. */
  | 'let_go'
  /** GitHub has given it a job: it stays. */
  | 'busy'
  /** GitHub did not say: it stays, and is tried again. */
  | 'failed'
  /** It had left already, or the session has ended meanwhile. */
  | 'gone';

/**
 * Removes a runner the safe way round: its registration first, so that it can get no job, and its machine second.
 * Resolves once it is let go, or not; the machine's end is not waited for.
 */
export function removeRunner(set: ScaleSet, name: string, order: RemovalOrder): Promise<RemovalResult> {
  const leaving = set.book.leaving.get(name);
  if (leaving) setOutcome(set, leaving, { kind: 'removed', reason: order.reason, proof: order.proof });
  const runner = set.book.runners.get(name);
  if (!runner || !set.canAct) return Promise.resolve('gone');
  if (runner.state === 'busy' && !order.force) {
    if (order.reason !== 'job_completed') return Promise.resolve('busy');
    letGo(set, runner, order);
    return Promise.resolve('let_go');
  }
  if (runner.removing && !order.force) return Promise.resolve('gone');
  runner.removing = true;
  const removal = removeRegistered(set, runner, order, set.epoch);
  runner.removal = removal;
  set.track(removal);
  return removal;
}

async function removeRegistered(
  set: ScaleSet,
  runner: Runner,
  order: RemovalOrder,
  epoch: number,
): Promise<RemovalResult> {
  const end = await unregister(set, runner, set.sessionSignal);
  if (!set.isCurrent(epoch) || set.book.runners.get(runner.name) !== runner) return 'gone';
  runner.removing = false;
  if (end.kind !== 'gone' && !order.force) return keep(set, runner, order, end);
  // A job message has come in meanwhile: whatever the answer meant, it is not worth a job.
  if (isNowBusy(runner) && !order.force && order.reason !== 'job_completed') return 'busy';
  letGo(set, runner, order);
  return 'let_go';
}

const isNowBusy = ({ state }: Runner): boolean => state === 'busy';

function keep(
  set: ScaleSet,
  runner: Runner,
  { reason }: RemovalOrder,
  end: { kind: 'busy' } | { kind: 'failed'; error: unknown },
): 'busy' | 'failed' {
  if (end.kind === 'busy') {
    set.book.setState(runner, 'busy');
    set.log.debug('Runner kept: GitHub has given it a job', { runner: runner.name, reason });
    return 'busy';
  }
  set.log.warn('Runner kept: GitHub did not remove its registration', {
    runner: runner.name,
    reason,
    error: end.error,
  });
  return 'failed';
}

function letGo(set: ScaleSet, runner: Runner, { reason, proof, lost, force }: RemovalOrder): void {
  const facts: Proof = runner.state === 'busy' || force ? proof : [...proof, 'registration_removed'];
  const outcome: Outcome = lost
    ? { kind: 'lost', reason: lost, proof: facts }
    : { kind: 'removed', reason, proof: facts };
  const leaving = set.book.letGo(runner.name, { outcome });
  if (!leaving) return;
  noteMisfortune(set, leaving);
  set.showCounts();
  beginDeletion(set, leaving);
}
