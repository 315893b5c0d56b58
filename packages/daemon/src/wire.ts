import type { Settings } from '@rungar/config';
import { type GitHubClient, parseConfigUrl, proxySettingsOf, type ScaleSetServiceOptions } from '@rungar/github';
import { RungarError } from '@rungar/model';
import type { Page, PageOptions } from '@rungar/page';
import type { Reconciler, ReconcilerOptions } from '@rungar/reconciler';
import { openByHand } from './by-hand/by-hand.js';
import { stateFilePath } from './by-hand/state-file.js';
import type { Closers } from './closers.js';
import { type Answering, type ControlServer, serveControl } from './control/server.js';
import type { ServiceOptions } from './control/service.js';
import { describeCredentials, readCredentials } from './credentials.js';
import { type EventLog, openEventLog } from './event-log.js';
import { type Fleet, openFleet } from './fleet.js';
import type { AdjustableLogger } from './logs.js';
import { createMachineTime, type MachineTime } from './metrics/machine-time.js';
import { serveMetrics } from './metrics/metrics-server.js';
import { createPrometheus, type DaemonMetrics, noMetrics } from './metrics/prometheus.js';
import { createPageSource } from './page-source.js';
import { openRecording } from './recording.js';
import type { Changes } from './reload/changes.js';
import { createReloader, type Reloaded } from './reload/reload.js';
import { createRunnerVersions, type RunnerVersions } from './runner-versions.js';
import type { StartOptions } from './start.js';

/** The two engines of the daemon, replaceable in tests. */
export interface Engines {
  createScaleSetService(options: ScaleSetServiceOptions): GitHubClient;
  createReconciler(options: ReconcilerOptions): Reconciler;
}

/** A daemon that answers, and does nothing of its own yet. */
export interface Wired {
  readonly reconciler: Reconciler;
  readonly events: EventLog;
  readonly metrics: DaemonMetrics;
  readonly fleet: Fleet;
  readonly github: GitHubClient;
  readonly machineTime: MachineTime;
  readonly runnerVersions: RunnerVersions;
  /** What is in force. */
  settings(): Settings;
  readonly control: ControlServer;
  /** Reads the configuration again. */
  reload(signal: AbortSignal): Promise<Reloaded>;
  /** Where metrics are served, if they are. */
  readonly metricsAddress?: string;
  /** The page, if it is served. */
  readonly page?: Pick<Page, 'url' | 'isPrivate'>;
}

/**
 * Makes every part and joins them: events, GitHub, providers, reconciler, control API, metrics server, page, in this order.
 * Whatever it opened is in `opened`, also when it throws.
 * @throws RungarError naming the part that cannot be had
 */
