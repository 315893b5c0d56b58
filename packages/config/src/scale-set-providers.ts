import {
  didYouMean,
  entryOf,
  itemPath,
  type Located,
  type LocatedScalar,
  memberPath,
  type ParsedRunner,
  type Place,
  type ProblemSink,
  quoted,
  readMapping,
  type ScaleSetProvider,
} from '@rungar/model';
import { SCALE_SET_PROVIDER_FIELDS } from './fields.js';
import { mergeRunner } from './merge-runner.js';
import { addError, oncePerPlace, within } from './problem-list.js';
import type { ProviderEntry } from './providers.js';

/**
 * Reads a scale set's `providers`: which they are, and what its runner is on each.
 * @param sampleName the name one of its runners could have, where it can have one
 * @returns nothing when one has problems
 */
export type RunnerReader = (
  nodes: readonly Located[],
  path: string,
  sampleName: string | undefined,
  problems: ProblemSink,
) => readonly ScaleSetProvider[] | undefined;

interface Reference {
  readonly name: string;
  readonly place: Place;
  readonly path: string;
  /** What the scale set writes over the provider's own block; null clears it. */
  readonly runner: Located | undefined;
  /** Whether nothing else of it is wrong. */
  readonly isFine: boolean;
}

/** A file that names more unknown providers than this is not mended by suggestions, and there may be thousands of both. */
const MOST_SUGGESTIONS = 100;

/**
 * How many values the merged runner blocks of a file may have altogether: a large block of a provider times thousands of
 * scale sets is more than any memory holds.
 */
const MOST_VALUES = 1_000_000;

/** A reader for every scale set of one file: a mistake in a provider's own block is said once, not for each of them. */
export function createRunnerReader(entries: readonly ProviderEntry[]): RunnerReader {
  const byName = new Map<string, ProviderEntry>();
  for (const entry of entries) if (entry.name !== undefined && !byName.has(entry.name)) byName.set(entry.name, entry);
  const unchanged = new Map<string, ParsedRunner | undefined>();
  const said = new Set<string>();
  let suggested = 0;
  let values = 0;

  return (nodes, path, sampleName, problems) => {
    const seen = new Set<string>();
    const providers: ScaleSetProvider[] = [];
    for (const [index, node] of nodes.entries()) {
      const reference = readReference(node, itemPath(path, index), problems);
      if (reference === undefined) continue;
      if (seen.has(reference.name)) {
        const message = `lists the provider ${quoted(reference.name)} a second time`;
        addError(problems, { place: reference.place, path: reference.path, message, hint: 'keep one of them' });
        continue;
      }
      seen.add(reference.name);
      const parsed = read(reference, sampleName, problems);
      if (parsed !== undefined) providers.push({ name: reference.name, ...parsed });
    }
    return providers.length === nodes.length ? providers : undefined;
  };

  function read(reference: Reference, sampleName: string | undefined, problems: ProblemSink): ParsedRunner | undefined {
    const { name, place, path } = reference;
    const entry = byName.get(name);
    if (entry === undefined) {
      const hint = suggested++ < MOST_SUGGESTIONS ? didYouMean(name, byName.keys()) : undefined;
      const message = `names no provider of this file: ${quoted(name)}`;
      addError(problems, { place, path, value: name, message, ...(hint !== undefined && { hint }) });
      return undefined;
    }
    const named = within(problems, `on provider ${quoted(name)}`);
    const refusal = sampleName === undefined ? undefined : entry.configured?.checkRunnerName(sampleName);
    if (refusal !== undefined) addError(named, { place, path, message: refusal, hint: 'rename the scale set' });
    const parsed = parse(reference, entry, named);
    return refusal === undefined && reference.isFine ? parsed : undefined;
  }

  function parse(reference: Reference, entry: ProviderEntry, problems: ProblemSink): ParsedRunner | undefined {
    const { name, place, runner } = reference;
    if (runner === undefined && unchanged.has(name)) return unchanged.get(name);
    const path = memberPath(reference.path, 'runner');
    const merged = mergeRunner(entry.runner, runner);
    if (values > MOST_VALUES) return undefined;
    values += merged === undefined ? 0 : sizeOf(merged);
    if (values > MOST_VALUES) {
      const message = `makes the runner blocks of this file come to more than ${MOST_VALUES} values`;
      addError(problems, { place, path, message, hint: 'repeat less' });
      return undefined;
    }
    const block = merged?.kind === 'map' ? merged : undefined;
    const parsed = entry.parseRunner?.(block, place, path, oncePerPlace(said, problems));
    if (runner === undefined && entry.runner !== undefined) unchanged.set(name, parsed);
    return parsed;
  }
}

function readReference(node: Located, path: string, problems: ProblemSink): Reference | undefined {
  if (node.kind === 'scalar') {
    if (!node.isNull && node.source !== '') {
      return { name: node.source, place: node.place, path, runner: undefined, isFine: true };
    }
    addError(problems, { place: node.place, path, message: 'must be the name of a provider' });
    return undefined;
  }
  if (node.kind === 'list') {
    addError(problems, { place: node.place, path, message: 'must be the name of a provider, or a mapping with name' });
    return undefined;
  }
  const { values, all } = readMapping(node, SCALE_SET_PROVIDER_FIELDS, path, problems);
  const runner = entryOf(node, 'runner')?.value;
  if (runner !== undefined && runner.kind !== 'map' && !isNull(runner)) {
    addError(problems, {
      place: runner.place,
      path: memberPath(path, 'runner'),
      message: "must be a mapping, or null to clear the provider's",
    });
    return undefined;
  }
  if (values.name === undefined) return undefined;
  return { name: values.name, place: node.place, path, runner, isFine: all !== undefined };
}

function isNull(node: Located): node is LocatedScalar {
  return node.kind === 'scalar' && node.isNull;
}

/** How many values a block consists of, itself included. */
function sizeOf(node: Located): number {
  if (node.kind === 'scalar') return 1;
  const inside = node.kind === 'list' ? node.items : node.entries.map(({ value }) => value);
  return inside.reduce((size, each) => size + sizeOf(each), 1);
}
