import { type Problem, quoted } from '@rungar/model';

/** What stands in place of whatever may not be shown. */
export const REDACTED = 'REDACTED';

/** Words that say of a name that what it holds is a secret. */
const SECRET_WORDS =
  'pass|passwd|password|passphrase|pwd|secret|secrets|token|credential|credentials|jwt|bearer|apikey|api_key|access_key|secret_key|private_key|signing_key|encryption_key|auth|dsn|connection_string|pat|pgpass|pgpassword';
const SECRET_NAME = new RegExp(`(?:^|_)(?:${SECRET_WORDS})(?:_|$)`);
/** Last words by which a name holds something about a secret, and not the secret. */
const ABOUT_A_SECRET = /_(?:path|file|dir|name|type|url|host|port|ttl|timeout|count|length|enabled|mode)$/;
/** Values that tell nothing, whatever the name: words of yes and no, short numbers, paths, references to variables. */
const TELLS_NOTHING = /^(?:true|false|yes|no|on|off|null|none|\d{1,6}|[~.]{0,2}\/\S*|\$\{?\w+\}?|REDACTED)$/i;

const VALUE_PART = '[^\\s"\'$`|;&(){}<>,]';
const VALUE = `${VALUE_PART}{4,200}`;

function assigned(mark: string, value: string): RegExp {
  return new RegExp(`(?<![A-Za-z0-9])(?:[A-Za-z0-9]{1,30}_){0,4}(?:${SECRET_WORDS})${mark}${value}`, 'gi');
}

/** How credentials look, wherever they stand: those of the well-known services, keys, and passwords in commands. */
const SHAPES = [
  /\b(?:gh[pousr]_[A-Za-z0-9]{16,}|github_pat_[A-Za-z0-9_]{20,})/g,
  /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g,
  /\bglpat-[A-Za-z0-9_-]{16,}/g,
  /\bxox[abeprs]-[A-Za-z0-9-]{10,}/g,
  /\b(?:sk|rk|pk)[-_](?:live|test|proj|ant)[-_][A-Za-z0-9_-]{8,}/g,
  /\bAIza[A-Za-z0-9_-]{30,}/g,
  /\bnpm_[A-Za-z0-9]{30,}/g,
  /\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*)?/g,
  /-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----[^-]*(?:-----END [A-Z0-9 ]*PRIVATE KEY-----)?/g,
  /\b[A-Za-z][A-Za-z0-9+.-]{1,20}:\/\/[^\s:@/]{0,100}:[^\s@/]{1,200}@/g,
  /\b(?:Bearer|Basic) [A-Za-z0-9+/_.=-]{12,}/g,
  /\bAuthorization: {0,3}(?:[A-Za-z]{1,20} )?(?![A-Za-z]{1,20} )[^\s"'$`]{4,200}/gi,
  // `curl -u name:password`, but not `docker run -u 1000:1000`.
  new RegExp(`(?<!\\S)(?:-u|--user)[ =]?["']?[^\\s:"'$\`]{1,100}:(?!\\d+(?:\\s|$))${VALUE}`, 'g'),
  // `export DB_PASSWORD=…`, `password: …` and `--token …`, but no reference to a variable.
  assigned('=["\']?', VALUE),
  assigned('["\']?\\s{0,3}:\\s{0,3}["\']?', `(?=${VALUE_PART}*[0-9])${VALUE}`),
  new RegExp(`--(?:[a-z0-9]{1,30}[-_]){0,4}(?:${SECRET_WORDS})[ =]["']?${VALUE}`, 'gi'),
] as const;

/** A run of characters long enough to be a key that some machine made. */
const LONG_RUN = /(?<![A-Za-z0-9+/_=.:-])[A-Za-z0-9+_-][A-Za-z0-9+/_-]{31,}={0,2}/g;
const BITS_OF_A_KEY = 4.2;
/**
 * Whether a value should not be shown, because it is, or holds, what looks like a credential: for values that may be
 * anything, such as environment variables, metadata and scripts. It may be wrong on the safe side.
 * @param name what the value is called, if anything: `DB_PASSWORD`
 */
export function looksLikeCredential(value: string, name = ''): boolean {
  const text = value.trim();
  if (text === '') return false;
  if (isSecretName(name) && !TELLS_NOTHING.test(text)) return true;
  return SHAPES.some((shape) => text.search(shape) !== -1) || (text.match(LONG_RUN) ?? []).some(looksRandom);
}

/** `text` with every part that looks like a credential replaced by `REDACTED`. */
export function withoutCredentials(text: string): string {
  const known = SHAPES.reduce((rest, shape) => rest.replace(shape, REDACTED), text);
  return known.replace(LONG_RUN, (run) => (looksRandom(run) ? REDACTED : run));
}

/** A problem without what looks like a credential: in its value, and in its words. */
export function hideCredentials(problem: Problem): Problem {
  const { value, message, hint, path } = problem;
  const hidden = value !== undefined && looksLikeCredential(value, nameIn(path));
  return {
    ...problem,
    path: withoutCredentials(path),
    message: withoutCredentials(hidden ? withoutValue(message, value) : message),
    ...(hint !== undefined && { hint: withoutCredentials(hint) }),
    ...(hidden && { value: REDACTED }),
  };
}

/** Messages show a value as it is, or in quotes with its end cut off. */
function withoutValue(message: string, value: string): string {
  return message.replaceAll(quoted(value), REDACTED).replaceAll(`not ${value}`, `not ${REDACTED}`);
}

/** The name of an environment variable or a piece of metadata, of which a path speaks: other keys have no say. */
function nameIn(path: string): string {
  const [, bare, inQuotes] = /\b(?:env|metadata)(?:\.([A-Za-z0-9_-]+)|\["([^"]+)"\])$/.exec(path) ?? [];
  return bare ?? inQuotes ?? '';
}

function isSecretName(name: string): boolean {
  const words = name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/[^A-Za-z0-9]+/g, '_')
    .toLowerCase();
  return SECRET_NAME.test(words) && !ABOUT_A_SECRET.test(words);
}

/** Whether a run mixes capitals, small letters and digits as words do not. */
function looksRandom(run: string): boolean {
  if (!/[a-z]/.test(run) || !/[A-Z]/.test(run) || !/[0-9]/.test(run)) return false;
  const counts = new Map<string, number>();
  for (const character of run) counts.set(character, (counts.get(character) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / run.length) * Math.log2(count / run.length);
  return bits >= BITS_OF_A_KEY;
}
