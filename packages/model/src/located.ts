/** Where a value was written. Lines and columns count from 1, columns in UTF-16 units. */
export interface Place {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  /** Where the value was used, when an alias or a merge key brought it there. */
  readonly usedAt?: Place;
}

/** A value together with where it was written; anchors, aliases and merge keys are already resolved. */
export type Located = LocatedScalar | LocatedList | LocatedMap;

/** A value that is neither a list nor a mapping, as it is written. */
export interface LocatedScalar {
  readonly kind: 'scalar';
  /** The text exactly as written, without quotes: `22:00`, `0x10`, `on` stay those characters. */
  readonly source: string;
  /** Whether it was written with quotes or as a block. Only a plain scalar can be a number, a boolean or null. */
  readonly quoted: boolean;
  /** Whether it is YAML's null: nothing, `null` or `~`, unquoted. */
  readonly isNull: boolean;
  readonly place: Place;
}

/** A list, and where it begins. */
export interface LocatedList {
  readonly kind: 'list';
  readonly items: readonly Located[];
  readonly place: Place;
}

/** A mapping, and where it begins. */
export interface LocatedMap {
  readonly kind: 'map';
  /** In written order, merged keys after the map's own. No key stands twice. */
  readonly entries: readonly LocatedEntry[];
  readonly place: Place;
}

/** A key with its value. */
export interface LocatedEntry {
  readonly key: string;
  readonly keyPlace: Place;
  readonly value: Located;
}

/** Something a reader of a file has to say to its author. */
export interface Problem {
  readonly severity: 'error' | 'warning';
  readonly place: Place;
  /** The key's path as an author would say it, for example `scale_sets[0].max_runners`; empty for the whole file. */
  readonly path: string;
  /** The value at fault as written, unless it may be a secret. */
  readonly value?: string;
  /** What is wrong and what is wanted, in one sentence without a full stop. */
  readonly message: string;
  /** What to do, often the nearest known word. */
  readonly hint?: string;
}

/** Takes problems as they are found. */
export interface ProblemSink {
  /** Takes a problem. Never throws: reading goes on. */
  add(problem: Problem): void;
}
