import { randomBytes } from 'node:crypto';

/** Where randomness comes from. */
export interface Random {
  /** `count` bytes nobody can guess. */
  bytes(count: number): Uint8Array;
  /** A number from 0 (inclusive) to 1 (exclusive), for jitter. */
  fraction(): number;
}

/** The system's own randomness. */
export const systemRandom: Random = {
  bytes: (count) => randomBytes(count),
  fraction: () => randomBytes(4).readUInt32BE() / 2 ** 32,
};
