import { any, list, mapping, textMap } from './collections.js';
import { boolean, choice, duration, integer, number, parsedText, size, text, timeOfDay } from './scalars.js';

/** The kinds of field a mapping can be made of. One declaration reads a file and describes it. */
export const field = {
  /** Any single value, taken exactly as it is written. */
  text,
  /** A single value read from its text by a rule of its own. */
  parsedText,
  /** One of a few words; an alias stands for the word it maps to. */
  choice,
  /** A whole number, without quotes. */
  integer,
  /** A number with or without a fraction, without quotes. */
  number,
  /** `true` or `false`, or one of YAML's older words for them, without quotes. */
  boolean,
  /** A duration as Go writes it (`1h30m`), in milliseconds. Zero is the same as none. */
  duration,
  /** A size (`4GiB`, or a number of bytes), in bytes. Zero is the same as none. */
  size,
  /** A time of day, `HH:MM` from `00:00` to `24:00`, in minutes after midnight. */
  timeOfDay,
  /** A list, each item read by one field. */
  list,
  /** A mapping of text to text, as for environment variables and tags. A null value is an empty text. */
  textMap,
  /** A mapping with keys of its own. */
  mapping,
  /** Anything at all, left to somebody else to read. */
  any,
} as const;
