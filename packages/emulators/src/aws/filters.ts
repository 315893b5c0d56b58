import { Ec2Error, invalidValue } from './errors.js';
import type { QueryParameters } from './query.js';

const MOST_VALUES = 200;

/** What a filter's name stands for in one resource: every value it has there. Nothing for a name without meaning. */
export type FilterValues<T> = (resource: T, name: string) => readonly string[] | undefined;

/** A condition on resources. */
export type Predicate<T> = (resource: T) => boolean;

/**
 * The `Filter.N` of a request as one condition: every filter has to match, with any of its values.
 * @param names the filters there are, besides `tag:<key>`
 * @throws Ec2Error `InvalidParameterValue` for a filter that does not exist, `FilterLimitExceeded` for too many values
 */
export function readFilters<T>(
  params: QueryParameters,
  names: readonly string[],
  valuesOf: FilterValues<T>,
): Predicate<T> {
  const conditions: Predicate<T>[] = [];
  let count = 0;
  for (const filter of params.structures('Filter')) {
    const name = filter.requiredText('Name');
    const patterns = filter.list('Value');
    if (!names.includes(name) && !name.startsWith('tag:')) throw invalidValue(`The filter '${name}' is invalid`);
    if (patterns.length === 0) throw invalidValue(`The filter '${name}' has no value`);
    count += patterns.length;
    const matchers = patterns.map(patternMatcher);
    conditions.push((resource) =>
      (valuesOf(resource, name) ?? []).some((value) => matchers.some((matches) => matches(value))),
    );
  }
  if (count > MOST_VALUES) {
    throw new Ec2Error(
      'FilterLimitExceeded',
      `The maximum number of filter values specified on a single call is ${MOST_VALUES}`,
    );
  }
  return (resource) => conditions.every((matches) => matches(resource));
}

/**
 * What a filter's value matches: `*` any text, `?` any one character, a backslash takes the next character as it is.
 * Letters count by their case.
 */
export function patternMatcher(pattern: string): (text: string) => boolean {
  if (!/[*?\\]/.test(pattern)) return (text) => text === pattern;
  const source = pattern.replace(/\\([\s\S])|[\s\S]/gu, (character, escaped: string | undefined) => {
    if (escaped !== undefined) return literal(escaped);
    if (character === '*') return '[\\s\\S]*';
    return character === '?' ? '[\\s\\S]' : literal(character);
  });
  const expression = new RegExp(`^${source}$`, 'u');
  return (text) => expression.test(text);
}

function literal(character: string): string {
  return character.replace(/[\\^$.*+?()[\]{}|/]/, '\\$&');
}
