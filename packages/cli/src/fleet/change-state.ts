import { RungarError } from '@rungar/model';
import type { StatusAnswer } from '../control/answers.js';
import type { Session } from '../control/session.js';
import { type FormatFlags, formatOf, jsonText } from '../output/document.js';
import { endWith, forEach } from './several.js';
import { type Emptying, waitUntilGone } from './wait-gone.js';

/** A state that a scale set or provider can be put into. */
export interface StateChange {
  readonly kind: 'scale_set' | 'provider';
  readonly method: 'PauseScaleSet' | 'ResumeScaleSet' | 'DisableProvider' | 'EnableProvider';
  /** What it is called afterwards. */
  readonly state: string;
  /** Whether it takes no more work afterwards. */
  readonly stops: boolean;
}

export const STATE_CHANGES = {
  pause: { kind: 'scale_set', method: 'PauseScaleSet', state: 'paused', stops: true },
  resume: { kind: 'scale_set', method: 'ResumeScaleSet', state: 'resumed', stops: false },
  disable: { kind: 'provider', method: 'DisableProvider', state: 'disabled', stops: true },
  enable: { kind: 'provider', method: 'EnableProvider', state: 'enabled', stops: false },
} as const satisfies Readonly<Record<string, StateChange>>;

/** What one of these commands prints with --json. Zero values stay. */
export interface ChangesDocument {
  readonly changes: readonly ChangeDocument[];
}

export interface ChangeDocument {
  readonly kind: 'scale_set' | 'provider';
  readonly name: string;
  /** `paused`, `resumed`, `disabled` or `enabled`. */
  readonly state: string;
  /** False where it was in that state already. */
  readonly changed: boolean;
  /** Whether it has that state after a restart too. */
  readonly as_configured: boolean;
  /** Whether it stays so over a restart because that was asked for. */
  readonly kept: boolean;
  /** Why, in the words of whoever asked; empty if there are none. */
  readonly reason: string;
  /** When it ends by itself; empty for never. */
  readonly until: string;
  /** Why it could not be changed; empty if it was. */
  readonly error: string;
}

/** What is asked for beside the state itself. */
export interface Wish {
  readonly keep: boolean;
  readonly reason?: string;
  /** RFC 3339. */
  readonly until?: string;
}

const NO_WISH: Wish = { keep: false };

/** What a change is made to, as the daemon has it. */
interface Subject {
  readonly name: string;
  readonly stopped: boolean;
  readonly configured: boolean;
  readonly providers: readonly string[];
}

/**
 * Puts one, or all, into a state that lasts until the daemon restarts, or as long as is wished.
 * @param names all that are configured, in their order, unless given
 * @param wait also waits until none of them has a runner
 * @throws RungarError `not_found` for a name that is not configured; ExitError 6 when some could not be changed
 */
export async function changeState(
  change: StateChange,
  {
    names,
    wait,
    wish = NO_WISH,
  }: { readonly names: readonly string[] | 'all'; readonly wait: boolean; readonly wish?: Wish },
  flags: FormatFlags,
  session: Session,
): Promise<number> {
  const { stdout } = session.world;
  const asDocument = formatOf(flags) === 'json';
  const known = subjectsOf(change, await session.ask('GetStatus'));
  const subjects = names === 'all' ? known : names.map((name) => find(name, change, known));
  const changes: ChangeDocument[] = [];
  const failures = await forEach(
    subjects,
    async (subject) => {
      const done = await changeOne(change, subject, wish, session);
      changes.push(done);
      if (!asDocument) stdout.write(`${done.name}: ${inWords(done)}\n`);
    },
    session.world,
  );
  if (wait) {
    const changed = subjects.filter(({ name }) => !failures.some((failure) => failure.name === name));
    const quietly = { ...session, world: { ...session.world, stdout: { write: () => true } } };
    await waitUntilGone(
      changed.map((one) => emptyingOf(change, one)),
      asDocument ? quietly : session,
    );
  }
  if (asDocument) {
    const failed = failures.map(
      ({ name, reason }): ChangeDocument => ({
        ...{ kind: change.kind, name, state: change.state, changed: false, as_configured: false },
        ...{ kept: false, reason: '', until: '' },
        error: reason,
      }),
    );
    stdout.write(jsonText({ changes: [...changes, ...failed] } satisfies ChangesDocument));
  }
  return endWith(failures, subjects.length, `${failures.length} of ${subjects.length} could not be ${change.state}`);
}

async function changeOne(change: StateChange, subject: Subject, wish: Wish, session: Session): Promise<ChangeDocument> {
  const { kind, state, stops, method } = change;
  const { name } = subject;
  const changed = subject.stopped !== stops;
  const { keep: kept, reason = '', until = '' } = wish;
  // A wish may be about a state it has already.
  if (changed || kept || reason !== '' || until !== '') await session.ask(method, { name, ...bodyOf(wish) });
  const asConfigured = subject.configured === stops;
  return { kind, name, state, changed, as_configured: asConfigured, kept, reason, until, error: '' };
}

function bodyOf({ keep, reason, until }: Wish): Readonly<Record<string, unknown>> {
  return { ...(keep && { keep }), ...(reason !== undefined && { reason }), ...(until !== undefined && { until }) };
}

function inWords(done: ChangeDocument): string {
  const { state, changed, as_configured: asConfigured, kept, until, reason } = done;
  const why = reason === '' ? '' : ` (${reason})`;
  if (until !== '')
    return `${state} until ${until}${kept ? ', over restarts too' : ' or until the daemon restarts'}${why}`;
  if (kept) return `${state}, and stays so when the daemon restarts${why}`;
  if (reason !== '') return `${state} until the daemon restarts${why}`;
  if (!changed) return `is already ${state}`;
  return asConfigured ? `${state}, as the configuration has it` : `${state} until the daemon restarts`;
}

function subjectsOf({ kind }: StateChange, { scale_sets: scaleSets = [], providers = [] }: StatusAnswer): Subject[] {
  if (kind === 'provider') {
    return providers.map(({ name = '', disabled = false, configured_disabled: configured = false }) => ({
      ...{ name, stopped: disabled, configured },
      providers: [name],
    }));
  }
  return scaleSets
    .filter(({ configured }) => configured)
    .map(({ name = '', paused = false, configured_paused: configured = false, providers: used = [] }) => ({
      ...{ name, stopped: paused, configured },
      providers: used,
    }));
}

function find(name: string, { kind }: StateChange, known: readonly Subject[]): Subject {
  const subject = known.find((one) => one.name === name);
  if (subject) return subject;
  const what = kind === 'provider' ? 'provider' : 'scale set';
  throw new RungarError('not_found', `${what} "${name}" is not in the configuration, which has ${listed(known, what)}`);
}

function listed(known: readonly Subject[], what: string): string {
  return known.map(({ name }) => name).join(', ') || `no ${what}`;
}

function emptyingOf({ kind }: StateChange, { name, providers }: Subject): Emptying {
  return {
    name,
    providers,
    has: (runner) => (kind === 'provider' ? runner.provider : runner.scale_set) === name,
    ...(kind === 'provider' && {
      idleStay: `idle runners stay until they get a job; \`rungar runners rm --provider ${name}\` removes them`,
    }),
    done: kind === 'provider' ? 'drained' : 'has no runners left',
  };
}
