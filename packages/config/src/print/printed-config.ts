import { formatDurationMs, type ScaleSetPolicy } from '@rungar/model';
import { REDACTED } from '../credential-like.js';
import { PAGE_FIELDS } from '../fields.js';
import { FORMAT } from '../format/format.js';
import type { GitHubSettings, ProviderSettings, Settings } from '../settings.js';
import { type CheckedConfig, memberOf, overlayNode, providerNode } from './checked-config.js';
import { printedSchedule } from './printed-schedule.js';
import { redactRunner } from './redact-runner.js';
import { bare, list, map, nodeOf, nodeOfData, text, type YamlMap, type YamlNode } from './yaml-node.js';

/** What of a configuration is shown. */
export interface Showing {
  /**
   * Whether values of `env` and `metadata`, and parts of scripts, are shown that look like credentials. Tokens, keys
   * and passwords of the configuration itself never are.
   */
  readonly showValues?: boolean;
}

/** A configuration as the daemon takes it, ready to be written: the order is the one of the reference page. */
export function printedConfig(config: CheckedConfig, { showValues = false }: Showing = {}): YamlMap {
  const { settings } = config;
  const shown = (runner: YamlNode): YamlNode => (showValues ? runner : redactRunner(runner));
  return map({
    version: bare(FORMAT.current),
    github: printedGitHub(settings.github),
    installation: text(settings.installation),
    providers: list(settings.providers.map((provider, index) => printedProvider(config, provider, index, shown))),
    scale_sets: list(settings.scaleSets.map((scaleSet, index) => printedScaleSet(config, scaleSet, index, shown))),
    reconcile_interval: duration(settings.reconcileIntervalMs),
    metrics: map({ enable: bare(settings.metrics.enable), listen: text(settings.metrics.listen) }),
    page: printedPage(settings.page),
    events: printedEvents(settings.events),
    socket: text(settings.socket),
    log_level: text(settings.logLevel),
    log_format: text(settings.logFormat),
  });
}

function printedGitHub({ url, credentials }: GitHubSettings): YamlNode {
  if (credentials.kind === 'token') {
    const { token, tokenPath } = credentials;
    return map({ url: text(url), token: token && text(REDACTED), token_path: optional(tokenPath, text) });
  }
  const { clientId, installationId, privateKey, privateKeyPath } = credentials;
  return map({
    url: text(url),
    app_client_id: text(clientId),
    app_installation_id: bare(installationId),
    app_private_key: privateKey && text(REDACTED),
    app_private_key_path: optional(privateKeyPath, text),
  });
}

type Shown = (runner: YamlNode) => YamlNode;

function printedProvider(config: CheckedConfig, provider: ProviderSettings, index: number, shown: Shown): YamlNode {
  const common = map({
    name: text(provider.name),
    type: text(provider.type),
    weight: bare(provider.weight),
    max_runners: provider.maxRunners > 0 ? bare(provider.maxRunners) : undefined,
    disabled: provider.disabled ? bare(true) : undefined,
  });
  const own = Object.entries(provider.configured.effective).filter(([, value]) => value !== undefined);
  const runner = memberOf(providerNode(config, index), 'runner');
  return {
    kind: 'map',
    entries: [
      ...common.entries,
      ...own.map(([key, value]) => [key, nodeOfData(value)] as const),
      ...(runner?.kind === 'map' && runner.entries.length > 0 ? [['runner', shown(nodeOf(runner))] as const] : []),
    ],
  };
}

function printedScaleSet(config: CheckedConfig, scaleSet: ScaleSetPolicy, index: number, shown: Shown): YamlNode {
  const furtherLabels = scaleSet.labels.slice(1);
  return map({
    name: text(scaleSet.name),
    labels: furtherLabels.length > 0 ? list(furtherLabels.map(text)) : undefined,
    runner_group: text(scaleSet.runnerGroup),
    min_runners: bare(scaleSet.minRunners),
    max_runners: bare(scaleSet.maxRunners),
    schedule: optional(scaleSet.schedule, printedSchedule),
    priority: scaleSet.priority === 0 ? undefined : bare(scaleSet.priority),
    providers: list(
      scaleSet.providers.map(({ name }, at) => {
        const overlay = overlayNode(config, index, at);
        const saysNothing = overlay === undefined || (overlay.kind === 'map' && overlay.entries.length === 0);
        return map({ name: text(name), runner: saysNothing ? undefined : shown(nodeOf(overlay)) });
      }),
    ),
    placement: text(scaleSet.placement),
    start_timeout: duration(scaleSet.startTimeoutMs),
    max_idle_age: optional(scaleSet.maxIdleAgeMs, duration),
    max_age: optional(scaleSet.maxAgeMs, duration),
    paused: scaleSet.paused ? bare(true) : undefined,
  });
}

/** Left out where it is as it is without a word, so that the Go daemon, which does not know it, takes the file too. */
function printedPage({ enable, listen }: Settings['page']): YamlNode | undefined {
  if (!enable && listen === PAGE_FIELDS.listen.fallback) return undefined;
  return map({ enable: bare(enable), listen: text(listen) });
}

function printedEvents({ file, maxCount, maxAgeMs }: Settings['events']): YamlNode {
  return map({ file: text(file), max_count: bare(maxCount), max_age: optional(maxAgeMs, duration) });
}

function duration(ms: number): YamlNode {
  return bare(formatDurationMs(ms));
}

function optional<T>(value: T | undefined, print: (value: T) => YamlNode): YamlNode | undefined {
  return value === undefined ? undefined : print(value);
}
