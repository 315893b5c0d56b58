import { GceRefusal } from './errors.js';

/** Whether a resource is listed. */
export type Filter = (resource: unknown) => boolean;

const TOKEN = /\s*(?:([()])|(!=|<=|>=|=|<|>|:)|"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|([^\s()!=<>:"']+))/y;

interface Token {
  readonly kind: 'bracket' | 'operator' | 'quoted' | 'word';
  readonly text: string;
}

/**
 * Reads a `filter` parameter: comparisons such as `labels.team = "ci"`, in brackets or not, joined by a space or `AND`,
 * or by `OR`, which binds closer; `NOT` or `-` before one. `a eq b` and `a ne b` are the older form, where `b` is a
 * regular expression for the whole value.
 * @throws GceRefusal when it cannot be read
 */
export function parseFilter(text: string): Filter {
  const tokens = tokenize(text);
  let at = 0;
  const invalid = (): GceRefusal => invalidFilter(text);
  const word = (): string | undefined => (tokens[at]?.kind === 'word' ? tokens[at]?.text : undefined);

  const readAll = (): Filter => {
    const parts = [readAny()];
    while (at < tokens.length && tokens[at]?.text !== ')') {
      if (word() === 'AND') at++;
      parts.push(readAny());
    }
    return (resource) => parts.every((part) => part(resource));
  };

  const readAny = (): Filter => {
    const parts = [readOne()];
    while (word() === 'OR') {
      at++;
      parts.push(readOne());
    }
    return (resource) => parts.some((part) => part(resource));
  };

  const readOne = (): Filter => {
    if (word() === 'NOT' || word() === '-') {
      at++;
      const inner = readOne();
      return (resource) => !inner(resource);
    }
    if (tokens[at]?.kind === 'bracket') return readBracket();
    return readComparison();
  };

  const readBracket = (): Filter => {
    if (tokens[at++]?.text !== '(') throw invalid();
    const inner = readAll();
    if (tokens[at++]?.text !== ')') throw invalid();
    return inner;
  };

  const readComparison = (): Filter => {
    const [field, operator, value] = [tokens[at], tokens[at + 1], tokens[at + 2]];
    if (field?.kind !== 'word' || operator === undefined || value === undefined) throw invalid();
    if (value.kind !== 'word' && value.kind !== 'quoted') throw invalid();
    at += 3;
    const compare = comparison(operator.text, value.text, value.kind === 'quoted');
    if (compare === undefined) throw invalid();
    const path = field.text.split('.');
    return (resource) => compare(valueAt(resource, path));
  };

  const filter = readAll();
  if (at !== tokens.length) throw invalid();
  return filter;
}

function tokenize(text: string): Token[] {
  const tokens: Token[] = [];
  const reader = new RegExp(TOKEN);
  const end = text.trimEnd().length;
  while (reader.lastIndex < end) {
    const found = reader.exec(text);
    if (found === null) throw invalidFilter(text);
    const [, bracket, operator, double, single, word] = found;
    const quotedText = double ?? single;
    if (bracket !== undefined) tokens.push({ kind: 'bracket', text: bracket });
    else if (operator !== undefined) tokens.push({ kind: 'operator', text: operator });
    else if (quotedText !== undefined) tokens.push({ kind: 'quoted', text: quotedText.replace(/\\(.)/g, '$1') });
    else tokens.push({ kind: 'word', text: word ?? '' });
  }
  if (tokens.length === 0) throw invalidFilter(text);
  return tokens;
}

type Compare = (value: unknown) => boolean;

function comparison(operator: string, wanted: string, quoted: boolean): Compare | undefined {
  switch (operator) {
    case '=':
      return (value) => value !== undefined && String(value) === wanted;
    case '!=':
      return (value) => value === undefined || String(value) !== wanted;
    case ':':
      if (wanted === '*' && !quoted) return (value) => value !== undefined;
      return (value) => (typeof value === 'string' ? value.includes(wanted) : String(value) === wanted);
    case '<':
      return (value) => order(value, wanted) < 0;
    case '<=':
      return (value) => order(value, wanted) <= 0;
    case '>':
      return (value) => order(value, wanted) > 0;
    case '>=':
      return (value) => order(value, wanted) >= 0;
    case 'eq':
      return (value) => wholeMatch(wanted, value);
    case 'ne':
      return (value) => !wholeMatch(wanted, value);
    default:
      return undefined;
  }
}

/** By size for numbers, by time for instants, else by letters. Never for what is not there. */
function order(value: unknown, wanted: string): number {
  if (value === undefined) return Number.NaN;
  const text = String(value);
  for (const read of [Number, Date.parse]) {
    const [one, other] = [read(text), read(wanted)];
    if (!Number.isNaN(one) && !Number.isNaN(other)) return one - other;
  }
  return text < wanted ? -1 : Number(text > wanted);
}

function wholeMatch(pattern: string, value: unknown): boolean {
  try {
    return new RegExp(`^(?:${pattern})$`).test(String(value ?? ''));
  } catch {
    throw invalidFilter(pattern);
  }
}

function valueAt(resource: unknown, path: readonly string[]): unknown {
  let at = resource;
  for (const name of path) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, name)) return undefined;
    at = (at as Readonly<Record<string, unknown>>)[name];
  }
  return at;
}

function invalidFilter(text: string): GceRefusal {
  return new GceRefusal(400, 'invalid', `Invalid value for field 'filter': '${text}'. Invalid list filter expression.`);
}
