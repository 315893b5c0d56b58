/**
 * Whether the bytes from `start` to `end`, a multiple of four of them, are all lower-case hex digits. Four are looked
 * at a time: a mailbox's list is mostly hex digits, and looking at each would take longer than all the rest.
 */
export function areHex(bytes: DataView, start: number, end: number): boolean {
  let faults = 0;
  for (let at = start; at < end; at += 4) {
    const word = bytes.getInt32(at, true);
    // 0x30 to 0x39 are digits and 0x61 to 0x66 letters: bit 6 of a byte says which of the two it can be.
    const letters = (word >>> 6) & 0x01010101;
    const low = word & 0x0f0f0f0f;
    const wrongHigh = (word & 0xf0f0f0f0) ^ (0x30303030 + letters * 0x30);
    const tooLarge = (low + 0x06060606 + letters * 3) & 0x10101010; // over 9, or over 6 in a letter
    const zeroLetter = letters & ~((low + 0x0f0f0f0f) >>> 4);
    faults |= wrongHigh | tooLarge | zeroLetter;
  }
  return faults === 0;
}

/** Whether `length` bytes from `a` on are the same as those from `b` on. */
export function areEqual(bytes: DataView, a: number, b: number, length: number): boolean {
  // Node names differ at the end, so that is where to begin.
  let at = length - 4;
  for (; at >= 0; at -= 4) if (bytes.getInt32(a + at) !== bytes.getInt32(b + at)) return false;
  for (at += 3; at >= 0; at--) if (bytes.getInt8(a + at) !== bytes.getInt8(b + at)) return false;
  return true;
}
