import { hash } from 'node:crypto';

/** The first `digits` lower-case hex digits of the SHA-256 of `text` in UTF-8. */
export function sha256Hex(text: string, digits: number): string {
  return hash('sha256', text, 'hex').slice(0, digits);
}
