import type { Place } from '@rungar/model';
import { readDispatConfiguration } from '../dispat-config/read.js';
import type { NamedText } from '../files.js';
import { kubeVersionOf, notAKubeVersion } from '../kube-version.js';
import { readDurations } from '../plan/durations.js';
import { parsePlan } from '../plan/parse-plan.js';
import { ProblemList } from '../problems.js';
import type { Facts } from './facts.js';
import { ignoresOf } from './ignores.js';
import { readImageContents } from './image-contents.js';
import { readQuantity } from './kube/quantity.js';
import { readResources } from './kube/read.js';
import type { Resource } from './kube/resource.js';
import { Resources } from './kube/resources.js';
import { readLinks } from './links.js';
import { findPools, type PoolFacts } from './pools/pool.js';
import { workloadOf } from './pools/workload.js';
import type { CheckReport, Finding, IgnoredFinding, ReportObject } from './report/model.js';
import { type Found, type Hit, type Rule, SEVERITIES, type Severity } from './rule.js';
import { rules } from './rules/index.js';
import { UNREAD_RULE } from './rules/meta.js';

/** What is checked, and what is known of the world around it. */
export interface CheckInput {
  /** Kubernetes objects: YAML streams or JSON. */
  readonly manifests: readonly NamedText[];
  /** The orchestrator's dispat configuration: JSON, YAML or TOML. */
  readonly dispatConfig?: NamedText;
  /** The release's `--worker` flags: `name=endpoint`, or a name alone. */
  readonly workers?: readonly string[];
  /** What `dispat status --log-format json` printed. */
  readonly plan?: NamedText;
  readonly durations?: NamedText;
  /** Secrets the release job uses. */
  readonly releaseSecrets?: readonly string[];
  /** Variables and Secrets that builds really need. */
  readonly buildSecrets?: readonly string[];
  /** A quantity: the cores of the machines the pods are for. */
  readonly machineCpu?: string;
  /** How many machines there can be. */
  readonly machines?: number;
  /** The cluster's version, such as `1.32`. */
  readonly kube?: string;
  readonly karpenter?: boolean;
  readonly policyElsewhere?: boolean;
  /** Kinds, such as `NetworkPolicy`, whose objects may not be listed in the cluster that the manifests were read from. */
  readonly unlisted?: readonly string[];
  readonly refsProtected?: boolean;
  readonly releaseRemote?: string;
  /** Paths and passwd lines of the worker's image. */
  readonly imageContents?: NamedText;
  /** Further labels of preemptible machines: `key` or `key=value`. */
  readonly spotLabels?: readonly string[];
  /** Rules to leave out. */
  readonly disable?: readonly string[];
  /** Another severity for a rule's findings, by its id. */
  readonly severity?: Readonly<Record<string, Severity>>;
}

/**
 * Checks the pools of workers in some manifests, and says which rules each of them breaks.
 * @throws InputError with everything wrong with the inputs; `NO_POOL` when nothing in them runs a worker
 * @see docs/reference/dispat-worker-rules.md
 */
export function check(input: CheckInput): CheckReport {
  const problems = new ProblemList();
  const facts = readFacts(input, problems);
  problems.throwIfAny();
  if (facts.pools.length === 0) reportNoPool(input, problems);
  problems.throwIfAny();
  return reportOn(facts, input);
}

/** Reads everything the rules look at. */
function readFacts(input: CheckInput, problems: ProblemList): Facts {
  const resources = new Resources(input.manifests.flatMap((manifest) => readResources(manifest, problems)));
  const { dispatConfig, plan, durations, imageContents, machineCpu } = input;
  const configuration = dispatConfig && readDispatConfiguration(dispatConfig.text, dispatConfig.name, problems);
  const parsed = plan && parsePlan(plan.text, plan.name);
  for (const problem of parsed?.problems ?? []) problems.add(problem);
  return {
    resources,
    workloads: resources.all.flatMap((resource) => workloadOf(resource) ?? []),
    pools: findPools(resources),
    configuration,
    links: readLinks(configuration, input.workers ?? [], problems),
    plan: parsed?.plan,
    durations: durations && readDurations(durations.text, durations.name, problems),
    surroundings: {
      releaseSecrets: input.releaseSecrets ?? [],
      buildSecrets: input.buildSecrets ?? [],
      spotLabels: input.spotLabels ?? [],
      machineCpu: machineCpu === undefined ? undefined : readCores(machineCpu, problems),
      machines: input.machines,
      releaseRemote: input.releaseRemote,
      imageContents: imageContents && readImageContents(imageContents.text),
      kube: input.kube === undefined ? undefined : readKube(input.kube, problems),
      karpenter: input.karpenter ?? false,
      policyElsewhere: input.policyElsewhere ?? false,
      unlisted: input.unlisted ?? [],
      refsProtected: input.refsProtected ?? false,
    },
  };
}

