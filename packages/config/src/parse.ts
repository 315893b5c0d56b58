import { installationOf } from '@rungar/labels';
import {
  entryOf,
  type Located,
  type LocatedMap,
  memberPath,
  type Problem,
  type ProblemSink,
  type ProviderType,
  placeOf,
  quoted,
  type Reading,
  readMapping,
} from '@rungar/model';
import { type ParsedSource, parse } from '@rungar/yaml-source';
import { EVENTS_FIELDS, METRICS_FIELDS, PAGE_FIELDS, TOP_FIELDS } from './fields.js';
import { FORMAT, type Format } from './format/format.js';
import { migrateTree } from './format/migration.js';
import { readGitHub } from './github.js';
import { addError, collectProblems, comparePlaces } from './problem-list.js';
import { readProviders } from './providers.js';
import { createRunnerReader } from './scale-set-providers.js';
import { readScaleSets } from './scale-sets.js';
import type { ReadableParts, Settings } from './settings.js';
import { checkVersion } from './version.js';

/** How a configuration is read. */
export interface ParseOptions {
  /** What places call the file. */
  readonly file: string;
  /** The types a provider can be of. */
  readonly types: readonly ProviderType[];
}

/** What a configuration says, or everything that is wrong with it. */
export interface ParsedConfig {
  /** There exactly when no problem is an error. */
  readonly settings?: Settings;
  /** Errors and warnings, in the order of their places. */
  readonly problems: readonly Problem[];
  /** What will not be read for ever; warnings, all of them. */
  readonly deprecations: readonly Problem[];
  /** The file as written, with its places, and with old forms replaced by what stands for them now. */
  readonly root: Located;
  /** What could be read of it, errors or not. */
  readonly readable: ReadableParts;
}

/**
 * Reads the text of a configuration file. Pure: reads no file, contacts nothing, never throws.
 *
 * Everything wrong is found at once (docs/reference/configuration.md has the rules). Where the text stops being YAML,
 * what is wrong before that place is found too, but nothing is called missing.
 */
export function parseConfig(text: string, options: ParseOptions): ParsedConfig {
  return parseAs(FORMAT, text, options);
}

/** {@link parseConfig}, of a format that may be another than this release's. */
export function parseAs(format: Format, text: string, { file, types }: ParseOptions): ParsedConfig {
  const source = parse(text, { file });
  const problems = collectProblems();
  for (const problem of source.problems) problems.add(problem);
  const map = topMap(source, problems);
  const read = map === undefined ? undefined : readTop(map, file, types, format, reliable(source, problems));
  const { settings, deprecations = [] } = read ?? {};
  return {
    ...(settings !== undefined && !problems.hasErrors && { settings }),
    problems: problems.sorted(),
    deprecations: source.brokenAt === undefined ? deprecations : [],
    root: read?.map ?? source.root,
    readable: read?.readable ?? { providers: [] },
  };
}

function topMap({ root, brokenAt }: ParsedSource, problems: ProblemSink): LocatedMap | undefined {
  if (root.kind === 'map') return root;
  if (root.kind === 'scalar' && root.isNull && brokenAt === undefined) return emptyMap(root);
  if (brokenAt === undefined) {
    addError(problems, {
      place: root.place,
      path: '',
      message: 'must be a mapping with github, providers and scale_sets',
    });
  }
  return undefined;
}

function emptyMap({ place }: Located): LocatedMap {
  return { kind: 'map', entries: [], place };
}

/** After a syntax error a key may be missing only because it was misunderstood, and so may what comes after. */
function reliable({ brokenAt }: ParsedSource, problems: ProblemSink): ProblemSink {
  if (brokenAt === undefined) return problems;
  return {
    add(problem) {
      const speaksOfAbsence = /^(is missing|names no provider)/.test(problem.message);
      if (comparePlaces(problem.place, brokenAt) < 0 && !speaksOfAbsence) problems.add(problem);
    },
  };
}

interface TopReading {
  readonly settings: Settings | undefined;
  readonly deprecations: readonly Problem[];
  readonly readable: ReadableParts;
  /** The file in the words of today. */
  readonly map: LocatedMap;
}

