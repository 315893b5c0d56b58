import {
  type Logger,
  type MessageSession,
  messageOf,
  RungarError,
  type ScaleSetRecord,
  type SessionRefusal,
} from '@rungar/model';
import { failedEvent, recoveredEvent, splitEvent } from '../events.js';
import { cancelCreation } from './creations.js';
import { jobMessageHandler } from './job-messages.js';
import type { Lead, Turn } from './lead.js';
import { runPass } from './pass.js';
import type { Deps, ScaleSet } from './scale-set.js';
import { holderIn } from './session-holder.js';
import { forManyWaits, settledWithin, withLimit } from './time-limit.js';

const OPEN_LIMIT_MS = 60_000;
const PAUSE_AFTER_LOSS_MS = 10_000;
const RETRY_FIRST_MS = 10_000;
const CONFLICT_RETRY_MAX_MS = 60_000;
const SILENCE_RETRY_MAX_MS = 45_000;
const FAILED_RETRY_MS = 60_000;
const STAND_BY_MS = 60_000;
/** How long a follower's session may be somebody else's, while we lead, before it is taken for a split. */
const SPLIT_AFTER_MS = 3 * 60_000;
/** How long the end of a session waits for what is under way, the undoing of what no provider has been asked for included. */
const WIND_DOWN_MS = 10_000;
/** How much longer it waits for creations that a provider has been asked for. */
const WIND_DOWN_CREATIONS_MS = 10_000;

/** Whether GitHub has ever taken the credential: a wrong one at the start ends the start. */
export interface CredentialTrial {
  proven: boolean;
}

export interface Serving {
  readonly set: ScaleSet;
  readonly lead: Lead;
  readonly trial: CredentialTrial;
  readonly signal: AbortSignal;
}

/** Serves one scale set until the signal aborts: waits for its turn, opens its session, holds it, and again. */
export async function serve(serving: Serving): Promise<void> {
  const { set, lead, signal } = serving;
  const { clock } = set.deps;
  while (!signal.aborted) {
    if (lead.name !== set.name && !lead.holds)
      set.setPhase('waiting_for_lead', `waits for ${lead.name} to hold its session`);
    let until = signal;
    try {
      const turn = await lead.turn(set.name, signal);
      if (turn.role === 'follower') until = AbortSignal.any([signal, turn.term]);
      const session = await openSession(serving, turn, until).finally(() => set.setSplit(false));
      if (session) await holdSession(serving, turn, session, until);
      else await clock.sleep(FAILED_RETRY_MS, until);
    } catch (error) {
      if (error instanceof CredentialRefused) throw error.error;
      if (until.aborted) continue;
      set.log.error('Unexpected failure', { error });
      await standBy(set, PAUSE_AFTER_LOSS_MS, signal);
    }
  }
}

class CredentialRefused extends Error {
  constructor(readonly error: RungarError) {
    super(error.message);
  }
}

/**
 * Asks for the session until it is given.
 * @returns nothing when GitHub refuses for good, for now: the lead is passed on
 * @throws when `until` aborts
 */
async function openSession(
  { set, lead, trial }: Serving,
  turn: Turn,
  until: AbortSignal,
): Promise<MessageSession | undefined> {
  const { clock, github } = set.deps;
  let before: SessionRefusal | undefined;
  let tries = 0;
  let refusedSince = clock.now();
  if (!set.failed) set.setPhase('starting');
  for (;;) {
    until.throwIfAborted();
    try {
      const session = await attempt(set, until);
      trial.proven = true;
      if (until.aborted) {
        await closeSession(session, set.log);
        until.throwIfAborted();
      }
      if (set.failed) set.emit(recoveredEvent(set.name));
      set.failed = false;
      return session;
    } catch (error) {
      until.throwIfAborted();
      const refusal = github.refusalOf(error);
      if (refusal !== 'unauthorized' && refusal !== 'no_answer') trial.proven = true;
      tries = refusal === before ? tries + 1 : 1;
      if (refusal !== before) refusedSince = clock.now();
      before = refusal;
      if (refusal === 'unauthorized' && !trial.proven && tries > 1) throw new CredentialRefused(credentialError(error));
      if (isForGood(refusal, trial)) {
        noteFailed(set, error);
        lead.pass(set.name);
        return undefined;
      }
      if (refusal === 'scale_set_gone') set.record = undefined;
      const waitMs = retryMs(refusal, tries);
      noteRefusal(set, refusal, error, tries, waitMs);
      if (refusal === 'conflict' && turn.role === 'follower') noteSplit(set, lead, refusedSince);
      await clock.sleep(waitMs, until);
    }
  }
}

