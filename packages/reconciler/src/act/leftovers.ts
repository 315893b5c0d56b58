import { installationSelector } from '@rungar/labels';
import { messageOf, RungarError, type ScaleSetRecord } from '@rungar/model';
import { hasEnded, placeOf, type SeenMachine } from '../decide/facts.js';
import type { ProofFact } from '../decide/proof.js';
import { removedEvent } from '../events.js';
import type { RunnerView, ScaleSetRemoval } from '../status.js';
import { type ProviderListing, throwIfSilent } from './observe.js';
import { GITHUB_LIMIT_MS, lookUp, type Registrar, unregister } from './registration.js';
import { statusesNow, viewOf } from './runners-view.js';
import type { Deps, ScaleSet } from './scale-set.js';
import { closeSession, openOnce } from './session.js';
import { withLimit } from './time-limit.js';

/** Whoever asks for something, and for how long they wait. */
export interface Asked {
  readonly deps: Deps;
  readonly sets: ReadonlyMap<string, ScaleSet>;
  readonly signal: AbortSignal;
}

/** The scale set that is to be removed, or whose runner is. */
interface Leftover {
  readonly name: string;
  readonly runnerGroup: string;
}

/** How the machines of a scale set nobody configured were dealt with. */
interface Cleared {
  readonly removed: readonly RunnerView[];
  readonly busy: readonly string[];
  readonly failed: readonly RungarError[];
}

const CLEARED_AT_ONCE = 8;

/**
 * Removes what a scale set that is not configured has left: its idle runners, and once none is busy the scale set at
 * GitHub too.
 * @throws RungarError `invalid_argument` for a configured one; `unavailable` when a provider or GitHub cannot be asked,
 * somebody else serves it, or this daemon does not hold its lead; `not_found` when it is nowhere
 */
export async function removeLeftoverScaleSet(
  asked: Asked,
  leftover: Leftover,
  dryRun: boolean,
): Promise<ScaleSetRemoval> {
  const { deps, sets, signal } = asked;
  const { name } = leftover;
  if (sets.has(name))
    throw new RungarError('invalid_argument', `scale set ${name} is configured`, {
      hint: 'Take it out of the configuration first, and run `rungar reload`.',
    });
  requireLead(sets);
  const listings = await deps.listings.all({ begunAfter: deps.clock.now(), signal });
  requireAll(listings, name);
  const machines = [...deps.listings.seenBy(name, listings).machines.values()];
  const record = await findAtGitHub(deps, leftover);
  if (machines.length === 0 && !record)
    throw new RungarError('not_found', `there is no scale set ${name}, neither on a machine nor at GitHub`);
  if (dryRun) return await previewRemoval(deps, name, machines, record);
  const { removed, busy, failed } = await clear(deps, name, machines, record);
  if (failed[0]) {
    const text = `${failed.length} of ${machines.length} runners of ${name} stay: ${failed[0].message}`;
    throw new RungarError('unavailable', text, { cause: failed[0] });
  }
  if (!record || busy.length > 0) return { removed, busyLeft: busy.length };
  await deleteAtGitHub(deps, record);
  return { removed, busyLeft: 0, scaleSetId: record.id };
}

/**
 * Removes one runner of a scale set that is not configured.
 * @throws RungarError `busy` when it has a job; otherwise as {@link removeLeftoverScaleSet}
 */
export async function removeLeftoverRunner(asked: Asked, scaleSet: string, seen: SeenMachine): Promise<RunnerView> {
  const { deps, sets } = asked;
  requireLead(sets);
  const record = await findServed(deps, scaleSet, seen.machine.name);
  const { removed, busy, failed } = await clear(deps, scaleSet, [seen], record);
  if (failed[0]) throw failed[0];
  if (busy.length > 0) throw new RungarError('busy', `runner ${seen.machine.name} has a job`);
  return removed[0] ?? viewOf(scaleSet, seen, undefined, { error: '' });
}

/** @throws RungarError `unavailable`: nobody knows what a provider that does not answer has, in the file or not */
function requireAll(listings: readonly ProviderListing[], scaleSet: string): void {
  try {
    throwIfSilent(listings, `it may have runners of ${scaleSet}`);
  } catch (error) {
    throw new RungarError('unavailable', messageOf(error), {
      hint:
        'Bring it back. If its machines are gone for good, take it out of the configuration and restart the daemon: ' +
        'after a reload alone, one that had runners is still asked.',
      cause: error,
    });
  }
}

/** Leftovers are removed by the daemon that leads, and by no standby; by one that has nothing to serve, too. */
function requireLead(sets: ReadonlyMap<string, ScaleSet>): void {
  const [first, ...others] = sets.values();
  if (!first || [first, ...others].some(({ canAct }) => canAct)) return;
  const why = `${first.name}: ${first.phaseReason ?? first.phase}`;
  throw new RungarError('unavailable', `this daemon does not hold the session of any scale set (${why})`);
}

