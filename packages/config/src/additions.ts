import {
  entryOf,
  type Fields,
  itemPath,
  type Located,
  memberPath,
  type Problem,
  type ProblemSink,
  type ProviderType,
} from '@rungar/model';
import {
  EVENTS_FIELDS,
  GITHUB_FIELDS,
  METRICS_FIELDS,
  PROVIDER_FIELDS,
  SCALE_SET_FIELDS,
  SCALE_SET_PROVIDER_FIELDS,
  SCHEDULE_FIELDS,
  TOP_FIELDS,
  WINDOW_FIELDS,
} from './fields.js';
import { addError, collectProblems, oncePerPlace } from './problem-list.js';

/**
 * What a file uses that the Go daemon does not know, and would refuse the file for: keys that are declared as
 * additions, at every depth. A file without any means the same to both.
 * @param root the file as written
 */
export function additionsIn(root: Located, types: readonly ProviderType[]): readonly Problem[] {
  const found = collectProblems();
  const once = oncePerPlace(new Set(), found);
  const look = (node: Located | undefined, fields: Fields, path: string): void =>
    lookForAdditions(node, fields, path, once);

  look(root, TOP_FIELDS, '');
  look(member(root, 'github'), GITHUB_FIELDS, 'github');
  look(member(root, 'metrics'), METRICS_FIELDS, 'metrics');
  look(member(root, 'events'), EVENTS_FIELDS, 'events');

  const typeOf = new Map<string, ProviderType>();
  for (const [index, entry] of itemsOf(member(root, 'providers')).entries()) {
    const path = itemPath('providers', index);
    const type = types.find((each) => each.type === textOf(member(entry, 'type')));
    const name = textOf(member(entry, 'name'));
    if (name !== undefined && type !== undefined) typeOf.set(name, type);
    look(entry, { ...type?.fields?.entry, ...PROVIDER_FIELDS }, path);
    look(member(entry, 'runner'), type?.fields?.runner ?? {}, memberPath(path, 'runner'));
  }
  for (const [index, scaleSet] of itemsOf(member(root, 'scale_sets')).entries()) {
    const path = itemPath('scale_sets', index);
    look(scaleSet, SCALE_SET_FIELDS, path);
    const schedule = member(scaleSet, 'schedule');
    look(schedule, SCHEDULE_FIELDS, memberPath(path, 'schedule'));
    for (const [at, window] of itemsOf(member(schedule, 'windows')).entries())
      look(window, WINDOW_FIELDS, itemPath(`${path}.schedule.windows`, at));
    for (const [at, reference] of itemsOf(member(scaleSet, 'providers')).entries()) {
      const here = itemPath(memberPath(path, 'providers'), at);
      look(reference, SCALE_SET_PROVIDER_FIELDS, here);
      const type = typeOf.get(textOf(member(reference, 'name')) ?? '');
      look(member(reference, 'runner'), type?.fields?.runner ?? {}, memberPath(here, 'runner'));
    }
  }
  return found.sorted();
}

/** Whether a key says anything or not: the Go daemon refuses it even with a null. */
function lookForAdditions(node: Located | undefined, fields: Fields, path: string, problems: ProblemSink): void {
  if (node?.kind !== 'map') return;
  for (const { key, keyPlace, value } of node.entries) {
    const field = Object.hasOwn(fields, key) ? fields[key] : undefined;
    if (field === undefined) continue;
    const at = memberPath(path, key);
    if (field.addition) {
      const message = 'is an addition of Rungar for Node: the Go daemon refuses a file with this key';
      addError(problems, { place: keyPlace, path: at, message, hint: 'take it away for the Go daemon' });
      continue;
    }
    const { shape } = field;
    if (shape.kind === 'mapping') lookForAdditions(value, shape.fields, at, problems);
    if (shape.kind !== 'list' || shape.of.shape.kind !== 'mapping') continue;
    for (const [index, item] of itemsOf(value).entries())
      lookForAdditions(item, shape.of.shape.fields, itemPath(at, index), problems);
  }
}

function member(node: Located | undefined, key: string): Located | undefined {
  return node?.kind === 'map' ? entryOf(node, key)?.value : undefined;
}

function itemsOf(node: Located | undefined): readonly Located[] {
  return node?.kind === 'list' ? node.items : [];
}

function textOf(node: Located | undefined): string | undefined {
  return node?.kind === 'scalar' && !node.isNull ? node.source : undefined;
}
