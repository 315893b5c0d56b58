import { Ec2Error, invalidValue, missingParameter } from './errors.js';

const INTEGER = /^-?\d{1,10}$/;

/**
 * The parameters of one request, handed out by name. What was never asked for is an error in the end: an emulator
 * that skips a parameter would pass a request the real service acts on differently.
 */
export class QueryParameters {
  readonly #values: ReadonlyMap<string, string>;
  readonly #prefix: string;
  readonly #read: Set<string>;

  private constructor(values: ReadonlyMap<string, string>, prefix: string, read: Set<string>) {
    this.#values = values;
    this.#prefix = prefix;
    this.#read = read;
  }

  /**
   * Reads a form-encoded body.
   * @throws Ec2Error `MalformedQueryString` when a parameter comes twice
   */
  static parse(body: string): QueryParameters {
    const values = new Map<string, string>();
    for (const [name, value] of new URLSearchParams(body)) {
      if (values.has(name))
        throw new Ec2Error('MalformedQueryString', `The parameter ${name} was given more than once`);
      values.set(name, value);
    }
    return new QueryParameters(values, '', new Set());
  }

  /** Parameters that are known by name already. */
  static of(values: Readonly<Record<string, string>>): QueryParameters {
    return new QueryParameters(new Map(Object.entries(values)), '', new Set());
  }

  /** A parameter's value, if it is there. */
  text(name: string): string | undefined {
    const full = this.#prefix + name;
    this.#read.add(full);
    return this.#values.get(full);
  }

  requiredText(name: string): string {
    const value = this.text(name);
    if (value === undefined || value === '') throw missingParameter(this.#prefix + name);
    return value;
  }

  boolean(name: string): boolean | undefined {
    const value = this.text(name);
    if (value === undefined) return undefined;
    if (value === 'true' || value === 'false') return value === 'true';
    throw invalidValue(`Invalid value '${value}' for ${this.#prefix}${name}. Must be true or false.`);
  }

  integer(name: string): number | undefined {
    const value = this.text(name);
    if (value === undefined) return undefined;
    if (!INTEGER.test(value)) throw invalidValue(`Value '${value}' for ${this.#prefix}${name} is not an integer.`);
    return Number(value);
  }

  /** One of `allowed`, if it is there. */
  choice<T extends string>(name: string, allowed: readonly T[]): T | undefined {
    const value = this.text(name);
    if (value === undefined) return undefined;
    const found = allowed.find((candidate) => candidate === value);
    if (found === undefined)
      throw invalidValue(
        `Value '${value}' for ${this.#prefix}${name} is invalid. Must be one of: ${allowed.join(', ')}.`,
      );
    return found;
  }

  /** The structure under `name`, if any of its members is there. */
  structure(name: string): QueryParameters | undefined {
    const prefix = `${this.#prefix}${name}.`;
    for (const key of this.#values.keys()) {
      if (key.startsWith(prefix)) return new QueryParameters(this.#values, prefix, this.#read);
    }
    return undefined;
  }

  /** The values `name.1`, `name.2`, … up to the first number that is not there. */
  list(name: string): string[] {
    const values: string[] = [];
    for (let value = this.text(`${name}.1`); value !== undefined; value = this.text(`${name}.${values.length + 1}`)) {
      values.push(value);
    }
    return values;
  }

  /** The structures `name.1`, `name.2`, … up to the first number that is not there. */
  structures(name: string): QueryParameters[] {
    const found: QueryParameters[] = [];
    for (
      let next = this.structure(`${name}.1`);
      next !== undefined;
      next = this.structure(`${name}.${found.length + 1}`)
    ) {
      found.push(next);
    }
    return found;
  }

  /** @throws Ec2Error `UnknownParameter` naming a parameter that nothing has asked for */
  assertAllRead(): void {
    for (const name of this.#values.keys()) {
      if (!this.#read.has(name)) throw new Ec2Error('UnknownParameter', `The parameter ${name} is not recognized`);
    }
  }

  /** Everything that was sent but `except`, in one order: equal texts are equal requests. */
  fingerprint(except: readonly string[]): string {
    const pairs = [...this.#values].filter(([name]) => !except.includes(name));
    return JSON.stringify(pairs.sort(([a], [b]) => (a < b ? -1 : 1)));
  }
}
