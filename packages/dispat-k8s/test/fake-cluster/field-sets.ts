import { isDeepStrictEqual } from 'node:util';
import { type FakeObject, type FieldSet, isRecord, type ManagedFields, Refusal } from './objects.js';

/**
 * Server-side apply as far as this package's tests need it: the merge by fields, lists of named items as maps, who owns
 * which leaf, conflicts, and fields that go when their last owner leaves them out.
 */
export function serverSideApply(
  live: FakeObject | undefined,
  applied: FakeObject,
  manager: string,
  force: boolean,
  time: string,
): FakeObject {
  const wanted = fieldsOf(applied);
  const owners = ownersOf(live);
  const mine = owners.get(manager) ?? new Map();
  const others = [...owners].filter(([name]) => name !== manager);
  if (live !== undefined && !force) refuseConflicts(live, wanted, others, applied.apiVersion);

  const result: FakeObject = structuredClone(live ?? bare(applied));
  for (const [key, path] of mine) {
    const isShared = others.some(([, fields]) => fields.has(key));
    if (!wanted.has(key) && !isShared) removeAt(result, path);
  }
  for (const [, { path, value }] of wanted) setAt(result, path, value);

  for (const [name, fields] of others) {
    for (const [key, path] of fields) {
      const want = wanted.get(key);
      if (want !== undefined && !isDeepStrictEqual(getAt(live, path), want.value)) fields.delete(key);
    }
    owners.set(name, fields);
  }
  owners.set(manager, new Map([...wanted].map(([key, { path }]) => [key, path])));
  result.metadata.managedFields = writeManaged(owners, live, applied.apiVersion, manager, time);
  return result;
}

/** Records that a manager set fields by another way than apply: those of `part`, which has the object's shape. */
export function ownByUpdate(object: FakeObject, part: FakeObject, manager: string, time: string): void {
  const before = ownersOf(object).get(manager) ?? new Map<string, readonly Step[]>();
  const fields = new Map([...before, ...[...fieldsOf(part)].map(([key, { path }]) => [key, path] as const)]);
  object.metadata.managedFields = [
    ...(object.metadata.managedFields ?? []).filter((entry) => entry.manager !== manager),
    entryOf(manager, 'Update', object.apiVersion, fields, time),
  ];
}

/** A step of a path: a field, or an item of a list by its name. */
type Step = { readonly field: string } | { readonly item: string };

interface Leaf {
  readonly path: readonly Step[];
  readonly value: unknown;
}

const SYSTEM = new Set(['apiVersion', 'kind', 'status']);
const SYSTEM_METADATA = new Set([
  'name',
  'namespace',
  'uid',
  'resourceVersion',
  'creationTimestamp',
  'deletionTimestamp',
  'generation',
  'managedFields',
]);

function bare({ apiVersion, kind, metadata: { name, namespace } }: FakeObject): FakeObject {
  return { apiVersion, kind, metadata: { name, ...(namespace !== undefined && { namespace }) } };
}

function fieldsOf(object: FakeObject): Map<string, Leaf> {
  const leaves = new Map<string, Leaf>();
  for (const [field, value] of Object.entries(object)) {
    if (SYSTEM.has(field)) continue;
    if (field === 'metadata' && isRecord(value)) {
      for (const [inner, part] of Object.entries(value)) {
        if (!SYSTEM_METADATA.has(inner)) collect(part, [{ field }, { field: inner }], leaves);
      }
    } else collect(value, [{ field }], leaves);
  }
  return leaves;
}

function collect(value: unknown, path: readonly Step[], leaves: Map<string, Leaf>): void {
  if (isRecord(value) && Object.keys(value).length > 0) {
    for (const [field, inner] of Object.entries(value)) collect(inner, [...path, { field }], leaves);
  } else if (isNamedList(value)) {
    for (const item of value) collect(item, [...path, { item: item.name }], leaves);
  } else leaves.set(keyOf(path), { path, value });
}

function isNamedList(value: unknown): value is { name: string }[] {
  return (
    Array.isArray(value) && value.length > 0 && value.every((item) => isRecord(item) && typeof item.name === 'string')
  );
}

function keyOf(path: readonly Step[]): string {
  return path
    .map((step) => ('field' in step ? `f:${step.field}` : `k:${JSON.stringify({ name: step.item })}`))
    .join('\n');
}

/** As a message names it: `.spec.template.spec.containers[name="worker"].image`. */
function shown(path: readonly Step[]): string {
  return path.map((step) => ('field' in step ? `.${step.field}` : `[name=${JSON.stringify(step.item)}]`)).join('');
}

