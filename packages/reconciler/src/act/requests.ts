import { LABEL } from '@rungar/labels';
import { RungarError, type RunnerStatuses } from '@rungar/model';
import { onOwnClock } from '../decide/adoption.js';
import { hasEnded, placeOf, type SeenMachine } from '../decide/facts.js';
import type { Proof } from '../decide/proof.js';
import { removedEvent } from '../events.js';
import type { RunnerView } from '../status.js';
import { countAdopted } from './carry-out.js';
import { type Asked, removeLeftoverRunner } from './leftovers.js';
import { type ProviderListing, throwIfSilent } from './observe.js';
import { GITHUB_LIMIT_MS, lookUp, removeById } from './registration.js';
import { removeRunner } from './remove-runner.js';
import { newRunner, type Runner } from './runners.js';
import { viewOf } from './runners-view.js';
import type { Deps, ScaleSet } from './scale-set.js';
import { beginDeletion, setOutcome } from './settle.js';
import { abandonable, withLimit } from './time-limit.js';

/** Facts behind a removal somebody asked for. */
const ASKED_FOR = 'asked_for';

/**
 * Removes a runner on request, the safe way round.
 * @returns the runner as it was, once its machine is gone
 * @throws RungarError `busy` when it has a job; `unavailable` while that cannot be said or done, with the reason;
 * `not_found`; `invalid_argument` when it works on a machine nobody here can see
 */
export async function removeOnRequest(asked: Asked, name: string): Promise<RunnerView> {
  const { deps, sets, signal } = asked;
  const listings = await deps.listings.all({ begunAfter: deps.clock.now(), signal });
  const machine = findMachine(deps, listings, name);
  const set = machine ? sets.get(machine.scaleSet) : [...sets.values()].find((one) => tracks(one, name));
  if (set) return await abandonable(signal, () => removeOwn(set, name, machine));
  if (!machine) {
    throwIfSilent(listings, `runner ${name} may be there`);
    return await abandonable(signal, () => removeRegistration(asked, name));
  }
  const { scaleSet, seen } = machine;
  return await abandonable(signal, () => removeLeftoverRunner(asked, scaleSet, seen));
}

interface FoundMachine {
  readonly scaleSet: string;
  readonly seen: SeenMachine;
  readonly clockOffsetMs: number;
}

const NOT_ASKED = { error: '' };

/** The machine of that name, with any other of the same name and scale set, wherever they are. */
function findMachine({ listings }: Deps, all: readonly ProviderListing[], name: string): FoundMachine | undefined {
  for (const { byScaleSet, provider } of all) {
    for (const [scaleSet, groups] of byScaleSet) {
      if (!groups.some(({ machines }) => machines.some((machine) => machine.name === name))) continue;
      const seen = listings.seenBy(scaleSet, all).machines.get(name);
      if (seen) return { scaleSet, seen, clockOffsetMs: provider.clockOffsetMs };
    }
  }
  return undefined;
}

const tracks = ({ book, creations }: ScaleSet, name: string): boolean =>
  book.runners.has(name) || book.leaving.has(name) || creations.has(name);

async function removeOwn(set: ScaleSet, name: string, machine: FoundMachine | undefined): Promise<RunnerView> {
  set.requireActing();
  if (set.creations.has(name)) throw new RungarError('unavailable', `runner ${name} is still being created`);
  const known = set.book.runners.get(name) ?? set.book.leaving.get(name)?.runner;
  if (known) {
    const view = machine ? viewOf(set.name, machine.seen, set, NOT_ASKED) : viewOfKnown(set, known);
    await removeTracked(set, name, []);
    return view;
  }
  if (!machine) throw new RungarError('not_found', `runner ${name} has gone already`);
  if (set.book.left.has(name)) {
    beginDeletion(set, set.book.addLeaving(fromMachine(set, machine), { recorded: false }));
  } else countAdopted(set, fromMachine(set, machine), 'in_pass');
  const view = viewOf(set.name, machine.seen, set, NOT_ASKED);
  await removeTracked(set, name, hasEnded(machine.seen) ? ['machine_ended'] : []);
  return view;
}

/** @param ended what proves that its machine has ended by itself: then GitHub's word on it does not matter */
async function removeTracked(set: ScaleSet, name: string, ended: Proof): Promise<void> {
  await letGo(set, name, ended);
  const leaving = set.book.leaving.get(name);
  if (!leaving) {
    if (set.book.left.has(name)) return;
    throw new RungarError('unavailable', `runner ${name} was not removed: the session of ${set.name} has ended`);
  }
  setOutcome(set, leaving, { kind: 'removed', reason: 'requested', proof: [ASKED_FOR] });
  leaving.deleteAgainAt = Number.NEGATIVE_INFINITY;
  beginDeletion(set, leaving);
  await leaving.attempt;
  if (!leaving.deleted)
    throw new RungarError(
      'unavailable',
      `runner ${name} takes no more jobs, but its machine cannot be deleted: ${leaving.lastError ?? 'no answer'}`,
      { hint: 'It is tried again by itself, with growing pauses, until it works.' },
    );
}