function readTop(
  written: LocatedMap,
  file: string,
  types: readonly ProviderType[],
  format: Format,
  problems: ProblemSink,
): TopReading {
  const declared = checkVersion(entryOf(written, 'version')?.value, written.place, format, problems);
  const { map, ...migrated } = migrateTree(written, declared.version, format.migrations);
  const deprecations = [...declared.deprecations, ...migrated.deprecations];
  const top = readMapping(map, TOP_FIELDS, '', problems);
  const { values, all } = top;
  const githubMap = section(top, 'github', problems);
  const { settings: github, credentials } = githubMap
    ? readGitHub(githubMap, 'github', problems)
    : { settings: undefined, credentials: undefined };
  const entries = readProviders(values.providers ?? [], 'providers', types, problems);
  const scaleSetNodes = values.scale_sets ?? [];
  const scaleSets = readScaleSets(scaleSetNodes, 'scale_sets', createRunnerReader(entries), problems);
  const metrics = readServed(top, 'metrics', METRICS_FIELDS, problems);
  const page = readServed(top, 'page', PAGE_FIELDS, problems);
  const events = readEvents(top, problems);
  if (all !== undefined && scaleSetNodes.length === 0) {
    const message = 'is empty: no runners will be created';
    problems.add({ severity: 'warning', place: placeOf(map, 'scale_sets'), path: 'scale_sets', message });
  }

  const providers = entries.flatMap(({ settings }) => settings ?? []);
  const rest = { map, deprecations, readable: { providers, ...(credentials !== undefined && { credentials }) } };
  if (all === undefined || github === undefined) return { ...rest, settings: undefined };
  if (metrics === undefined || page === undefined || events === undefined) return { ...rest, settings: undefined };
  if (providers.length < all.providers.length || scaleSets.length < scaleSetNodes.length) {
    return { ...rest, settings: undefined };
  }
  const inlineCredential = github.credentials.kind === 'app' ? github.credentials.privateKey : github.credentials.token;
  const settings: Settings = {
    file,
    github,
    installation: all.installation ?? installationOf(github.url),
    providers,
    scaleSets,
    reconcileIntervalMs: all.reconcile_interval,
    metrics,
    page,
    events,
    socket: all.socket,
    logLevel: all.log_level,
    logFormat: all.log_format,
    holdsSecrets: inlineCredential !== undefined || entries.some((entry) => entry.holdsSecrets),
  };
  return { ...rest, settings };
}

type Top = Reading<typeof TOP_FIELDS>;

/** A section of the file, empty when it has none; nothing when it is no mapping. */
function section(
  top: Top,
  key: 'github' | 'metrics' | 'page' | 'events',
  problems: ProblemSink,
): LocatedMap | undefined {
  const node = top.values[key];
  if (node === undefined) return emptyMap(top.map);
  if (node.kind === 'map') return node;
  addError(problems, { place: node.place, path: key, message: 'must be a mapping' });
  return undefined;
}

/** A section that says whether and where something is served. The address matters only where it is used. */
function readServed(
  top: Top,
  key: 'metrics' | 'page',
  fields: typeof METRICS_FIELDS | typeof PAGE_FIELDS,
  problems: ProblemSink,
): Settings['metrics'] | undefined {
  const map = section(top, key, problems);
  const served = map && readMapping(map, fields, key, problems);
  if (served?.all === undefined) return undefined;
  const { enable, listen } = served.all;
  if (!enable || isHostAndPort(listen)) return { enable, listen };
  const port = fields.listen.fallback?.split(':').at(-1);
  addError(problems, {
    place: placeOf(served.map, 'listen'),
    path: memberPath(key, 'listen'),
    value: listen,
    message: `must be HOST:PORT, like 127.0.0.1:${port} or [::1]:${port}, not ${quoted(listen)}`,
  });
  return undefined;
}

/** The host may be empty; an IPv6 address stands in brackets. */
function isHostAndPort(text: string): boolean {
  const [, port] = /^(?:\[[0-9A-Fa-f:.%a-z]+\]|[^\s:[\]]*):([0-9]{1,5})$/.exec(text) ?? [];
  return port !== undefined && Number(port) <= 65_535;
}

function readEvents(top: Top, problems: ProblemSink): Settings['events'] | undefined {
  const map = section(top, 'events', problems);
  const events = map && readMapping(map, EVENTS_FIELDS, 'events', problems);
  if (events?.all === undefined) return undefined;
  const { file, max_count: maxCount, max_age: maxAgeMs } = events.all;
  return { file, maxCount, ...(maxAgeMs !== undefined && { maxAgeMs }) };
}
