import { canonicalJson } from './canonical-json.js';
import { sha256Hex } from './sha256.js';

/**
 * The revision of a runner specification: the first 12 hex digits of the SHA-256 of its {@link canonicalJson}.
 * @param value the merged block after defaults, as the record its provider type documents
 * @throws an error of code `invalid_argument` when it has no canonical JSON
 */
export function revisionOf(value: unknown): string {
  return sha256Hex(canonicalJson(value), 12);
}
