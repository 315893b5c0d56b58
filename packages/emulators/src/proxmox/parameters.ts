import { badParameters } from './errors.js';

const MISSING = 'property is missing and it is not optional';
const UNKNOWN = 'property is not defined in schema and the schema does not allow additional properties';

/** The parameters of one call, read strictly: what nobody asks for is refused. */
export class Parameters {
  readonly #values: ReadonlyMap<string, string>;
  readonly #known = new Set<string>();
  readonly #errors: Record<string, string> = {};

  private constructor(values: ReadonlyMap<string, string>) {
    this.#values = values;
  }

  static of(values: Readonly<Record<string, string>>): Parameters {
    return new Parameters(new Map(Object.entries(values)));
  }

  /** Those of a query. */
  static ofQuery(query: URLSearchParams): Parameters {
    return new Parameters(new Map(query));
  }

  /**
   * Those of a form.
   * @throws PveError for any other body
   */
  static ofForm(body: string, contentType: string): Parameters {
    if (body !== '' && !/^application\/x-www-form-urlencoded(?:;|$)/i.test(contentType)) {
      throw badParameters({ body: `content type '${contentType}' is not read here` });
    }
    return new Parameters(new Map(new URLSearchParams(body)));
  }

  text(name: string, { max = 8192 }: { max?: number } = {}): string | undefined {
    this.#known.add(name);
    const value = this.#values.get(name);
    if (value !== undefined && value.length > max) this.#errors[name] = `value may only be ${max} characters long`;
    return value;
  }

  required(name: string): string {
    const value = this.text(name);
    if (value === undefined) this.#errors[name] = MISSING;
    return value ?? '';
  }

  integer(name: string, { min, max }: { min: number; max: number }): number | undefined {
    const value = this.text(name);
    if (value === undefined) return undefined;
    if (!/^-?\d+$/.test(value)) this.#errors[name] = `type check ('integer') failed - got '${value}'`;
    else if (Number(value) < min) this.#errors[name] = `value must have a minimum value of ${min}`;
    else if (Number(value) > max) this.#errors[name] = `value must have a maximum value of ${max}`;
    return Number(value);
  }

  requiredInteger(name: string, bounds: { min: number; max: number }): number {
    const value = this.integer(name, bounds);
    if (value === undefined) this.#errors[name] = MISSING;
    return value ?? 0;
  }

  boolean(name: string): boolean | undefined {
    const value = this.text(name)?.toLowerCase();
    if (value === undefined) return undefined;
    if (['1', 'on', 'yes', 'true'].includes(value)) return true;
    if (!['0', 'off', 'no', 'false'].includes(value)) this.#errors[name] = "type check ('boolean') failed";
    return false;
  }

  /** Says that a value is not of the form its schema has. */
  reject(name: string, message: string): void {
    this.#errors[name] = message;
  }

  /** @throws PveError when a parameter is wrong, or one was given that nobody has read */
  check(): void {
    for (const name of this.#values.keys()) if (!this.#known.has(name)) this.#errors[name] = UNKNOWN;
    if (Object.keys(this.#errors).length > 0) throw badParameters(this.#errors);
  }
}
