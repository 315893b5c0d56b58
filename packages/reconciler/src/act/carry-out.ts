import { LABEL } from '@rungar/labels';
import type { GitHubStatus } from '@rungar/model';
import { WELL_AFTER_MS } from '../decide/brake.js';
import { isConnected, type MachinePlace } from '../decide/facts.js';
import type { PassPlan, PlanItem } from '../decide/plan.js';
import { adoptedEvent, connectedEvent, jobStartedEvent, removedEvent } from '../events.js';
import { noteMisfortune } from './misfortune.js';
import { removeById, unregister } from './registration.js';
import { removeRunner } from './remove-runner.js';
import { newRunner, noteJob, noteStatus, type Runner } from './runners.js';
import type { ScaleSet, StartedJob } from './scale-set.js';
import { beginDeletion, recordOutcome, setOutcome } from './settle.js';

type Item<Do extends PlanItem['do']> = Extract<PlanItem, { do: Do }>;

/**
 * Carries a plan out: what it learned is noted in one step, and what it removes is begun.
 * @returns the removals under way, each until it has been let go or refused; machines are not waited for
 */
export function carryOut(set: ScaleSet, plan: PassPlan, found: 'at_start' | 'in_pass'): readonly Promise<unknown>[] {
  set.unreachable = mapOf(plan.unreachable);
  set.orphans = mapOf(plan.orphans);
  if (plan.answer) set.lastStatuses = plan.answer;
  for (const name of plan.forgetLeft) set.book.left.delete(name);
  const waits = new Map<string, string>();
  const removals: Promise<unknown>[] = [];
  for (const item of plan.items) {
    if (item.do === 'wait') waits.set(item.runner, item.why);
    else if (item.do === 'remove') removals.push(carryOutRemoval(set, item));
    else if (item.do === 'remove_orphan') set.track(removeOrphan(set, item));
    else note(set, item, found);
  }
  set.waits = waits.size > 0 ? waits : NOTHING;
  liftBrakes(set);
  return removals;
}

/** Hundreds of scale sets that all have nothing to remember share it. */
const NOTHING: ReadonlyMap<string, never> = new Map<string, never>();

function mapOf<T>(record: Readonly<Record<string, T>>): ReadonlyMap<string, T> {
  const entries = Object.entries(record);
  return entries.length > 0 ? new Map(entries) : NOTHING;
}

function note(
  set: ScaleSet,
  item: Exclude<PlanItem, { do: 'wait' | 'remove' | 'remove_orphan' }>,
  found: 'at_start' | 'in_pass',
): void {
  switch (item.do) {
    case 'note_status':
      applyStatus(set, item.runner, item.to, item.offlineSince);
      break;
    case 'note_machine':
      noteMachine(set, item);
      break;
    case 'adopt':
      adopt(set, item, found);
      break;
    case 'adopt_ended':
      adoptEnded(set, item);
      break;
    case 'let_go':
      endedByItself(set, item);
      break;
    case 'write_off':
      writeOff(set, item);
      break;
    case 'settle': {
      const leaving = set.book.leaving.get(item.runner);
      if (leaving) setOutcome(set, leaving, item.outcome);
      break;
    }
    case 'delete': {
      const leaving = set.book.leaving.get(item.runner);
      if (leaving) beginDeletion(set, leaving);
      break;
    }
    case 'delete_again':
      deleteAgain(set, item);
      break;
    case 'replace':
      set.replacement = { old: item.runner, reason: item.reason, removedFirst: false };
      break;
    case 'drop_replacement':
      set.replacement = undefined;
      break;
  }
}

/** GitHub says something new of a runner. One that leaves `starting` has connected. */
export function applyStatus(set: ScaleSet, name: string, status: GitHubStatus, offlineSince: number | undefined): void {
  const runner = set.book.runners.get(name);
  if (!runner) return;
  noteStatus(runner, status, offlineSince);
  if (!isConnected(status)) return;
  const wasStarting = runner.state === 'starting';
  if (status === 'busy') set.book.setState(runner, 'busy');
  else if (wasStarting) set.book.setState(runner, 'idle');
  if (wasStarting) noteConnected(set, runner);
}