function readCores(text: string, problems: ProblemList): number | undefined {
  const cores = readQuantity(text);
  if (cores !== undefined && cores > 0) return cores;
  return problems.add({
    code: 'QUANTITY_INVALID',
    at: 'machineCpu',
    found: JSON.stringify(text),
    allowed: 'a quantity above 0',
    fix: 'write the cores of one machine, for example 8',
  });
}

function readKube(text: string, problems: ProblemList): string | undefined {
  return kubeVersionOf(text) ?? problems.add({ at: 'kube', ...notAKubeVersion(text) });
}

function reportNoPool({ manifests }: CheckInput, problems: ProblemList): void {
  problems.add({
    code: 'NO_POOL',
    at: manifests.map(({ name }) => name).join(', ') || 'manifests',
    found: 'no workload that runs `dispat worker`',
    allowed: 'at least one, recognised by its command or by the label app.kubernetes.io/name: dispat-worker',
    fix: 'name the file with the Job or the StatefulSet of the workers',
  });
}

interface Spoken {
  readonly rule: Rule;
  readonly hit: Hit;
}

function reportOn(facts: Facts, { disable = [], severity = {} }: CheckInput): CheckReport {
  const active = rules.filter(({ id }) => !disable.includes(id));
  const found = active.flatMap((rule) => [...rule.find(facts)].map((each) => ({ rule, found: each })));
  const hits = found.flatMap(({ rule, found: each }): Spoken[] => ('unknown' in each ? [] : [{ rule, hit: each }]));
  const unread = active.includes(UNREAD_RULE) ? unreadHits(found) : [];
  const findings: Finding[] = [];
  const ignored: IgnoredFinding[] = [];
  for (const { rule, hit } of [...hits, ...unread]) {
    const finding = findingOf(rule, hit, severity[rule.id]);
    const because = reasonToIgnore(rule, hit.pool);
    if (because === undefined) findings.push(finding);
    else ignored.push({ ...finding, ignoredBecause: because });
  }
  const count = (level: Severity): number => findings.filter((each) => each.severity === level).length;
  return {
    pools: facts.pools.map(({ resource, nodeNames }) => ({
      ...objectOf(resource),
      ...(nodeNames && { nodes: nodeNames }),
    })),
    summary: { error: count('error'), warning: count('warning'), info: count('info'), ignored: ignored.length },
    findings: findings.toSorted(bySeverity),
    ignored: ignored.toSorted(bySeverity),
  };
}

/** One hit for each thing that could not be read, naming the rules that need it. */
function unreadHits(found: readonly { readonly rule: Rule; readonly found: Found }[]): Spoken[] {
  const groups = new Map<string, { pool: PoolFacts | undefined; unknown: string; ids: Set<string> }>();
  for (const { rule, found: each } of found) {
    if (!('unknown' in each)) continue;
    const key = `${each.pool?.resource.root.place.line} ${each.pool?.resource.root.place.file} ${each.unknown}`;
    const group = groups.get(key) ?? { pool: each.pool, unknown: each.unknown, ids: new Set() };
    group.ids.add(rule.id);
    groups.set(key, group);
  }
  return [...groups.values()].map(({ pool, unknown, ids }) => ({
    rule: UNREAD_RULE,
    hit: {
      ...(pool && { pool, at: pool.settings.at }),
      message: `could not read ${unknown}: unknown to ${[...ids].join(', ')}`,
    },
  }));
}

function findingOf(rule: Rule, hit: Hit, severity: Severity | undefined): Finding {
  const { pool, at, message } = hit;
  const resource = hit.resource ?? (hit.place === undefined ? pool?.resource : undefined);
  const place: Place | undefined = hit.place ?? at?.place ?? resource?.root.place;
  return {
    rule: rule.id,
    severity: severity ?? hit.severity ?? rule.severity,
    title: rule.title,
    message,
    reason: rule.why,
    fix: hit.fix ?? rule.fix,
    reference: rule.page,
    ...(resource && { object: objectOf(resource) }),
    ...(resource && at && hit.place === undefined && { pointer: at.pointer }),
    ...(place && { file: place.file, line: place.line, column: place.column }),
  };
}

function objectOf({ apiVersion, kind, namespace, name }: Resource): ReportObject {
  return { apiVersion, kind, ...(namespace !== undefined && { namespace }), name };
}

/** The reason an annotation of the pool gives for leaving a rule out; the rule about such annotations stays. */
function reasonToIgnore({ id }: Rule, pool: PoolFacts | undefined): string | undefined {
  if (pool === undefined || id === 'DWM000') return undefined;
  return ignoresOf(pool).find(({ ids, reason }) => reason !== undefined && ids.includes(id))?.reason;
}

function bySeverity(a: Finding, b: Finding): number {
  return (
    SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity) ||
    compareTexts(a.rule, b.rule) ||
    compareTexts(a.file ?? '', b.file ?? '') ||
    (a.line ?? 0) - (b.line ?? 0)
  );
}

function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Whether a report has a finding at a level or above it. */
export function reaches({ summary }: CheckReport, level: Severity | 'never'): boolean {
  return level !== 'never' && SEVERITIES.slice(0, SEVERITIES.indexOf(level) + 1).some((each) => summary[each] > 0);
}
