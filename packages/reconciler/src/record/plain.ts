import { isOurLabel } from './own-labels.js';

/** How what JSON has no form for is written: under one key that nothing else here has. */
const MAP = '~map';
const SET = '~set';
const NUMBER = '~number';

/** Keys whose values stay out of a recording: a runner's specification may hold whatever its owner wrote there. */
const LEFT_OUT: ReadonlySet<string> = new Set(['spec', 'jitConfig', 'removal']);

/**
 * A copy that JSON can hold: maps, sets and numbers without end in a form of their own, specifications left out, and
 * of the labels of machines only those Rungar gives them.
 */
export function toPlain(value: unknown, key = ''): unknown {
  if (typeof value === 'number') return Number.isFinite(value) ? value : { [NUMBER]: String(value) };
  if (value === null || typeof value !== 'object') return typeof value === 'function' ? undefined : value;
  if (value instanceof Map) return { [MAP]: [...value].map(([name, one]) => [name, toPlain(one)]) };
  if (value instanceof Set) return { [SET]: [...value].map((one) => toPlain(one)) };
  if (Array.isArray(value)) return value.map((one) => toPlain(one));
  if ('toJSON' in value && typeof value.toJSON === 'function') return value.toJSON();
  const entries = Object.entries(value).filter(([name]) => !LEFT_OUT.has(name));
  const kept = key === 'labels' ? entries.filter(([name]) => isOurLabel(name)) : entries;
  return Object.fromEntries(kept.map(([name, one]) => [name, toPlain(one, name)]));
}

/** What {@link toPlain} was given, less what it left out. */
export function fromPlain(value: unknown): unknown {
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map(fromPlain);
  if (MAP in value && Array.isArray(value[MAP])) return new Map(value[MAP].map(asPair));
  if (SET in value && Array.isArray(value[SET])) return new Set(value[SET].map(fromPlain));
  if (NUMBER in value) return Number(value[NUMBER]);
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, fromPlain(one)]));
}

function asPair(pair: unknown): [unknown, unknown] {
  if (!Array.isArray(pair)) throw new TypeError('a map holds pairs');
  return [pair[0], fromPlain(pair[1])];
}
