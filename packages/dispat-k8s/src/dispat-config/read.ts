import { field, itemPath, type LocatedMap, memberPath, type Place, type ProblemSink } from '@rungar/model';
import { parse } from '@rungar/yaml-source';
import { MOST_INPUT_BYTES } from '../files.js';
import type { ProblemList } from '../problems.js';
import type { DispatConfiguration, Scope, Written } from './configuration.js';
import { readExecution } from './execution.js';
import { readScope } from './scope.js';
import { readToml } from './toml.js';
import { intoInputProblems, nodeAt, readKey } from './values.js';

const flag = field.boolean({ describe: 'a switch' });
const budget = field.integer({ describe: 'how many tasks at a time', min: 0, zeroIsUnset: true });

/**
 * Reads what this package needs of a dispat configuration: JSON or YAML, or TOML in a file named so; a whole file or
 * the `execution` block's own small one. Keys it does not know are left alone: they are dispat's to check.
 * @param text the file's content
 * @param file what to call it in messages
 * @param list takes everything wrong with it, each with its place
 */
export function readDispatConfiguration(text: string, file: string, list: ProblemList): DispatConfiguration {
  const problems = intoInputProblems(list, 'dispat configuration');
  return fromMap(
    file.endsWith('.toml') ? tomlRoot(text, file, problems) : yamlRoot(text, file, problems, list),
    file,
    problems,
  );
}

function tomlRoot(text: string, file: string, problems: ProblemSink): LocatedMap {
  const { root, problem } = readToml(text, file);
  if (root !== undefined) return root;
  problems.add(problem);
  return emptyAt(problem.place);
}

function yamlRoot(text: string, file: string, problems: ProblemSink, list: ProblemList): LocatedMap {
  const { root, problems: faults } = parse(text, { file, mostBytes: MOST_INPUT_BYTES });
  for (const fault of faults) problems.add(fault);
  if (root.kind === 'map') return root;
  const empty = root.kind === 'scalar' && root.isNull;
  if (!empty && faults.length === 0) {
    list.add({
      code: 'DOCUMENT_NOT_OBJECT',
      at: file,
      found: root.kind === 'list' ? 'a list' : 'a single value',
      allowed: 'a mapping of keys, as JSON, YAML or TOML',
      fix: 'name a dispat configuration; one in TOML has a name that ends in .toml',
      place: root.place,
    });
  }
  return emptyAt(root.place);
}

function emptyAt(place: Place): LocatedMap {
  return { kind: 'map', entries: [], place };
}

function fromMap(map: LocatedMap, file: string, problems: ProblemSink): DispatConfiguration {
  const execution = readExecution(map, problems);
  const unsafeDisableLock = readKey(map, 'unsafeDisableLock', flag, '', problems);
  const commitVerify = readKey(commitOf(map), 'verify', flag, 'commit', problems);
  return {
    file,
    map,
    ...readBudgets(map, problems),
    ...(execution && { execution }),
    ...(unsafeDisableLock && { unsafeDisableLock }),
    ...(commitVerify && { commitVerify }),
    defaults: readScope(map, '', problems),
    spaces: readScopes(map, 'spaces', problems),
    packages: readScopes(map, 'packages', problems),
  };
}

/** `commit` may hold a message instead of a mapping: then it says nothing of verification. */
function commitOf(map: LocatedMap): LocatedMap | undefined {
  const node = nodeAt(map, 'commit');
  return node?.kind === 'map' ? node : undefined;
}

/** `[build, publish]`; a single number stands for both. */
function readBudgets(
  map: LocatedMap,
  problems: ProblemSink,
): Pick<DispatConfiguration, 'buildBudget' | 'publishBudget'> {
  const key = 'concurrency';
  const node = nodeAt(map, key);
  if (node === undefined) return {};
  if (node.kind !== 'list') {
    const both = readKey(map, key, budget, '', problems);
    return both === undefined ? {} : { buildBudget: both, publishBudget: both };
  }
  if (node.items.length > 2) {
    problems.add({ severity: 'error', place: node.place, path: key, message: 'must be [builds, publishes]' });
    return {};
  }
  const [build, publish] = node.items.map((item, index): Written<number> | undefined => {
    const value = budget.read(item, itemPath(key, index), problems);
    return value === undefined || value === 0 ? undefined : { value, place: item.place };
  });
  return { ...(build && { buildBudget: build }), ...(publish && { publishBudget: publish }) };
}

function readScopes(map: LocatedMap, key: string, problems: ProblemSink): ReadonlyMap<string, Scope> {
  const scopes = new Map<string, Scope>();
  const node = nodeAt(map, key);
  for (const { key: name, value } of node?.kind === 'map' ? node.entries : []) {
    if (value.kind === 'map') scopes.set(name, readScope(value, memberPath(key, name), problems));
  }
  return scopes;
}
