import { type Clock, type Logger, RungarError } from '@rungar/model';
import type { Reconciler } from '@rungar/reconciler';
import { type KeptState, type Note, readState, writeState } from './state-file.js';

/** A pause or a disabling that somebody asked for. */
export interface ByHandNote extends Note {
  /** Whether it stays over a restart. */
  readonly kept: boolean;
}

/** What is asked for. */
export interface Wish extends Note {
  readonly keep: boolean;
}

/**
 * What operators have paused and disabled: why, until when, and whether it stays over a restart
 * (docs/guides/pausing.md). What ends by itself goes back to what the configuration says.
 */
export interface ByHand {
  /** @throws RungarError `not_found` for an unknown name; `unavailable` when it cannot be kept; nothing has changed then */
  pause(scaleSet: string, wish: Wish): Promise<void>;
  resume(scaleSet: string): Promise<void>;
  disable(provider: string, wish: Wish): Promise<void>;
  enable(provider: string): Promise<void>;
  pauseOf(scaleSet: string): ByHandNote | undefined;
  disablingOf(provider: string): ByHandNote | undefined;
  /** The configuration now says something else of these: what was said by hand does not count any more. */
  forget(names: { readonly scaleSets: ReadonlySet<string>; readonly providers: ReadonlySet<string> }): Promise<void>;
  close(): void;
}

export interface ByHandOptions {
  readonly path: string;
  readonly reconciler: Pick<
    Reconciler,
    'pause' | 'resume' | 'enableProvider' | 'disableProvider' | 'scaleSets' | 'providers'
  >;
  readonly clock: Clock;
  readonly logger: Logger;
}

type Kind = 'paused' | 'disabled';

/** A timer's longest wait: more would overflow it. */
const LONGEST_WAIT_MS = 24 * 3_600_000;

/** Takes up what was kept before. */
export async function openByHand({ path, reconciler, clock, logger }: ByHandOptions): Promise<ByHand> {
  const notes: Record<Kind, Map<string, ByHandNote>> = { paused: new Map(), disabled: new Map() };
  const closed = new AbortController();
  let timer = new AbortController();
  let writing: Promise<unknown> = Promise.resolve();

  const set = (kind: Kind, name: string, on: boolean): void => {
    if (kind === 'paused') on ? reconciler.pause(name) : reconciler.resume(name);
    else on ? reconciler.disableProvider(name) : reconciler.enableProvider(name);
  };
  const configured = (kind: Kind, name: string): boolean | undefined =>
    kind === 'paused'
      ? reconciler.scaleSets().find((one) => one.name === name)?.configuredPaused
      : reconciler.providers().find((one) => one.name === name)?.configuredDisabled;

  const keptWith = (kind: Kind, name: string, note: Note | undefined): KeptState => {
    const of = (each: Kind): Record<string, Note> => {
      const kept = [...notes[each]].filter(([other, one]) => one.kept && !(each === kind && other === name));
      const all = each === kind && note ? [...kept, [name, note] as const] : kept;
      return Object.fromEntries(all.map(([key, { reason, until }]) => [key, noteOf({ reason, until })]));
    };
    return { paused: of('paused'), disabled: of('disabled') };
  };
  /** One after another: the latest has to be the last. */
  const save = (kind: Kind, name: string, note: Note | undefined): Promise<void> => {
    const turn = writing.then(() => writeState(path, keptWith(kind, name, note)));
    writing = turn.catch(() => {});
    return turn;
  };

  const begin = async (kind: Kind, name: string, wish: Wish): Promise<void> => {
    if (configured(kind, name) === undefined) set(kind, name, true);
    const { until, keep } = wish;
    if (until !== undefined && until <= clock.wallNow())
      throw new RungarError('invalid_argument', 'it ends in the past');
    const wasKept = notes[kind].get(name)?.kept ?? false;
    if (keep || wasKept) await save(kind, name, keep ? wish : undefined);
    notes[kind].set(name, { ...noteOf(wish), kept: keep });
    set(kind, name, true);
    schedule();
  };
  const end = async (kind: Kind, name: string, on = false): Promise<void> => {
    set(kind, name, on);
    await drop(kind, name);
  };
  const drop = async (kind: Kind, name: string): Promise<void> => {
    const note = notes[kind].get(name);
    notes[kind].delete(name);
    schedule();
    if (note?.kept) await save(kind, name, undefined);
  };

  const endDue = async (): Promise<void> => {
    for (const kind of ['paused', 'disabled'] as const) {
      for (const [name, { until = Number.POSITIVE_INFINITY }] of notes[kind]) {
        if (until > clock.wallNow()) continue;
        logger.info(kind === 'paused' ? 'A pause ends as it was to' : 'A disabling ends as it was to', { name });
        await end(kind, name, configured(kind, name) ?? false).catch((error: unknown) => {
          logger.warn('What has ended could not be forgotten', { name, error });
        });
      }
    }
  };
  const schedule = (): void => {
    timer.abort();
    const ends = [...notes.paused.values(), ...notes.disabled.values()].flatMap(({ until }) => until ?? []);
    if (ends.length === 0 || closed.signal.aborted) return;
    timer = new AbortController();
    const waitMs = Math.min(Math.max(0, Math.min(...ends) - clock.wallNow()), LONGEST_WAIT_MS);
    clock.sleep(waitMs, timer.signal).then(async () => {
      await endDue();
      schedule();
    }, ignoreAbort);
  };

  const before = await readState(path, logger);
  for (const kind of ['paused', 'disabled'] as const) {
    for (const [name, note] of Object.entries(before[kind])) {
      const known = configured(kind, name) !== undefined;
      if (!known) logger.info('Something kept is not configured any more', { name });
      if (!known || (note.until !== undefined && note.until <= clock.wallNow())) continue;
      notes[kind].set(name, { ...note, kept: true });
      set(kind, name, true);
    }
  }
  schedule();

  return {
    pause: (name, wish) => begin('paused', name, wish),
    resume: (name) => end('paused', name),
    disable: (name, wish) => begin('disabled', name, wish),
    enable: (name) => end('disabled', name),
    pauseOf: (name) => notes.paused.get(name),
    disablingOf: (name) => notes.disabled.get(name),
    async forget({ scaleSets, providers }) {
      for (const name of scaleSets) await drop('paused', name);
      for (const name of providers) await drop('disabled', name);
    },
    close() {
      closed.abort();
      timer.abort();
    },
  };
}

/** A wait that is not needed any more. */
function ignoreAbort(): void {}

function noteOf({ reason, until }: { reason?: string | undefined; until?: number | undefined }): Note {
  return { ...(reason !== undefined && reason !== '' && { reason }), ...(until !== undefined && { until }) };
}
