import {
  checkFiles,
  comparePlaces,
  formatProblem,
  loadConfig,
  type ParsedConfig,
  type ProviderSettings,
  type Settings,
} from '@rungar/config';
import type { GitHubClient } from '@rungar/github';
import { type EventSink, type Logger, messageOf, type ProviderType, RungarError } from '@rungar/model';
import type { Reconciler } from '@rungar/reconciler';
import { readCredentials } from '../credentials.js';
import type { EventLog } from '../event-log.js';
import { warnOfExposedFiles } from '../exposure.js';
import type { Fleet } from '../fleet.js';
import type { AdjustableLogger } from '../logs.js';
import { type Changes, changesOf, type ReadConfig } from './changes.js';
import { describeChange } from './describe-change.js';
import { settingsInForce } from './settings-in-force.js';

/** What a reload has done, a line for each change. */
export interface Reloaded {
  readonly applied: readonly string[];
  /** What the file says, and only a restart takes up. */
  readonly needsRestart: readonly string[];
}

/** The configuration of a running daemon. */
export interface Reloader {
  /** What was read last, the types it is read by included. */
  readonly config: ReadConfig & { readonly types: readonly ProviderType[] };
  /** What is in force. */
  readonly settings: Settings;
  /**
   * Reads the configuration and the files it names again, and goes on with what they say now
   * (docs/guides/reloading.md). One after another, however many ask. A reload, done or not, is an event.
   * @throws RungarError naming everything that is wrong in the file; then nothing has changed
   */
  reload(signal: AbortSignal): Promise<Reloaded>;
}

export interface ReloaderOptions {
  /** What the daemon was started with. */
  readonly settings: Settings;
  readonly source: Pick<ParsedConfig, 'root'> & { readonly types: readonly ProviderType[] };
  readonly github: Pick<GitHubClient, 'useCredentials'>;
  readonly fleet: Fleet;
  readonly reconciler: Pick<Reconciler, 'apply' | 'providers'>;
  readonly logger: Logger & Pick<AdjustableLogger, 'adjust'>;
  readonly events: EventSink & Pick<EventLog, 'adjust'>;
  /** Told of what has changed, once it is in force. */
  onChanged(changes: Changes, inForce: Settings): void;
}

/** More errors than these are counted, not told. */
const MOST_ERRORS = 20;

export function createReloader(options: ReloaderOptions): Reloader {
  const { github, fleet, reconciler, logger, events } = options;
  const { root, types } = options.source;
  const started: ReadConfig = { settings: options.settings, root };
  let before = started;
  let inForce = options.settings;
  let latest: Promise<unknown> = Promise.resolve();

  const reloadNow = async (signal: AbortSignal): Promise<Reloaded> => {
    const read = await readAgain(options.settings.file, types, signal);
    const next = { ...read, settings: keepUnchanged(started, before, read, inForce) };
    const settings = settingsInForce(inForce, next.settings);
    const credentials = await readCredentials(settings.github.credentials);
    const nextFleet = await fleet.prepare(settings.providers, signal);
    try {
      github.useCredentials(credentials);
    } catch (error) {
      await nextFleet.discard();
      throw error;
    }
    nextFleet.take();
    const { logLevel: level, logFormat: format, reconcileIntervalMs } = settings;
    logger.adjust({ level, format });
    events.adjust(settings.events);
    const letGo = reconciler.apply({ scaleSets: settings.scaleSets, providers: fleet.providers, reconcileIntervalMs });
    letGo.catch((error: unknown) => logger.error('Unexpected failure', { error }));

    const changes = changesOf({ started, before, next: read, inForce: settings });
    before = read;
    inForce = settings;
    options.onChanged(changes, settings);
    const renewed = nextFleet.renewed.map((name) => `provider ${name}: its secret files are read again`);
    await warnOfExposedFiles(settings, logger, signal);
    return {
      applied: [...changes.applied.map(describeChange), ...renewed],
      needsRestart: changes.needsRestart.map(describeChange),
    };
  };

  const reloadAndTell = async (signal: AbortSignal): Promise<Reloaded> => {
    const { installation: name } = options.settings;
    try {
      const reloaded = await reloadNow(signal);
      for (const change of reloaded.applied) logger.info('Configuration changed', { change });
      for (const change of reloaded.needsRestart) logger.warn('A change needs a restart', { change });
      const [applied, waiting] = [reloaded.applied, reloaded.needsRestart].map(({ length }) => String(length));
      events.record({
        action: 'reloaded',
        name,
        message: `Read its configuration again: ${counted(reloaded.applied)} applied, ${counted(reloaded.needsRestart)} waiting for a restart`,
        attributes: { applied: applied ?? '', needs_restart: waiting ?? '' },
      });
      return reloaded;
    } catch (error) {
      if (signal.aborted) throw error;
      logger.error('The configuration was not reloaded; nothing has changed', { error });
      const message = `Could not read its configuration again: ${messageOf(error)}`;
      events.record({ action: 'reload_failed', name, message, attributes: { error: messageOf(error) } });
      throw error;
    }
  };

  return {
    get config() {
      return { ...before, types };
    },
    get settings() {
      return inForce;
    },
    reload(signal) {
      const turn = latest.then(() => reloadAndTell(signal));
      latest = turn.catch(() => {});
      return turn;
    },
  };
}

function counted({ length }: readonly string[]): string {
  return length === 1 ? '1 change' : `${length} changes`;
}

/** @throws RungarError naming everything that is wrong */
async function readAgain(file: string, types: readonly ProviderType[], signal: AbortSignal): Promise<ReadConfig> {
  const config = await loadConfig(file, { types, signal });
  const inFiles = await checkFiles(config, { signal });
  const errors = [...config.problems, ...inFiles]
    .filter(({ severity }) => severity === 'error')
    .sort((a, b) => comparePlaces(a.place, b.place));
  const { settings, root } = config;
  if (settings !== undefined && errors.length === 0) return { settings, root };
  const lines = errors.slice(0, MOST_ERRORS).map(formatProblem);
  const more = errors.length > MOST_ERRORS ? [`and ${errors.length - MOST_ERRORS} more`] : [];
  throw new RungarError('invalid_argument', [...lines, ...more].join('; '), {
    hint: 'The daemon goes on with what it had. Mend the file, check it with `rungar validate`, and reload again.',
  });
}

/** Keys of a provider's entry that are taken up without opening it anew. */
const WITHOUT_OPENING: ReadonlySet<string> = new Set(['weight', 'max_runners', 'disabled']);

/** Providers whose entries say what they said stay open as they are: their connections, caches and pace with them. */
function keepUnchanged(started: ReadConfig, before: ReadConfig, next: ReadConfig, inForce: Settings): Settings {
  const { applied, needsRestart } = changesOf({ started, before, next, inForce: next.settings });
  const changed = new Set(
    [...applied, ...needsRestart].flatMap((change) =>
      change.kind === 'value_changed' && change.provider !== undefined && !WITHOUT_OPENING.has(change.key)
        ? change.provider
        : [],
    ),
  );
  const open = new Map(inForce.providers.map((provider) => [provider.name, provider]));
  const keep = (provider: ProviderSettings): ProviderSettings => {
    const now = open.get(provider.name);
    return now && !changed.has(provider.name) ? { ...provider, configured: now.configured } : provider;
  };
  return { ...next.settings, providers: next.settings.providers.map(keep) };
}
