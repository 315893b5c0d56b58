import type { Located, LocatedMap, ProblemSink } from '../located.js';

/** What a field's value looks like, for a JSON Schema and for the reference page. */
export type Shape =
  | {
      readonly kind: 'text';
      readonly pattern?: RegExp;
      /** Whether an empty text is a value of its own, and not the same as none. */
      readonly keepEmpty: boolean;
    }
  | {
      readonly kind: 'choice';
      readonly words: readonly string[];
      /** Other spellings that are taken. */
      readonly aliases: readonly string[];
      readonly anyCase: boolean;
    }
  | {
      readonly kind: 'integer' | 'number';
      readonly min?: number;
      readonly max?: number;
      /** Whether 0 is the same as no value, and so allowed whatever the bounds are. */
      readonly zeroIsUnset: boolean;
    }
  | { readonly kind: 'boolean' }
  | { readonly kind: 'duration'; readonly minMs?: number }
  | { readonly kind: 'size' }
  | { readonly kind: 'time of day' }
  | {
      readonly kind: 'list';
      readonly of: Field<unknown>;
      readonly alsoOne: boolean;
      readonly unique: boolean;
      /** Whether items may be empty: they are left out, or are values of their own. */
      readonly emptyItems: boolean;
    }
  | { readonly kind: 'text map' }
  | { readonly kind: 'mapping'; readonly fields: Fields }
  | { readonly kind: 'any' };

/** One key of a mapping: what it takes, what it means, and how it is read. */
export interface Field<T, Sure extends boolean = boolean> {
  readonly shape: Shape;
  /** What it is for, as the reference page says it. */
  readonly description: string;
  /** What its shape does not say of what it must be: `an absolute path`. */
  readonly rule: string | undefined;
  readonly required: boolean;
  /** Stands in for an absent value. */
  readonly fallback: T | undefined;
  /** Whether no message may show its value. */
  readonly secret: boolean;
  /** Whether it is an addition of Rungar for Node: the Go daemon refuses a file that uses it. */
  readonly addition: boolean;
  /** Whether a mapping that was read without problems always has it. */
  readonly sure: Sure;
  /** Whether a value means the same as none at all, as an empty text does. */
  isUnset(value: T): boolean;
  /**
   * Reads a value that is not null.
   * @returns nothing when it is wrong; `problems` then says why
   */
  read(node: Located, path: string, problems: ProblemSink): T | undefined;
}

/** The keys of a mapping, each with how its value is read. */
export type Fields = Readonly<Record<string, Field<unknown>>>;

/** What every kind of field can be told. */
export interface FieldOptions<T> {
  readonly describe: string;
  /** What its kind does not say of what it must be, for the reference: `whole MiB, at least 128MiB`. */
  readonly rule?: string;
  readonly required?: boolean;
  readonly default?: T;
  readonly secret?: boolean;
  /** Set for a key that the Go daemon does not know. */
  readonly addition?: boolean;
  /** A rule beyond the kind's own: what the value must be (`must be …`), when it is not. */
  readonly check?: (value: T) => string | undefined;
}

export type IsSure<Options> = Options extends { readonly required: true } | { readonly default: unknown }
  ? true
  : false;

/** What a field gives in a mapping without problems. */
export type ValueOf<F> = F extends Field<infer T, infer Sure> ? (Sure extends true ? T : T | undefined) : never;

/** What reading a mapping gives: for each key a value of its field's type. */
export type Values<F extends Fields> = { readonly [Key in keyof F]: ValueOf<F[Key]> };

/** A mapping that was read. */
export interface Reading<F extends Fields> {
  readonly map: LocatedMap;
  /** Whatever could be read, defaults included: for checks that go on after a problem. */
  readonly values: Partial<Values<F>>;
  /** Keys that have a problem, missing ones included: what they hold is unknown. */
  readonly wrong: ReadonlySet<string>;
  /** Every value, when none had a problem. */
  readonly all: Values<F> | undefined;
}

/** Puts a field together from what its kind knows and what it was told. */
export function makeField<T, Options extends FieldOptions<T>>(
  shape: Shape,
  options: Options,
  kind: Pick<Field<T>, 'read'> & Partial<Pick<Field<T>, 'isUnset' | 'rule'>>,
): Field<T, IsSure<Options>> {
  return {
    shape,
    description: options.describe,
    rule: options.rule ?? kind.rule,
    required: options.required ?? false,
    fallback: options.default,
    secret: options.secret ?? false,
    addition: options.addition ?? false,
    sure: (options.required === true || options.default !== undefined) as IsSure<Options>,
    isUnset: kind.isUnset ?? (() => false),
    read: kind.read,
  };
}