/** One attempt. The request itself is not cancelled: GitHub may open the session anyway, and then it is to be closed. */
async function attempt(set: ScaleSet, until: AbortSignal): Promise<MessageSession> {
  const { clock } = set.deps;
  const record = await withLimit(clock, OPEN_LIMIT_MS, `look-up of scale set ${set.name}`, until, (signal) =>
    findOrCreate(set, signal),
  );
  set.record = record;
  return await openOnce(set.deps, record, set.name, set.log);
}

/** Opens a session, unless GitHub takes too long: one it opens later is closed at once. */
export async function openOnce(
  { clock, github, hostname }: Deps,
  record: ScaleSetRecord,
  name: string,
  log: Logger,
): Promise<MessageSession> {
  const owner = `rungar-${hostname}-${name}`;
  let given = false;
  try {
    return await withLimit(clock, OPEN_LIMIT_MS, `session of ${name}`, undefined, async (signal) => {
      const session = await github.openSession(record, owner, { signal });
      if (given) await closeSession(session, log);
      return session;
    });
  } catch (error) {
    given = true;
    throw error;
  }
}

async function findOrCreate(set: ScaleSet, signal: AbortSignal): Promise<ScaleSetRecord> {
  if (set.record) return set.record;
  const { github } = set.deps;
  const { name, runnerGroup, labels } = set.policy;
  const found = await github.findScaleSet(name, runnerGroup, { signal });
  if (found) {
    set.log.info('Scale set found', { scale_set_id: found.id });
    warnOfLabels(set, found);
    return found;
  }
  const created = await github.createScaleSet(name, runnerGroup, labels, { signal });
  set.log.info('Scale set created', { scale_set_id: created.id });
  return created;
}

export function warnOfLabels({ log, policy: { labels } }: ScaleSet, found: ScaleSetRecord): void {
  if (sameLabels(found.labels, labels)) return;
  const message =
    'The scale set has other labels at GitHub, which never changes them; remove it there to have it made anew';
  log.warn(message, { configured: labels, found: found.labels });
}

/** Holds the session until it is lost or `until` aborts, and then lets everything go in order. */
async function holdSession(
  { set, lead, signal }: Serving,
  turn: Turn,
  session: MessageSession,
  until: AbortSignal,
): Promise<void> {
  const { clock } = set.deps;
  const leads = turn.role === 'lead';
  const openedAt = clock.now();
  const ending = new AbortController();
  set.epoch++;
  set.session = { role: turn.role, since: openedAt };
  set.sessionSignal = forManyWaits(ending.signal);
  const held = leads ? AbortSignal.any([until, lead.begin(set.name)]) : until;
  const onEnd = (): void => endServing(set, ending);
  held.addEventListener('abort', onEnd, { once: true });
  try {
    held.throwIfAborted();
    set.setPhase('starting', 'finds out which runners there are');
    await runPass(set, { kind: 'first', openedAt, wide: leads });
    held.throwIfAborted();
    set.setPhase('listening');
    set.log.info('Listening for jobs', { scale_set_id: set.record?.id });
    const capacity = (): number => (set.paused ? 0 : set.policy.maxRunners);
    await session.listen(jobMessageHandler(set), { signal: held, capacity });
  } catch (error) {
    if (!held.aborted) {
      set.log.warn('Session lost', { error });
      set.setPhase('starting', `its session was lost: ${messageOf(error)}`, clock.now() + PAUSE_AFTER_LOSS_MS);
    }
  } finally {
    held.removeEventListener('abort', onEnd);
    endServing(set, ending);
    const lost = !held.aborted;
    const gaveWay = leads && !lost && !signal.aborted;
    if (leads) lead.end();
    await windDown(set);
    set.forget();
    await closeSession(session, set.log);
    set.session = undefined;
    if (gaveWay) await standBy(set, STAND_BY_MS, signal);
    else if (lost) await standBy(set, PAUSE_AFTER_LOSS_MS, until);
  }
}