async function findAtGitHub(
  { clock, github }: Deps,
  { name, runnerGroup }: Leftover,
): Promise<ScaleSetRecord | undefined> {
  return await withLimit(clock, GITHUB_LIMIT_MS, `look-up of scale set ${name}`, undefined, (signal) =>
    github.findScaleSet(name, runnerGroup, { signal }),
  );
}

/** The scale set a runner is registered with, whatever group it is in: somebody may serve it. */
async function findServed(deps: Deps, scaleSet: string, runner: string): Promise<ScaleSetRecord | undefined> {
  const registration = await lookUp(registrarOf(deps, scaleSet), runner);
  const found = await findAtGitHub(deps, { name: scaleSet, runnerGroup: 'Default' });
  const id = registration?.scaleSetId ?? 0;
  if (id === 0 || found?.id === id) return found;
  return { id, name: scaleSet, runnerGroupId: 0, runnerGroupName: '', labels: [] };
}

/** Removes the runners that have no job, while nobody else can serve their scale set. */
async function clear(
  deps: Deps,
  scaleSet: string,
  machines: readonly SeenMachine[],
  record: ScaleSetRecord | undefined,
): Promise<Cleared> {
  const session = record && (await openAlone(deps, record, scaleSet));
  const removed: RunnerView[] = [];
  const busy: string[] = [];
  const failed: RungarError[] = [];
  const waiting = machines.values();
  const worker = async (): Promise<void> => {
    for (const seen of waiting) {
      const end = await removeOne(deps, scaleSet, seen);
      if (end === 'busy') busy.push(seen.machine.name);
      else if (end === 'removed') removed.push(viewOf(scaleSet, seen, undefined, { error: '' }));
      else failed.push(end);
    }
  };
  try {
    await Promise.all(Array.from({ length: CLEARED_AT_ONCE }, worker));
  } finally {
    if (session) await closeSession(session, deps.logger);
  }
  removed.sort((a, b) => (a.name < b.name ? -1 : 1));
  return { removed, busy, failed };
}

async function openAlone(deps: Deps, record: ScaleSetRecord, scaleSet: string): ReturnType<typeof openOnce> {
  try {
    return await openOnce(deps, record, scaleSet, deps.logger);
  } catch (error) {
    const taken = deps.github.refusalOf(error) === 'conflict';
    const text = taken ? 'another daemon serves it; ask that one' : messageOf(error);
    throw new RungarError('unavailable', `scale set ${scaleSet} cannot be removed: ${text}`, { cause: error });
  }
}

/** Registration first: without one its machine gets no job any more. One that has ended goes whatever GitHub says. */
async function removeOne(deps: Deps, scaleSet: string, seen: SeenMachine): Promise<'removed' | 'busy' | RungarError> {
  const { name } = seen.machine;
  const ended = hasEnded(seen);
  const end = await unregister(registrarOf(deps, scaleSet), { name });
  if (end.kind !== 'gone' && !ended) {
    if (end.kind === 'busy') return 'busy';
    return new RungarError('unavailable', `runner ${name}: GitHub did not remove its registration`, {
      cause: end.error,
    });
  }
  try {
    for (const { provider, id, labels } of [seen, ...seen.twins].map(placeOf)) {
      const ref = { name, ...(id !== undefined && { id }), ...(labels && { labels }) };
      await deps.fleet.delete(provider, ref, installationSelector(deps.installation));
    }
  } catch (error) {
    return new RungarError('unavailable', `the machine of ${name} cannot be deleted: ${messageOf(error)}`, {
      cause: error,
    });
  }
  const proof: ProofFact[] = ['asked_for'];
  if (ended) proof.push('machine_ended');
  if (end.kind === 'gone') proof.push('registration_removed');
  const { provider } = seen;
  deps.metrics.add('rungar_runners_removed_total', { scale_set: scaleSet, provider, reason: 'requested' });
  deps.logger.info('Leftover runner removed', { scale_set: scaleSet, runner: name, provider, reason: 'requested' });
  deps.events.record(removedEvent({ runner: name, scaleSet, provider }, 'requested', proof));
  return 'removed';
}

const registrarOf = (deps: Deps, scaleSet: string): Registrar => ({ name: scaleSet, deps, policy: { priority: 0 } });

async function deleteAtGitHub({ clock, github, logger }: Deps, { id, name }: ScaleSetRecord): Promise<void> {
  await withLimit(clock, GITHUB_LIMIT_MS, `removal of scale set ${name}`, undefined, (signal) =>
    github.deleteScaleSet(id, { signal }),
  );
  logger.info('Scale set removed from GitHub', { scale_set: name, scale_set_id: id });
}

/** What would go, by what GitHub shows now. */
async function previewRemoval(
  deps: Deps,
  scaleSet: string,
  machines: readonly SeenMachine[],
  record: ScaleSetRecord | undefined,
): Promise<ScaleSetRemoval> {
  const statuses = await statusesNow(deps);
  const views = machines.map((seen) => viewOf(scaleSet, seen, undefined, statuses));
  const removed = views.filter(({ githubStatus }) => githubStatus !== 'busy');
  const busyLeft = views.length - removed.length;
  return { removed, busyLeft, ...(record && busyLeft === 0 && { scaleSetId: record.id }) };
}