/** A runner connected for the first time: how long it took to boot is known if this daemon created it. */
function noteConnected(set: ScaleSet, runner: Runner): void {
  const now = set.deps.clock.now();
  runner.connectedAt = now;
  if (runner.adopted || runner.createdAt === undefined) return;
  const bootMs = Math.max(0, now - runner.createdAt);
  const { provider } = runner.place;
  set.deps.metrics.observe('rungar_runner_boot_duration_seconds', { scale_set: set.name, provider }, bootMs / 1000);
  set.log.info('Runner connected', { runner: runner.name, provider, bootDurationMs: bootMs });
  set.emit(connectedEvent({ runner: runner.name, scaleSet: set.name, provider }, bootMs, runner.version));
}

/** A runner has taken a job: it is busy, and it has connected, whether or not a listing has shown that. */
export function noteJobStarted(set: ScaleSet, runner: Runner, { job, waits }: StartedJob): void {
  const { name, place } = runner;
  const wasStarting = runner.state === 'starting';
  set.book.setState(runner, 'busy');
  noteJob(runner, job);
  noteStatus(runner, 'busy', undefined);
  runner.toldAt = set.deps.clock.now();
  if (wasStarting) noteConnected(set, runner);
  set.log.info('Job started', {
    runner: name,
    job: job.displayName,
    job_id: job.id,
    repository: job.repository,
    workflow: job.workflowRef,
    workflow_run_id: job.workflowRunId,
    ...waits,
  });
  set.emit(jobStartedEvent({ runner: name, scaleSet: set.name, provider: place.provider }, job, waits));
  set.showCounts();
}

function noteMachine(set: ScaleSet, item: Item<'note_machine'>): void {
  const runner = set.book.runners.get(item.runner);
  if (!runner) return;
  set.book.setPlace(runner, item.place, item.twins);
  runner.listed = item.listed;
  runner.missingSince = item.missingSince;
  runner.unknownSince = item.unknownSince;
  if (item.why !== undefined) set.log.debug('Runner under suspicion', { runner: item.runner, reason: item.why });
}

function adopt(set: ScaleSet, item: Item<'adopt'>, found: 'at_start' | 'in_pass'): void {
  const { runner: name, place, twins, state, size, revision, createdAt, unknownSince } = item;
  const countedAt = set.deps.clock.now();
  const more = { ...(createdAt !== undefined && { createdAt }), ...(unknownSince !== undefined && { unknownSince }) };
  const runner = newRunner({
    name,
    place: withSharedTexts(set, name, place),
    twins,
    state,
    size,
    revision: sharedRevision(set, place, revision),
    adopted: true,
    countedAt,
    listed: true,
    ...more,
  });
  countAdopted(set, runner, found);
}

/** Each listing brings the same texts once more: a runner keeps those that are there already. */
function withSharedTexts(set: ScaleSet, name: string, place: MachinePlace): MachinePlace {
  const { labels } = place;
  const revision = labels?.[LABEL.revision];
  if (!labels || revision === undefined) return place;
  return {
    ...place,
    labels: {
      ...labels,
      [LABEL.managed]: 'true',
      [LABEL.installation]: set.deps.installation,
      [LABEL.scaleSet]: set.name,
      [LABEL.runner]: name,
      [LABEL.revision]: sharedRevision(set, place, revision),
    },
  };
}

function sharedRevision({ revisions }: ScaleSet, { provider }: MachinePlace, revision: string): string {
  const current = revisions.get(provider);
  return current === revision ? current : revision;
}

/** A request between the making of a plan and this moment may have made a name known. */
const isKnown = ({ book, creations }: ScaleSet, name: string): boolean =>
  book.runners.has(name) || book.leaving.has(name) || creations.has(name);

/** A machine found on the fleet counts as one of ours, unless it has come to be known in the meantime. */
export function countAdopted(set: ScaleSet, runner: Runner, found: 'at_start' | 'in_pass'): void {
  const { name, place, state } = runner;
  if (isKnown(set, name)) return;
  set.writtenOff.delete(name);
  set.book.left.delete(name);
  set.book.add(runner);
  set.log.info('Runner adopted', { runner: name, provider: place.provider, state });
  set.emit(adoptedEvent({ runner: name, scaleSet: set.name, provider: place.provider }, found));
}

