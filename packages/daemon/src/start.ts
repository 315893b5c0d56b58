import type { Settings } from '@rungar/config';
import { createScaleSetService } from '@rungar/github';
import type { Clock, Located, Logger, Problem, ProviderType, Random, Redactor } from '@rungar/model';
import { createReconciler } from '@rungar/reconciler';
import { announcePage } from './announce-page.js';
import { createClosers } from './closers.js';
import { probeSocket } from './control/socket.js';
import { warnOfExposedFiles } from './exposure.js';
import { createLogger } from './logs.js';
import type { Reloaded } from './reload/reload.js';
import { type Engines, type Wired, wire } from './wire.js';

/** What of its host a daemon has to do with. */
export interface Host {
  /** The host's name, for the names of sessions at GitHub. */
  readonly name: string;
  /** Without a `v`: `20.19.0`. */
  readonly nodeVersion: string;
  /** Sets the process's file mode mask and gives the one before. */
  umask(mask: number): number;
}

/** What a daemon runs on. */
export interface StartOptions {
  /** The configuration, checked. */
  readonly settings: Settings;
  /** The file the settings were read from and the types of provider, to plan under another one. */
  readonly source?: { readonly root: Located; readonly types: readonly ProviderType[] };
  /** A file that takes every decision with what it was made from, secrets out (docs/guides/plan-explain-replay.md). */
  readonly record?: string;
  /** What reading the configuration warned of. */
  readonly warnings?: readonly Problem[];
  readonly version: string;
  readonly commit: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly redactor: Redactor;
  /** Where the logs go. */
  readonly stderr: {
    /** Takes whole lines. */
    write(text: string): unknown;
  };
  readonly host: Host;
  /** Names proxies: `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY`. None unless given. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Stops the daemon, or its start. */
  readonly signal?: AbortSignal;
}

/** A running daemon. */
export interface Daemon {
  /** The socket it answers on. */
  readonly socket: string;
  /** Where it serves metrics, if it does. */
  readonly metricsAddress?: string;
  /** Where the page is, if it is served: what to open in a browser. */
  readonly pageAddress?: string;
  /**
   * Settles when everything is closed: resolves after a stop, rejects with a RungarError when the daemon could not
   * go on, as it cannot when GitHub refuses its credentials.
   */
  readonly done: Promise<void>;
  /**
   * Reads the configuration and the files it names again, and goes on with what they say now
   * (docs/guides/reloading.md).
   * @throws RungarError naming everything that is wrong in the file; nothing has changed then
   */
  reload(): Promise<Reloaded>;
  /** Lets go of everything: sessions are closed, runners stay. Gives {@link Daemon.done}. Safe to repeat. */
  stop(): Promise<void>;
}

/**
 * Starts a daemon. When it resolves, the socket answers and the log has said `Serving`.
 *
 * Nothing is touched while another daemon serves on the socket. What was opened is closed again when the start fails.
 * @throws RungarError `invalid_argument` when the configuration names something that cannot be used, `unavailable`
 * when a living daemon has the socket; the signal's reason when it aborted
 */
export function startDaemon(options: StartOptions): Promise<Daemon> {
  return startWith(options, { createScaleSetService, createReconciler });
}