/** From this instant nothing new begins: what is under way learns it from the epoch. */
function endServing(set: ScaleSet, ending: AbortController): void {
  if (ending.signal.aborted) return;
  set.serving = false;
  set.epoch++;
  ending.abort(new RungarError('unavailable', `scale set ${set.name} does not hold its session any more`));
  for (const creation of set.creations.values()) if (!creation.sent) cancelCreation(creation);
}

/** Creations that were sent run on to where their machine carries its labels, or there is none. */
async function windDown(set: ScaleSet): Promise<void> {
  const { clock } = set.deps;
  await settledWithin(clock, WIND_DOWN_MS, [...set.tasks, ...(set.pass ? [set.pass.done] : [])]);
  const isSent = [...set.creations.values()].some(({ sent }) => sent);
  if (isSent) await settledWithin(clock, WIND_DOWN_CREATIONS_MS, set.tasks);
}

export async function closeSession(session: MessageSession, log: Logger): Promise<void> {
  await session.close().catch((error: unknown) => log.warn('Session could not be closed', { error }));
}

async function standBy(set: ScaleSet, ms: number, signal: AbortSignal): Promise<void> {
  await set.deps.clock.sleep(ms, signal).catch(() => {});
}

function retryMs(refusal: SessionRefusal, tries: number): number {
  const max = refusal === 'conflict' ? CONFLICT_RETRY_MAX_MS : SILENCE_RETRY_MAX_MS;
  return Math.min(RETRY_FIRST_MS * 2 ** Math.min(tries - 1, 8), max);
}

const isForGood = (refusal: SessionRefusal, trial: CredentialTrial): boolean =>
  refusal === 'refused' || (refusal === 'unauthorized' && trial.proven);

function noteRefusal(set: ScaleSet, refusal: SessionRefusal, error: unknown, tries: number, waitMs: number): void {
  const retryAt = set.deps.clock.now() + waitMs;
  if (refusal === 'conflict') {
    const holder = holderIn(messageOf(error));
    const reason = 'another daemon holds its session';
    set.setPhase('waiting_for_session', holder === undefined ? reason : `${reason}: ${holder}`, retryAt);
    const message = 'Standing by: another daemon holds the session';
    const fields = { ...(holder !== undefined && { holder }), retryInMs: waitMs };
    if (tries === 1) set.log.info(message, fields);
    else set.log.debug(message, fields);
    return;
  }
  set.setPhase('github_unreachable', messageOf(error), retryAt);
  set.log.warn('GitHub gives no session', { error, retryInMs: waitMs });
}

function noteFailed(set: ScaleSet, error: unknown): void {
  const first = !set.failed;
  set.failed = true;
  set.setPhase('failed', messageOf(error), set.deps.clock.now() + FAILED_RETRY_MS);
  set.log.error('Scale set failed', { error, retryInMs: FAILED_RETRY_MS });
  if (first) set.emit(failedEvent(set.name, messageOf(error), FAILED_RETRY_MS));
}

/** Another daemon serves this one while we lead: of two of ours, the one whose lead comes later gives way, once. */
function noteSplit(set: ScaleSet, lead: Lead, since: number): void {
  const leading = lead.name;
  if (leading === undefined || set.deps.clock.now() - since <= SPLIT_AFTER_MS) return;
  if (!set.split) set.emit(splitEvent(set.name, leading));
  set.setSplit(true);
  set.setPhase('waiting_for_session', `split: another daemon serves it while this one serves ${leading}`, set.retryAt);
  if (set.name < leading) lead.giveWay();
}

function credentialError(error: unknown): RungarError {
  return new RungarError('unavailable', `GitHub refuses the credential: ${messageOf(error)}`, {
    cause: error,
    hint: 'Check the App, its installation and its key, or the token, under "github" in the configuration.',
  });
}

function sameLabels(found: readonly string[], configured: readonly string[]): boolean {
  const normal = (labels: readonly string[]): string =>
    [...new Set(labels.map((label) => label.toLowerCase()))].sort().join('\n');
  return normal(found) === normal(configured);
}
