import { asShape, integerOf, listOf } from './read.js';

/** The envelope of every list: `count` is what counts, not the length of `value`. */
export interface Envelope {
  readonly count: number;
  readonly values: readonly unknown[];
}

export function decodeEnvelope(body: unknown): Envelope | undefined {
  const shape = asShape(body);
  return shape && { count: integerOf(shape, 'count'), values: listOf(shape, 'value') };
}