export async function wire(
  options: StartOptions,
  {
    logger,
    engines,
    opened,
    signal,
  }: { logger: AdjustableLogger; engines: Engines; opened: Closers; signal: AbortSignal },
): Promise<Wired> {
  const { settings, version, commit, host, clock, random, redactor } = options;
  const startedAt = clock.wallNow();

  const { file, maxCount, maxAgeMs } = settings.events;
  let onDrop = (): void => {};
  const events = await openEventLog({
    file,
    maxCount,
    ...(maxAgeMs !== undefined && { maxAgeMs }),
    clock,
    redactor,
    onDrop: () => onDrop(),
    logger: logger.with({ component: 'events' }),
  });
  opened.add('the event log', () => events.close());

  const prometheus = settings.metrics.enable
    ? await createPrometheus({
        version,
        commit,
        nodeVersion: host.nodeVersion,
        startedAt,
        scaleSets: settings.scaleSets.map(({ name }) => name),
        providers: settings.providers.map(({ name }) => name),
      })
    : undefined;
  const metrics = prometheus ?? noMetrics;
  onDrop = () => metrics.countDroppedEvent();
  const machineTime = createMachineTime(clock, (...added) => metrics.addMachineHours(...added));

  const { url, credentials } = settings.github;
  const github = engines.createScaleSetService({
    url,
    credentials: await readCredentials(credentials),
    proxies: proxySettingsOf(options.env ?? {}),
    clock,
    random,
    logger,
    redactor,
    client: { system: 'rungar', version, commitSha: commit, subsystem: 'daemon' },
    onRequest: (code) => metrics.countGitHubRequest(code),
  });
  opened.add('the GitHub client', () => github.close());

  const fleet = await openFleet(
    settings.providers,
    { clock, random, logger, redactor, environment: options.env ?? {} },
    signal,
  );
  opened.add('the providers', () => fleet.close());

  const recording =
    options.record === undefined
      ? undefined
      : await openRecording({ path: options.record, clock, redactor, logger: logger.with({ component: 'recording' }) });
  if (recording) opened.add('the recording', () => recording.close());

  const runnerVersions = createRunnerVersions({ github, events, clock, logger });
  const reconciler = engines.createReconciler({
    installation: settings.installation,
    reconcileIntervalMs: settings.reconcileIntervalMs,
    scaleSets: settings.scaleSets,
    providers: fleet.providers,
    github,
    hostname: host.name || 'unknown',
    clock,
    random,
    logger,
    events: runnerVersions.events,
    metrics,
    ...(recording && { recorder: recording }),
  });

  const byHand = await openByHand({ path: stateFilePath(options.env ?? {}), reconciler, clock, logger });
  opened.add('what is done by hand', async () => byHand.close());

  const { source } = options;
  const reloader =
    source &&
    createReloader({
      ...{ settings, source, github, fleet, reconciler, logger, events },
      onChanged(changes, inForce) {
        metrics.begin(inForce.scaleSets.map(({ name }) => name));
        byHand.forget(changedByFile(changes)).catch((error: unknown) => {
          logger.warn('What the configuration has changed could not be forgotten', { error });
        });
      },
    });
  const settingsNow = (): Settings => reloader?.settings ?? settings;
  const reload = async (until: AbortSignal): Promise<Reloaded> => {
    if (!reloader) throw new RungarError('invalid_argument', 'this daemon was not started from a file');
    return await reloader.reload(until);
  };

  const facts = {
    version,
    commit,
    startedAt,
    configFile: settings.file,
    installation: settings.installation,
    get github() {
      const present = describeCredentials(settingsNow().github.credentials);
      return { url, scope: parseConfigUrl(url).scope.kind, credentials: present };
    },
  };
  const control = await serveControl({
    path: settings.socket,
    load: () =>
      loadAnswering({
        ...{ facts, reconciler, github, events, byHand, machineTime, runnerVersions, clock, redactor },
        ...(reloader && { runningConfig: () => reloader.config, reload }),
      }),
    clock,
    logger,
    umask: (mask) => host.umask(mask),
  });
  opened.add('the socket', () => control.close());

  const server =
    prometheus &&
    (await serveMetrics({
      listen: settings.metrics.listen,
      metrics: prometheus,
      notReady: () => stillStarting(reconciler),
      clock,
    }));
  if (server) {
    opened.add('the metrics server', async () => {
      await server.close();
      prometheus.close();
    });
  }

  const page = settings.page.enable
    ? await openPage({
        listen: settings.page.listen,
        source: createPageSource({
          ...{ reconciler, events, github, byHand, machineTime, runnerVersions, clock, redactor },
        }),
        clock,
      })
    : undefined;
  if (page) opened.add('the page', () => page.close());
  return {
    ...{ reconciler, events, metrics, fleet, github, machineTime, runnerVersions, control, reload },
    settings: settingsNow,
    ...(server && { metricsAddress: server.address }),
    ...(page && { page }),
  };
}

async function loadAnswering(options: ServiceOptions): Promise<Answering> {
  const [{ startAnswering }, { createControlService }] = await Promise.all([
    import('./control/answering.js'),
    import('./control/service.js'),
  ]);
  const { clock, redactor } = options;
  return startAnswering({ service: createControlService(options), clock, redactor });
}

/** Loaded only where it is wanted. */
async function openPage(options: PageOptions): Promise<Page> {
  const { servePage } = await import('@rungar/page');
  return servePage(options);
}

/** Ready is a daemon that has looked at every scale set, whatever it found: one that waits for a session is ready to. */
function stillStarting(reconciler: Reconciler): string | undefined {
  const starting = reconciler.scaleSets().filter(({ phase }) => phase === 'starting');
  return starting.length === 0 ? undefined : `starting: ${starting.map(({ name }) => name).join(', ')}`;
}

/** Whose pausing or disabling the file has changed, or who is gone: what was said by hand does not count any more. */
function changedByFile({ applied }: Changes): { scaleSets: ReadonlySet<string>; providers: ReadonlySet<string> } {
  const names = (removed: 'scale_set_removed' | 'provider_removed', key: string, of: 'scaleSet' | 'provider') =>
    new Set(
      applied.flatMap((change) => {
        const matters = change.kind === removed || (change.kind === 'value_changed' && change.key === key);
        return (matters ? change[of] : undefined) ?? [];
      }),
    );
  return {
    scaleSets: names('scale_set_removed', 'paused', 'scaleSet'),
    providers: names('provider_removed', 'disabled', 'provider'),
  };
}
