/** Says that a body is not what is read. It becomes a refusal in the words of whoever reads it. */
export type Wrong = (message: string) => Error;

/** The members of a JSON object, of which only known ones are allowed. */
export class Members {
  readonly #values: ReadonlyMap<string, unknown>;
  readonly #wrong: Wrong;

  constructor(values: ReadonlyMap<string, unknown>, wrong: Wrong) {
    this.#values = values;
    this.#wrong = wrong;
  }

  /** A text that has to be there. */
  text(name: string): string {
    const value = this.optionalText(name);
    if (value === undefined || value === '') throw this.#wrong(`the member ${name} is missing`);
    return value;
  }

  optionalText(name: string): string | undefined {
    const value = this.#get(name);
    if (value !== undefined && typeof value !== 'string') throw this.#wrong(`the member ${name} is not a string`);
    return value;
  }

  optionalInteger(name: string): number | undefined {
    const value = this.#get(name);
    if (value !== undefined && !Number.isSafeInteger(value)) throw this.#wrong(`the member ${name} is not an integer`);
    return value as number | undefined;
  }

  optionalNumber(name: string): number | undefined {
    const value = this.#get(name);
    if (value !== undefined && typeof value !== 'number') throw this.#wrong(`the member ${name} is not a number`);
    return value;
  }

  optionalBoolean(name: string): boolean | undefined {
    const value = this.#get(name);
    if (value !== undefined && typeof value !== 'boolean') throw this.#wrong(`the member ${name} is not a boolean`);
    return value;
  }

  optionalList(name: string): readonly unknown[] | undefined {
    const value = this.#get(name);
    if (value !== undefined && !Array.isArray(value)) throw this.#wrong(`the member ${name} is not an array`);
    return value;
  }

  /** An object with strings as its members, whatever their names. */
  optionalTexts(name: string): Readonly<Record<string, string>> | undefined {
    const value = this.#get(name);
    if (value === undefined) return undefined;
    const texts = typeof value === 'object' ? Object.entries(value ?? {}) : undefined;
    if (!texts?.every(([, text]) => typeof text === 'string')) {
      throw this.#wrong(`the member ${name} is not an object of strings`);
    }
    return Object.fromEntries(texts) as Record<string, string>;
  }

  optionalObject(name: string, allowed: readonly string[]): Members | undefined {
    const value = this.#get(name);
    return value === undefined ? undefined : membersOf(value, allowed, this.#wrong);
  }

  #get(name: string): unknown {
    return this.#values.get(name.toLowerCase()) ?? undefined;
  }
}

/**
 * Reads the JSON text of an object. Names are compared without regard to case, as the services do; null is absent.
 * @throws what `wrong` makes of an unknown member, or of something that is no object
 */
export function readMembers(text: string, allowed: readonly string[], wrong: Wrong): Members {
  return membersOf(parseJson(text, wrong), allowed, wrong);
}

/**
 * Reads JSON text.
 * @throws what `wrong` makes of anything else
 */
export function parseJson(text: string, wrong: Wrong): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw wrong(text === '' ? 'a JSON body is missing' : 'the body is not JSON');
  }
}

/**
 * The members of a value that has to be an object.
 * @throws what `wrong` makes of an unknown member, or of something that is no object
 */
export function membersOf(value: unknown, allowed: readonly string[], wrong: Wrong): Members {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw wrong('a JSON object is wanted');
  const known = new Set(allowed.map((name) => name.toLowerCase()));
  const values = new Map<string, unknown>();
  for (const [name, member] of Object.entries(value)) {
    if (!known.has(name.toLowerCase())) throw wrong(`the member ${name} is not read here`);
    values.set(name.toLowerCase(), member);
  }
  return new Members(values, wrong);
}