function adoptEnded(set: ScaleSet, item: Item<'adopt_ended'>): void {
  const { runner: name, place, twins, size, revision, createdAt, endedAt, why } = item;
  if (isKnown(set, name)) return;
  set.writtenOff.delete(name);
  const countedAt = set.deps.clock.now();
  const created = createdAt !== undefined && { createdAt };
  const runner = newRunner({
    name,
    place,
    twins,
    state: 'idle',
    size,
    revision,
    adopted: true,
    countedAt,
    listed: true,
    ...created,
  });
  const ended = { endedAt, endProof: ['machine_ended'] as const, ...(why !== undefined && { endReason: why }) };
  beginDeletion(set, set.book.addLeaving(runner, { ...ended, recorded: true }));
}

function endedByItself(set: ScaleSet, item: Item<'let_go'>): void {
  const { endedAt, proof, why } = item;
  const leaving = set.book.letGo(item.runner, {
    endedAt,
    endProof: proof,
    ...(why !== undefined && { endReason: why }),
  });
  if (!leaving) return;
  const { name, place } = leaving.runner;
  noteMisfortune(set, leaving);
  const detail = why !== undefined && { detail: why };
  set.log.debug('Machine of a runner has ended', {
    runner: name,
    provider: place.provider,
    reason: proof.join(','),
    ...detail,
  });
  beginDeletion(set, leaving);
}

/** The machine is left alone: nobody can say what it does, and it is adopted again should it come back. */
function writeOff(set: ScaleSet, item: Item<'write_off'>): void {
  const runner = set.book.drop(item.runner);
  if (!runner) return;
  set.writtenOff.add(item.runner);
  recordOutcome(set, runner, { kind: 'lost', reason: item.reason, proof: item.proof });
  if (runner.state !== 'busy') set.track(unregister(set, runner, set.sessionSignal));
}

function deleteAgain(set: ScaleSet, item: Item<'delete_again'>): void {
  const { runner: name, place, twins } = item;
  if (isKnown(set, name)) return;
  const countedAt = set.deps.clock.now();
  const runner = newRunner({
    name,
    place,
    twins,
    state: 'idle',
    size: '',
    revision: '',
    adopted: true,
    countedAt,
    listed: true,
  });
  beginDeletion(set, set.book.addLeaving(runner, { recorded: false }));
}

async function carryOutRemoval(set: ScaleSet, item: Item<'remove'>): Promise<void> {
  const { runner, reason, force, proof, replacement, lost } = item;
  const message = 'Removing a runner';
  const fields = { runner, reason, proof: proof.join(',') };
  if (replacement) set.log.info(message, fields);
  else set.log.warn(message, fields);
  const epoch = set.epoch;
  const result = await removeRunner(set, runner, { reason, proof, force, ...(lost && { lost }) });
  if (!replacement || !set.isCurrent(epoch)) return;
  const creatingFirst = set.replacement?.old === runner;
  if (creatingFirst) set.replacement = undefined;
  else if (result === 'let_go' && (reason === 'outdated' || reason === 'expired')) {
    set.replacement = { old: runner, reason, removedFirst: true };
  }
}

/** The last look before an orphan goes is at our own lists: its name may have come to mean something meanwhile. */
async function removeOrphan(set: ScaleSet, { registration, id, proof }: Item<'remove_orphan'>): Promise<void> {
  const { runners, leaving } = set.book;
  if (!set.canAct || runners.has(registration) || leaving.has(registration) || set.creations.has(registration)) return;
  try {
    await removeById(set, id);
  } catch (error) {
    set.log.debug('Orphaned registration stays', { runner: registration, error });
    return;
  }
  set.deps.metrics.add('rungar_runners_removed_total', { scale_set: set.name, provider: '', reason: 'orphaned' });
  set.log.warn('Orphaned registration removed', { runner: registration, reason: 'orphaned' });
  set.emit(removedEvent({ runner: registration, scaleSet: set.name, provider: '' }, 'orphaned', proof));
}

/** A runner that has been connected for a while shows that its provider is well. */
function liftBrakes(set: ScaleSet): void {
  const { fleet, clock } = set.deps;
  const braked = [...fleet.providers].filter(({ brakes }) => brakes.has(set.name));
  if (braked.length === 0) return;
  const wellBefore = clock.now() - WELL_AFTER_MS;
  for (const { place, connectedAt, githubStatus } of set.book.runners.values()) {
    if (connectedAt === undefined || connectedAt > wellBefore || !isConnected(githubStatus)) continue;
    if (braked.some(({ config }) => config.name === place.provider))
      fleet.isWell(place.provider, set.name, connectedAt);
  }
}