async function letGo(set: ScaleSet, name: string, ended: Proof): Promise<void> {
  for (;;) {
    const runner = set.book.runners.get(name);
    if (!runner) return;
    // Somebody else removes it: how that ends decides what is left to do.
    if (runner.removing && runner.removal) {
      await runner.removal;
      continue;
    }
    set.requireActing();
    const order = { reason: 'requested', proof: [ASKED_FOR, ...ended], force: ended.length > 0 } as const;
    const result = await removeRunner(set, name, order);
    if (result === 'busy') throw hasJob(name);
    if (result === 'failed')
      throw new RungarError('unavailable', `runner ${name} stays: GitHub did not remove its registration`);
    return;
  }
}

const hasJob = (name: string): RungarError => new RungarError('busy', `runner ${name} has a job`);

function fromMachine({ deps }: ScaleSet, { seen, clockOffsetMs }: FoundMachine): Runner {
  const { name, size, labels, createdAt } = seen.machine;
  const now = deps.clock.now();
  return newRunner({
    name,
    place: placeOf(seen),
    twins: seen.twins.map(placeOf),
    state: 'idle',
    size,
    revision: labels[LABEL.revision] ?? '',
    adopted: true,
    countedAt: now,
    listed: true,
    ...(createdAt !== undefined && { createdAt: onOwnClock(createdAt, clockOffsetMs, deps.clock.wallNow(), now) }),
  });
}

function viewOfKnown({ name: scaleSet, deps }: ScaleSet, runner: Runner): RunnerView {
  const { name, place, state, githubStatus, createdAt, size, revision, adopted, job } = runner;
  const { clock } = deps;
  return {
    name,
    scaleSet,
    provider: place.provider,
    state,
    ...(githubStatus && { githubStatus }),
    ...(createdAt !== undefined && { createdAt: clock.wallNow() - (clock.now() - createdAt) }),
    size,
    revision,
    adopted,
    ...(job && { job }),
  };
}

/** A registration no machine stands behind, of a scale set of ours: it goes while GitHub shows it offline. */
async function removeRegistration({ deps, sets }: Asked, name: string): Promise<RunnerView> {
  const registrar = { name: '', deps, policy: { priority: 0 } };
  const status = (await statusesOf(deps, name)).runners.get(name)?.status;
  const found = await lookUp(registrar, name).catch((error: unknown) => {
    throw new RungarError('unavailable', `GitHub does not say whether there is a runner ${name}`, { cause: error });
  });
  if (!found) throw new RungarError('not_found', `there is no runner ${name}`);
  if (status === 'busy') throw hasJob(name);
  if (status === 'idle')
    throw new RungarError('invalid_argument', `runner ${name} is connected, from a machine no provider here lists`);
  if (status === undefined)
    throw new RungarError('unavailable', `GitHub does not say whether runner ${name} is connected`);
  const set = [...sets.values()].find(({ record }) => record?.id === found.scaleSetId);
  if (!set) throw new RungarError('not_found', `runner ${name} is of no scale set of this daemon, and has no machine`);
  set.requireActing();
  if (tracks(set, name)) throw new RungarError('unavailable', `runner ${name} is being created or removed just now`);
  await removeById(set, found.id);
  deps.metrics.add('rungar_runners_removed_total', { scale_set: set.name, provider: '', reason: 'requested' });
  set.log.info('Registration removed', { runner: name, reason: 'requested' });
  set.emit(
    removedEvent({ runner: name, scaleSet: set.name, provider: '' }, 'requested', [
      ASKED_FOR,
      'offline_without_machine',
      'found_by_name',
    ]),
  );
  return { name, scaleSet: set.name, provider: '', githubStatus: status, size: '', revision: '', adopted: false };
}

async function statusesOf({ clock, github }: Deps, name: string): Promise<RunnerStatuses> {
  const begunAfter = clock.now();
  try {
    return await withLimit(clock, GITHUB_LIMIT_MS, 'listing of runners at GitHub', undefined, (signal) =>
      github.runnerStatuses({ signal, begunAfter, only: [name] }),
    );
  } catch (error) {
    throw new RungarError('unavailable', `GitHub does not say whether there is a runner ${name}`, { cause: error });
  }
}
