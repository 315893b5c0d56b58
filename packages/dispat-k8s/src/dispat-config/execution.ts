import { field, itemPath, type LocatedMap, memberPath, type ProblemSink } from '@rungar/model';
import type { Execution, WorkerLink, Written } from './configuration.js';
import { mapOf, nodeAt, readKey } from './values.js';

const text = field.text({ describe: 'text' });
const seconds = field.integer({ describe: 'whole seconds', min: 0, zeroIsUnset: true });
const slots = field.integer({ describe: 'how many tasks at a time', min: 1 });
const ceiling = field.integer({ describe: 'a ceiling', min: 0 });

const TRANSFER_KEYS = ['maxFiles', 'maxBytes', 'maxManifestBytes', 'timeout'] as const;

/** Reads the `execution` block of a root file. */
export function readExecution(root: LocatedMap, problems: ProblemSink): Execution | undefined {
  const path = 'execution';
  const map = mapOf(root, path, '', problems);
  if (map === undefined) return undefined;
  const texts = {
    role: readKey(map, 'role', text, path, problems),
    name: readKey(map, 'name', text, path, problems),
    endpoint: readKey(map, 'endpoint', text, path, problems),
    secretEnv: readKey(map, 'secretEnv', text, path, problems),
  };
  const concurrency = readKey(map, 'concurrency', slots, path, problems);
  const transfer = readTransfer(map, memberPath(path, 'transfer'), problems);
  const workers = readWorkers(map, memberPath(path, 'workers'), problems);
  return {
    place: map.place,
    map,
    timeouts: readTimeouts(map, memberPath(path, 'timeouts'), problems),
    ...(texts.role && { role: texts.role }),
    ...(texts.name && { name: texts.name }),
    ...(texts.endpoint && { endpoint: texts.endpoint }),
    ...(texts.secretEnv && { secretEnv: texts.secretEnv }),
    ...(concurrency && { concurrency }),
    ...(transfer && { transfer }),
    ...(workers && { workers }),
  };
}

function readTimeouts(map: LocatedMap, path: string, problems: ProblemSink): Execution['timeouts'] {
  const timeouts = mapOf(map, 'timeouts', 'execution', problems);
  const preflight = readKey(timeouts, 'preflight', seconds, path, problems);
  const task = readKey(timeouts, 'task', seconds, path, problems);
  const cancel = readKey(timeouts, 'cancel', seconds, path, problems);
  return { ...(preflight && { preflight }), ...(task && { task }), ...(cancel && { cancel }) };
}

function readTransfer(map: LocatedMap, path: string, problems: ProblemSink): Execution['transfer'] {
  const transfer = mapOf(map, 'transfer', 'execution', problems);
  if (transfer === undefined) return undefined;
  const value: Record<string, number> = {};
  for (const key of TRANSFER_KEYS) {
    const read = readKey(transfer, key, ceiling, path, problems);
    if (read !== undefined) value[key] = read.value;
  }
  return { value, place: transfer.place };
}

function readWorkers(map: LocatedMap, path: string, problems: ProblemSink): Written<readonly WorkerLink[]> | undefined {
  const node = nodeAt(map, 'workers');
  if (node === undefined) return undefined;
  if (node.kind !== 'list') {
    problems.add({ severity: 'error', place: node.place, path, message: 'must be a list of workers' });
    return undefined;
  }
  const links = node.items.map((item, index): WorkerLink => {
    const at = itemPath(path, index);
    if (item.kind !== 'map') {
      problems.add({
        severity: 'error',
        place: item.place,
        path: at,
        message: 'must be a mapping like {name: w-0, endpoint: …}',
      });
      return { place: item.place };
    }
    const name = readKey(item, 'name', text, at, problems);
    const endpoint = readKey(item, 'endpoint', text, at, problems);
    return { place: item.place, ...(name && { name }), ...(endpoint && { endpoint }) };
  });
  return { value: links, place: node.place };
}
