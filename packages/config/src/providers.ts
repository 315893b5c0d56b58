import {
  type ConfiguredProvider,
  didYouMean,
  entryOf,
  itemPath,
  type Located,
  type LocatedMap,
  memberPath,
  type Place,
  type ProblemSink,
  type ProviderType,
  placeOf,
  quoted,
  readMapping,
  UNKNOWN_KEY,
} from '@rungar/model';
import { PROVIDER_FIELDS } from './fields.js';
import { addError, oncePerPlace, within } from './problem-list.js';
import type { ProviderSettings } from './settings.js';

/** A provider's entry as far as it could be read. */
export interface ProviderEntry {
  readonly name: string | undefined;
  /** Where its name stands. */
  readonly place: Place;
  readonly path: string;
  /** Its runner block, when that is a mapping. */
  readonly runner: LocatedMap | undefined;
  /** Whether one of its keys holds a secret. */
  readonly holdsSecrets: boolean;
  /** Nothing when the entry has problems. */
  readonly settings: ProviderSettings | undefined;
  /** Nothing when the keys of its type have problems. */
  readonly configured: ConfiguredProvider | undefined;
  /** Reads a merged runner block as far as the entry lets it; nothing when its type or its own block is not known. */
  readonly parseRunner: ConfiguredProvider['parseRunner'] | undefined;
}

/** Reads `providers`, each with its own type's rules, and finds two that are one. */
export function readProviders(
  nodes: readonly Located[],
  path: string,
  types: readonly ProviderType[],
  problems: ProblemSink,
): readonly ProviderEntry[] {
  const entries: ProviderEntry[] = [];
  const said = new Set<string>();
  for (const [index, node] of nodes.entries()) {
    const at = itemPath(path, index);
    if (node.kind === 'map') entries.push(readProvider(node, at, types, said, problems));
    else addError(problems, { place: node.place, path: at, message: 'must be a mapping with name and type' });
  }
  refuseTwins(entries, problems);
  return entries;
}

function readProvider(
  map: LocatedMap,
  path: string,
  types: readonly ProviderType[],
  said: Set<string>,
  problems: ProblemSink,
): ProviderEntry {
  const isCommon = (key: string): boolean => Object.hasOwn(PROVIDER_FIELDS, key);
  const common = { ...map, entries: map.entries.filter(({ key }) => isCommon(key)) };
  const own = { ...map, entries: map.entries.filter(({ key }) => !isCommon(key)) };
  const written = entryOf(map, 'name')?.value;
  const hasName = written?.kind === 'scalar' && written.source !== '' && !written.isNull;
  const named = oncePerPlace(said, hasName ? within(problems, `on provider ${quoted(written.source)}`) : problems);

  const { values, wrong, all } = readMapping(common, PROVIDER_FIELDS, path, named);
  const type = findType(map, path, values.type, types, named);
  const configured = type?.configure(own, path, withCommonKeys(path, own, named));
  if (type === undefined) refuseMisspelled(own, path, named);
  const { runner } = values;
  if (runner !== undefined && runner.kind !== 'map') {
    addError(named, { place: runner.place, path: memberPath(path, 'runner'), message: 'must be a mapping, or null' });
  }
  const holdsSecrets = type?.secretKeys.some((key) => own.entries.some((entry) => entry.key === key)) ?? false;
  const fine = all !== undefined && configured !== undefined;
  const isBlock = runner === undefined ? !wrong.has('runner') : runner.kind === 'map';
  return {
    name: values.name,
    place: placeOf(map, 'name'),
    path,
    runner: runner?.kind === 'map' ? runner : undefined,
    holdsSecrets,
    configured,
    parseRunner: isBlock ? runnerParser(type, configured) : undefined,
    settings: fine
      ? {
          name: all.name,
          type: all.type,
          weight: all.weight,
          maxRunners: all.max_runners,
          disabled: all.disabled,
          configured,
        }
      : undefined,
  };
}

function runnerParser(
  type: ProviderType | undefined,
  configured: ConfiguredProvider | undefined,
): ConfiguredProvider['parseRunner'] | undefined {
  if (configured !== undefined) return (...block) => configured.parseRunner(...block);
  if (type?.checkRunner === undefined) return undefined;
  return (...block) => {
    type.checkRunner?.(...block);
    return undefined;
  };
}

function findType(
  map: LocatedMap,
  path: string,
  name: string | undefined,
  types: readonly ProviderType[],
  problems: ProblemSink,
): ProviderType | undefined {
  if (name === undefined) return undefined;
  const type = types.find((each) => each.type === name);
  if (type !== undefined) return type;
  const known = types.map((each) => each.type).sort();
  const hint = didYouMean(name, known);
  addError(problems, {
    place: placeOf(map, 'type'),
    path: memberPath(path, 'type'),
    value: name,
    message: `must be one of ${known.join(', ')}, not ${quoted(name)}`,
    ...(hint !== undefined && { hint }),
  });
  return undefined;
}

/** Without a type its keys cannot be checked, but one may be meant for a key every provider has: for `type`, say. */
function refuseMisspelled(own: LocatedMap, path: string, problems: ProblemSink): void {
  for (const { key, keyPlace } of own.entries) {
    const hint = didYouMean(key, Object.keys(PROVIDER_FIELDS));
    if (hint === undefined) continue;
    addError(problems, { place: keyPlace, path: memberPath(path, key), message: UNKNOWN_KEY, hint });
  }
}

/** A type knows its own keys only: a misspelled one may be meant for a key every provider has. */
function withCommonKeys(path: string, own: LocatedMap, problems: ProblemSink): ProblemSink {
  const keys = new Map(own.entries.map(({ key }) => [memberPath(path, key), key]));
  return {
    add(problem) {
      const key = keys.get(problem.path);
      const isUnknown = key !== undefined && problem.message === UNKNOWN_KEY;
      const hint = isUnknown ? didYouMean(key, Object.keys(PROVIDER_FIELDS)) : undefined;
      problems.add(hint === undefined || problem.hint?.startsWith('did you mean') ? problem : { ...problem, hint });
    },
  };
}

function refuseTwins(entries: readonly ProviderEntry[], problems: ProblemSink): void {
  const names = new Map<string, ProviderEntry>();
  const endpoints = new Map<string, ProviderEntry>();
  for (const entry of entries) {
    const { name, place, path, settings } = entry;
    if (name === undefined) continue;
    const namesake = names.get(name);
    if (namesake !== undefined) {
      const message = `is the name of two providers: ${quoted(name)} stands on line ${namesake.place.line} too`;
      addError(problems, { place, path: memberPath(path, 'name'), value: name, message });
      continue;
    }
    names.set(name, entry);
    const endpoint = settings?.configured.endpoint;
    if (endpoint === undefined) continue;
    const twin = endpoints.get(endpoint);
    if (twin === undefined) endpoints.set(endpoint, entry);
    else {
      const message = `providers ${quoted(twin.name ?? '')} and ${quoted(name)} are one backend, ${endpoint}`;
      addError(problems, { place, path, message, hint: 'keep one of them' });
    }
  }
}