/** {@link startDaemon} with engines of the caller's own. */
export async function startWith(options: StartOptions, engines: Engines): Promise<Daemon> {
  const { settings, clock, redactor, stderr } = options;
  const { socket, logLevel: level, logFormat: format } = settings;
  await probeSocket(socket, clock);

  const logger = createLogger({ level, format, out: stderr, clock, redactor });
  const stopping = new AbortController();
  const onSignal = (): void => stopping.abort(options.signal?.reason);
  if (options.signal?.aborted) onSignal();
  options.signal?.addEventListener('abort', onSignal, { once: true });
  const opened = createClosers(logger);
  const close = async (): Promise<void> => {
    options.signal?.removeEventListener('abort', onSignal);
    await opened.closeAll();
  };

  let wired: Wired;
  try {
    announce(options, logger);
    await warnOfExposedFiles(settings, logger, stopping.signal);
    wired = await wire(options, { logger, engines, opened, signal: stopping.signal });
    stopping.signal.throwIfAborted();
  } catch (error) {
    await close();
    throw error;
  }
  const { metricsAddress, page } = wired;
  if (settings.scaleSets.length === 0) logger.warn('No scale set is configured: only the command line is answered');
  if (metricsAddress !== undefined) logger.info('Serving metrics', { address: metricsAddress });
  if (page) announcePage(page, logger);
  logger.info('Serving', { socket });

  const done = serve(wired, clock, stopping).finally(async () => {
    await close();
    logger.info('Stopped');
  });
  // Whoever started the daemon may look at `done` later.
  done.catch(() => {});
  stopping.signal.addEventListener('abort', () => logger.info('Stopping'), { once: true });
  return {
    socket,
    ...(metricsAddress !== undefined && { metricsAddress }),
    ...(page && { pageAddress: page.url }),
    done,
    reload: () => wired.reload(stopping.signal),
    stop() {
      stopping.abort(new Error('the daemon was told to stop'));
      return done;
    },
  };
}

function announce({ settings, version, commit, warnings = [] }: StartOptions, logger: Logger): void {
  logger.info('Starting', {
    version,
    commit,
    installation: settings.installation,
    config: settings.file,
    providers: settings.providers.length,
    scaleSets: settings.scaleSets.length,
  });
  for (const { place, path, message, hint } of warnings) {
    logger.warn('The configuration should be changed', {
      place: `${place.file}:${place.line}:${place.column}`,
      key: path || undefined,
      reason: message,
      hint,
    });
  }
}

/** Does the daemon's work until it is told to stop, or until a part of it cannot go on, which stops the others. */
async function serve(wired: Wired, clock: Clock, stopping: AbortController): Promise<void> {
  let failure: { readonly error: unknown } | undefined;
  const untilStopped = async (task: Promise<void>): Promise<void> => {
    try {
      await task;
    } catch (error) {
      if (stopping.signal.aborted) return;
      failure = { error };
      stopping.abort(error);
    }
  };
  await Promise.all([
    untilStopped(wired.reconciler.run(stopping.signal)),
    untilStopped(measure(wired, clock, stopping.signal)),
    untilStopped(wired.runnerVersions.watch(stopping.signal)),
    untilStopped(prepareToAnswer(wired, clock, stopping.signal)),
  ]);
  if (failure) throw failure.error;
}

/**
 * Loads what answers at the socket once the start is over: nobody shall wait for it then, nor miss it where the files of
 * this version have gone in an update. A failure is in the log. @throws the signal's reason
 */
async function prepareToAnswer({ control, settings }: Wired, clock: Clock, signal: AbortSignal): Promise<void> {
  await clock.sleep(settings().reconcileIntervalMs, signal);
  await control.prepare().catch(() => {});
}

/** Keeps what is not measured as it happens. @throws the signal's reason */
async function measure(wired: Wired, clock: Clock, signal: AbortSignal): Promise<void> {
  const { reconciler, events, metrics, fleet, github, machineTime, runnerVersions } = wired;
  for (;;) {
    const [scaleSets, providers] = [reconciler.scaleSets(), reconciler.providers()];
    machineTime.note(scaleSets);
    runnerVersions.note(scaleSets);
    const versions = scaleSets.flatMap(({ name }) =>
      runnerVersions.ofScaleSet(name).map((use) => ({ scaleSet: name, ...use })),
    );
    metrics.show({ scaleSets, providers, versions, github: github.standing(), now: clock.wallNow() });
    metrics.setEventFileFailing(events.trouble !== undefined);
    await fleet.closeUnused(new Set(reconciler.providers().map(({ name }) => name)));
    await clock.sleep(wired.settings().reconcileIntervalMs, signal);
  }
}
