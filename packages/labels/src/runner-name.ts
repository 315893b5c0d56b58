import { InvalidArgument, requireText, shown } from './invalid-argument.js';

const SUFFIX = /^[0-9a-f]{8}$/;
const SUFFIX_OF_ANY_CASE = /^[0-9a-f]{8}$/i;
/** An RFC 1123 subdomain, upper case allowed. Its length needs no check: no name made here has more than 63 bytes. */
const SUBDOMAIN = /^[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?)*$/;
/** A name has at most 63 bytes, of which the hyphen and the suffix take nine. */
const LONGEST_PREFIX = 54;

/**
 * The name of a runner of `scaleSet`: the scale set's name, cut to 54 bytes and freed of the `-` and `.` it then ends
 * with, a hyphen, and `suffix`.
 * @param suffix eight lower-case hex digits, drawn at random
 * @throws an error of code `invalid_argument` when `suffix` is anything else, or when the name would not be an
 * RFC 1123 subdomain (letters, digits, hyphens and dots, each part starting and ending with a letter or digit)
 */
export function runnerName(scaleSet: string, suffix: string): string {
  requireText(scaleSet, 'the scale set name');
  requireText(suffix, 'the suffix of a runner name');
  if (!SUFFIX.test(suffix)) {
    throw new InvalidArgument(`the suffix ${shown(suffix)} of a runner name must be 8 lower-case hex digits`);
  }
  const name = `${prefixOf(scaleSet)}-${suffix}`;
  if (SUBDOMAIN.test(name)) return name;
  throw new InvalidArgument(
    `the scale set ${shown(scaleSet)} would have a runner named ${shown(name)}: a runner's name may hold letters, digits, "-" and ".", and each part between dots must start and end with a letter or digit`,
    'rename the scale set',
  );
}

/**
 * Whether `name` could be the name of a runner of `scaleSet`: what {@link runnerName} makes, with any eight hex digits
 * of either case at the end. False for a scale set that can have no runner.
 */
export function isRunnerNameOf(scaleSet: string, name: string): boolean {
  if (typeof scaleSet !== 'string' || typeof name !== 'string') return false;
  const start = `${prefixOf(scaleSet)}-`;
  if (!name.startsWith(start) || !SUFFIX_OF_ANY_CASE.test(name.slice(start.length))) return false;
  return SUBDOMAIN.test(name);
}

function prefixOf(scaleSet: string): string {
  const bytes = Buffer.from(scaleSet);
  if (bytes.length <= LONGEST_PREFIX) return scaleSet;
  // A cut within a character leaves U+FFFD, which no runner name may hold.
  let prefix = bytes.toString('utf8', 0, LONGEST_PREFIX);
  while (prefix.endsWith('-') || prefix.endsWith('.')) prefix = prefix.slice(0, -1);
  return prefix;
}
