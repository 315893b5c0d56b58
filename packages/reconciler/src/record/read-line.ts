import { type DecisionRecord, RECORD_VERSION } from './entries.js';
import { fromPlain } from './plain.js';

/** What a line of a recording holds. `gap`: the recorder could not keep up, and left so many out. */
export type ReadLine =
  | { readonly kind: 'record'; readonly record: DecisionRecord }
  | { readonly kind: 'gap'; readonly left: number }
  | { readonly kind: 'damaged'; readonly why: string };

/** Reads one line. Never throws: a line that is none says why. */
export function readRecordLine(line: string): ReadLine {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return { kind: 'damaged', why: 'it is no JSON' };
  }
  if (!isObject(value)) return { kind: 'damaged', why: 'it is no object' };
  if (value.v === undefined) return { kind: 'damaged', why: 'it lacks v: it is no line of a recording' };
  if (value.v !== RECORD_VERSION) {
    return { kind: 'damaged', why: `it has version ${JSON.stringify(value.v)}, and ${RECORD_VERSION} is read here` };
  }
  if (value.kind === 'gap') return { kind: 'gap', left: typeof value.left === 'number' ? value.left : 0 };
  const at = typeof value.at === 'string' ? Date.parse(value.at) : Number.NaN;
  const { kind, scale_set: scaleSet, v: _version, ...rest } = value;
  if (typeof scaleSet !== 'string' || Number.isNaN(at)) return { kind: 'damaged', why: 'it lacks scale_set or at' };
  const missing = (kind === 'pass' ? PASS_PARTS : kind === 'scaling' ? SCALING_PARTS : ['kind']).find(
    (part) => part === 'kind' || !isObject(rest[part]),
  );
  if (missing === 'kind') return { kind: 'damaged', why: `its kind ${JSON.stringify(kind)} is not known` };
  if (missing !== undefined) return { kind: 'damaged', why: `it lacks ${missing}` };
  try {
    const facts = fromPlain(rest) as object;
    return { kind: 'record', record: { ...facts, kind, scaleSet, at } as unknown as DecisionRecord };
  } catch (error) {
    return { kind: 'damaged', why: error instanceof Error ? error.message : String(error) };
  }
}

const PASS_PARTS = ['context', 'seen', 'memory', 'plan'];
const SCALING_PARTS = ['question', 'plan'];

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
