import { randomBytes } from 'node:crypto';

/** Where an emulator's randomness comes from. */
export interface EmulatorRandom {
  /** From 0 (inclusive) to 1 (exclusive). */
  fraction(): number;
  /** That many bytes. */
  bytes(count: number): Uint8Array;
}

/** The system's own randomness. */
export const realRandom: EmulatorRandom = {
  fraction: () => randomBytes(4).readUInt32BE() / 2 ** 32,
  bytes: (count) => randomBytes(count),
};

/** The same sequence for the same seed (mulberry32). For repeatable tests; never for secrets that matter. */
export function seededRandom(seed: number): EmulatorRandom {
  let state = seed >>> 0;
  const fraction = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return { fraction, bytes: (count) => Uint8Array.from({ length: count }, () => Math.floor(fraction() * 256)) };
}

/** `count` random bytes as lower-case hexadecimal digits, two a byte. */
export function randomHex(random: EmulatorRandom, count: number): string {
  return Buffer.from(random.bytes(count)).toString('hex');
}

/** A random UUID, version 4, in lower case. */
export function randomUuid(random: EmulatorRandom): string {
  const bytes = Buffer.from(random.bytes(16));
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
