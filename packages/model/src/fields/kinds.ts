import { any, list, mapping, textMap } from './collections.js';
import { boolean, choice, duration, integer, number, parsedText, size, text, timeOfDay } from './scalars.js';

/** The kinds of field a mapping can be made of. One declaration reads a file and describes it. */
export const field = {
  text,
  parsedText,
  choice,
  integer,
  number,
  boolean,
  duration,
  size,
  timeOfDay,
  list,
  textMap,
  mapping,
  any,
} as const;
