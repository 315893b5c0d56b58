import { asWritten, field, type Located, type LocatedMap, memberPath, type ProblemSink } from '@rungar/model';
import type { Relation, RunOnly, Scope, Where, Written } from './configuration.js';
import { nodeAt, readKey } from './values.js';

const WHERE = ['both', 'worker', 'orchestrator'] as const;
const RELATIONS = ['none', 'build', 'publish'] as const;

const platforms = field.list(
  field.text({ describe: 'a platform', pattern: /^[a-z0-9]+\/[a-z0-9]+$/, want: 'must be like linux/amd64' }),
  { describe: 'the platforms a build may run on', alsoOne: true },
);
const where = field.choice(WHERE, { describe: 'where tasks run' });
const bothWheres = field.list(where, { describe: 'where builds and publishes run' });
const waiting = field.boolean({ describe: 'whether a consumer waits for the publish' });
const relation = field.choice(RELATIONS, { describe: 'what a consumer waits for' });

/** Reads what the root, a space and a package can all say. */
export function readScope(map: LocatedMap | undefined, path: string, problems: ProblemSink): Scope {
  const isBuildWaitingPublish = readRelation(map, path, problems);
  const runOnly = readRunOnly(map, path, problems);
  const buildPlatforms = readKey(map, 'buildPlatforms', platforms, path, problems);
  const buildOutputs = readOutputs(map);
  const login = readLogin(map);
  return {
    ...(isBuildWaitingPublish && { isBuildWaitingPublish }),
    ...(runOnly && { runOnly }),
    ...(buildPlatforms && { buildPlatforms }),
    ...(buildOutputs && { buildOutputs }),
    ...(login && { login }),
  };
}

/** `true` is `{build: publish}`, `false` is `{build: build}`. */
function readRelation(map: LocatedMap | undefined, path: string, problems: ProblemSink): Written<Relation> | undefined {
  const key = 'isBuildWaitingPublish';
  const node = nodeAt(map, key);
  if (node === undefined) return undefined;
  if (node.kind === 'map') return readKey(node, 'build', relation, memberPath(path, key), problems);
  const read = waiting.read(node, memberPath(path, key), problems);
  return read === undefined ? undefined : { value: read ? 'publish' : 'build', place: node.place };
}

/** One word for both tasks, or one for the build and one for the publish. */
function readRunOnly(map: LocatedMap | undefined, path: string, problems: ProblemSink): Written<RunOnly> | undefined {
  const node = nodeAt(map, 'runOnly');
  if (node === undefined) return undefined;
  const at = memberPath(path, 'runOnly');
  const words = node.kind === 'list' ? bothWheres.read(node, at, problems) : one(where.read(node, at, problems));
  if (words === undefined) return undefined;
  const [build, publish = build] = words;
  if (build !== undefined && publish !== undefined && words.length <= 2) {
    return { value: { build, publish }, place: node.place };
  }
  problems.add({ severity: 'error', place: node.place, path: at, message: 'must be one word, or one for each task' });
  return undefined;
}

function one(word: Where | undefined): readonly Where[] | undefined {
  return word === undefined ? undefined : [word];
}

function readOutputs(map: LocatedMap | undefined): Written<readonly string[]> | undefined {
  const node = nodeAt(map, 'buildOutputs');
  if (node === undefined) return undefined;
  const value = node.kind === 'list' ? node.items.map(textOf) : [textOf(node)];
  return value.length === 0 ? undefined : { value, place: node.place };
}

function textOf(node: Located): string {
  return node.kind === 'scalar' ? node.source : '';
}

function readLogin(map: LocatedMap | undefined): Written<true> | undefined {
  const node = nodeAt(map, 'login');
  if (node === undefined || (node.kind === 'scalar' && (node.source === '' || asWritten(node) === 'false')))
    return undefined;
  return { value: true, place: node.place };
}
