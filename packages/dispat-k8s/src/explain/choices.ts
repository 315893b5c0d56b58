import { readResources } from '../check/kube/read.js';
import { nameOf } from '../check/kube/resource.js';
import { Resources } from '../check/kube/resources.js';
import type { KubeValue } from '../check/kube/value.js';
import { findPools, type PoolFacts } from '../check/pools/pool.js';
import { redactEndpoint } from '../endpoint.js';
import type { NamedText } from '../files.js';
import { inputError, ProblemList } from '../problems.js';
import { findSetting } from './explain.js';

/** One choice a manifest makes, and its reason. */
export interface Choice {
  /** The setting it belongs to; `explain` has more on it. */
  readonly setting: string;
  /** How the manifest writes it. */
  readonly field: string;
  readonly value: string;
  readonly file: string;
  readonly line: number;
  readonly why: string;
  readonly rules: readonly string[];
}

/** The choices of one pool. */
export interface PoolChoices {
  /** `Job release/dispat-workers`. */
  readonly pool: string;
  readonly choices: readonly Choice[];
  /** JSON pointers of what the manifest says beyond that: other choices, for reasons of its author. */
  readonly unexplained: readonly string[];
}

/**
 * Says why each choice in a pool's manifests is made, in written order.
 * @throws InputError for manifests that cannot be read, or in which nothing runs a worker
 */
export function explainManifest(manifests: readonly NamedText[]): readonly PoolChoices[] {
  const problems = new ProblemList();
  const pools = findPools(new Resources(manifests.flatMap((manifest) => readResources(manifest, problems))));
  problems.throwIfAny();
  if (pools.length === 0) {
    throw inputError({
      code: 'NO_POOL',
      at: manifests.map(({ name }) => name).join(', '),
      found: 'no workload that runs `dispat worker`',
      allowed: 'at least one',
      fix: 'name the file with the Job or the StatefulSet of the workers',
    });
  }
  return pools.map(choicesOf);
}

function choicesOf(pool: PoolFacts): PoolChoices {
  const choices: Choice[] = [];
  const unexplained: string[] = [];
  for (const [field, at] of fieldsOf(pool)) {
    const setting = findSetting(field);
    if (setting === undefined) unexplained.push(at.pointer);
    else choices.push(choiceOf(setting, field, shown(at), at));
  }
  for (const [field, value] of workerChoices(pool)) {
    const setting = findSetting(field);
    if (setting !== undefined && value !== undefined) choices.push(choiceOf(setting, field, value, pool.settings.at));
  }
  return { pool: nameOf(pool.resource), choices, unexplained };
}

function choiceOf(
  { key, reason }: NonNullable<ReturnType<typeof findSetting>>,
  field: string,
  value: string,
  { place }: KubeValue,
): Choice {
  return { setting: key, field, value, file: place.file, line: place.line, why: reason.why, rules: reason.rules };
}

/** What stands for its members, whatever they are. */
const WHOLE = new Set([
  'volumes',
  'volumeMounts',
  'tolerations',
  'affinity',
  'volumeClaimTemplates',
  'imagePullSecrets',
  'args',
  'command',
  'capabilities',
  'seccompProfile',
  'updateStrategy',
  'ports',
  'podFailurePolicy',
  'successPolicy',
  'topologySpreadConstraints',
  'initContainers',
  'persistentVolumeClaimRetentionPolicy',
  'ordinals',
]);
/** What is an address rather than a choice. */
const PLUMBING = new Set(['apiVersion', 'selector', 'serviceName', 'labels', 'containers', 'template']);

function* fieldsOf(pool: PoolFacts): Iterable<readonly [field: string, at: KubeValue]> {
  const { resource, spec, template, pod, worker } = pool;
  yield ['kind', resource.root.at('kind')];
  for (const key of ['name', 'namespace']) {
    const at = resource.root.at('metadata', key);
    if (at.exists) yield [`metadata.${key}`, at];
  }
  if (template.pointer !== '') yield* below(spec, '');
  for (const [key, at] of template.at('metadata', 'annotations').entries) yield [key, at];
  yield* below(pod, '');
  for (const [key, at] of worker.entries) {
    if (key === 'env') for (const entry of at.items) yield [variableField(pool, entry), entry];
    else if (key !== 'name') yield* key === 'resources' ? resourcesOf(at) : member(key, at, '');
  }
  for (const volume of pod.at('volumes').items) {
    const mode = [volume.at('secret', 'defaultMode'), volume.at('projected', 'defaultMode')].find(
      (each) => each.exists,
    );
    if (mode !== undefined) yield ['defaultMode', mode];
  }
}

/** The signing secret's variable is a choice by that role, whatever its name. */
function variableField({ settings }: PoolFacts, entry: KubeValue): string {
  const name = entry.at('name').source ?? '';
  return name === settings.execution?.secretEnv?.value ? 'secretName' : name;
}

function* below(value: KubeValue, path: string): Iterable<readonly [string, KubeValue]> {
  for (const [key, at] of value.entries) yield* member(key, at, path);
}

function* member(key: string, at: KubeValue, path: string): Iterable<readonly [string, KubeValue]> {
  const name = path === '' ? key : `${path}.${key}`;
  if (PLUMBING.has(key)) return;
  if (at.isMap && !WHOLE.has(key)) yield* below(at, key);
  else yield [name, at];
}

function* resourcesOf(resources: KubeValue): Iterable<readonly [string, KubeValue]> {
  for (const [kind, amounts] of resources.entries) {
    for (const [key, at] of amounts.entries) yield [`resources.${kind}.${key}`, at];
  }
}

function shown(at: KubeValue): string {
  if (at.source !== undefined) return at.source.includes('\n') ? 'a script' : at.source;
  const reference = at.at('valueFrom', 'secretKeyRef', 'name').source;
  if (reference !== undefined) return `from the Secret ${reference}`;
  const value = at.at('value').source;
  if (value !== undefined) return value.length > 60 ? 'a text' : value;
  const names = at.items.map((item) => item.at('name').source ?? item.source ?? '…');
  return names.length > 0 ? names.map((name) => (name.includes('\n') ? 'a script' : name)).join(', ') : 'a mapping';
}

/** What the worker's own file and command line choose. */
function workerChoices({ settings }: PoolFacts): readonly (readonly [field: string, value: string | undefined])[] {
  const { execution, flags, names } = settings;
  return [
    ['execution.role', execution?.role?.value],
    ['execution.name', names && `${names.before}${names.hasIndex ? 'INDEX' : ''}${names.after}`],
    ['execution.endpoint', execution?.endpoint && redactEndpoint(execution.endpoint.value)],
    ['execution.secretEnv', execution?.secretEnv?.value],
    ['execution.concurrency', execution?.concurrency && String(execution.concurrency.value)],
    ['execution.transfer', execution?.transfer && JSON.stringify(execution.transfer.value)],
    ['--root', flags?.root],
    ['--state-dir', flags?.stateDir],
    ['--idle-timeout', flags?.idleTimeout === undefined ? undefined : String(flags.idleTimeout)],
  ];
}