function refuseConflicts(
  live: FakeObject,
  wanted: ReadonlyMap<string, Leaf>,
  others: readonly (readonly [string, ReadonlyMap<string, readonly Step[]>])[],
  apiVersion: string,
): void {
  const causes = others.flatMap(([name, fields]) =>
    [...fields].flatMap(([key, path]) => {
      const want = wanted.get(key);
      if (want === undefined || isDeepStrictEqual(getAt(live, path), want.value)) return [];
      const message = `conflict with "${name}" using ${apiVersion}`;
      return [{ reason: 'FieldManagerConflict', message, field: shown(path) }];
    }),
  );
  if (causes.length === 0) return;
  const [first] = causes;
  const count = `${causes.length} conflict${causes.length === 1 ? '' : 's'}`;
  throw new Refusal(409, 'Conflict', `Apply failed with ${count}: ${first?.message}: ${first?.field}`, causes);
}

function ownersOf(object: FakeObject | undefined): Map<string, Map<string, readonly Step[]>> {
  const owners = new Map<string, Map<string, readonly Step[]>>();
  for (const { manager, fieldsV1 } of object?.metadata.managedFields ?? []) {
    const fields = new Map<string, readonly Step[]>();
    readSet(fieldsV1, [], fields);
    owners.set(manager, fields);
  }
  return owners;
}

function readSet(set: FieldSet, path: readonly Step[], into: Map<string, readonly Step[]>): void {
  const entries = Object.entries(set).filter(([key]) => key !== '.');
  if (entries.length === 0 && path.length > 0) into.set(keyOf(path), path);
  for (const [key, inner] of entries) {
    const step: Step = key.startsWith('f:') ? { field: key.slice(2) } : { item: JSON.parse(key.slice(2)).name };
    readSet(inner, [...path, step], into);
  }
}

function writeManaged(
  owners: ReadonlyMap<string, ReadonlyMap<string, readonly Step[]>>,
  live: FakeObject | undefined,
  apiVersion: string,
  applier: string,
  time: string,
): ManagedFields[] {
  return [...owners]
    .filter(([, fields]) => fields.size > 0)
    .map(([manager, fields]) => {
      const before = live?.metadata.managedFields?.find((entry) => entry.manager === manager);
      const operation = manager === applier ? 'Apply' : (before?.operation ?? 'Update');
      const entry = entryOf(manager, operation, apiVersion, fields, time);
      const isSame = before !== undefined && isDeepStrictEqual(before.fieldsV1, entry.fieldsV1);
      return isSame ? { ...entry, time: before.time } : entry;
    });
}

function entryOf(
  manager: string,
  operation: ManagedFields['operation'],
  apiVersion: string,
  fields: ReadonlyMap<string, readonly Step[]>,
  time: string,
): ManagedFields {
  const fieldsV1: FieldSet = {};
  for (const path of fields.values()) {
    let at = fieldsV1;
    for (const step of path) {
      const key = 'field' in step ? `f:${step.field}` : `k:${JSON.stringify({ name: step.item })}`;
      at[key] ??= {};
      at = at[key] ?? {};
    }
  }
  return { manager, operation, apiVersion, time, fieldsType: 'FieldsV1', fieldsV1 };
}

function stepInto(at: unknown, step: Step): unknown {
  if ('field' in step) return isRecord(at) ? at[step.field] : undefined;
  return Array.isArray(at) ? at.find((item) => isRecord(item) && item.name === step.item) : undefined;
}

function getAt(object: unknown, path: readonly Step[]): unknown {
  return path.reduce(stepInto, object);
}

function setAt(object: FakeObject, path: readonly Step[], value: unknown): void {
  let at: unknown = object;
  path.forEach((step, depth) => {
    const next = path[depth + 1];
    const missing = next === undefined ? value : 'field' in next ? {} : [];
    if ('field' in step && isRecord(at)) {
      if (next === undefined) at[step.field] = structuredClone(value);
      else at[step.field] ??= missing;
    } else if ('item' in step && Array.isArray(at) && stepInto(at, step) === undefined) at.push({ name: step.item });
    at = stepInto(at, step);
  });
}

function removeAt(object: FakeObject, path: readonly Step[]): void {
  const last = path.at(-1);
  const parent = getAt(object, path.slice(0, -1));
  if (last !== undefined && 'field' in last && isRecord(parent)) delete parent[last.field];
}
