import { type FakeObject, isRecord } from './objects.js';

/** Whether an object passes a label selector (`a=b`, `a in (b,c)`, `a`, `!a`) and a field selector (`a.b=c`). */
export function matches(object: FakeObject, labels: string, fields: string): boolean {
  const have = object.metadata.labels ?? {};
  return (
    split(labels).every((part) => passesLabel(have, part)) && split(fields).every((part) => passesField(object, part))
  );
}

/** At commas outside parentheses. */
function split(selector: string): string[] {
  return selector.split(/,(?![^(]*\))/).filter((part) => part !== '');
}

function passesLabel(labels: Readonly<Record<string, string>>, part: string): boolean {
  const set = /^(\S+) (in|notin) \(([^)]*)\)$/.exec(part);
  if (set) {
    const isIn = (set[3] ?? '').split(',').includes(labels[set[1] ?? ''] ?? '\0');
    return set[2] === 'in' ? isIn : !isIn;
  }
  const equal = /^([^!=]+)(==?|!=)(.*)$/.exec(part);
  if (equal) return (labels[equal[1] ?? ''] === equal[3]) === (equal[2] !== '!=');
  return part.startsWith('!') ? !(part.slice(1) in labels) : part in labels;
}

function passesField(object: FakeObject, part: string): boolean {
  const [path = '', value] = part.split(/==?/);
  const found = path.split('.').reduce<unknown>((at, key) => (isRecord(at) ? at[key] : undefined), object);
  return String(found ?? '') === value;
}
