const NANOSECONDS: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1_000n,
  '\u00b5s': 1_000n,
  '\u03bcs': 1_000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
};

const PART = /(?:(\d+)(?:\.(\d*))?|\.(\d+))(ns|us|\u00b5s|\u03bcs|ms|s|m|h)/y;

/** Further digits of a fraction are below a nanosecond in every unit. */
const FRACTION_DIGITS = 30;
/** A longer number of whole units is out of range in every unit. */
const WHOLE_DIGITS = 19;

const LARGEST = 2n ** 63n - 1n;

/**
 * Reads a duration as Go writes it: `300ms`, `1h30m`, `-1.5h`, and `0` alone without a unit.
 * @returns nanoseconds, fractions of one dropped; nothing when the text is no duration or does not fit 64 bits
 * @see docs/reference/configuration.md, "Durations"
 */
export function parseDuration(text: string): bigint | undefined {
  const negative = text.startsWith('-');
  const body = negative || text.startsWith('+') ? text.slice(1) : text;
  const size = body === '0' ? 0n : sumOfParts(body);
  if (size === undefined) return undefined;
  if (negative) return size > LARGEST + 1n ? undefined : -size;
  return size > LARGEST ? undefined : size;
}

function sumOfParts(body: string): bigint | undefined {
  if (body === '') return undefined;
  let sum = 0n;
  let at = 0;
  while (at < body.length) {
    PART.lastIndex = at;
    const match = PART.exec(body);
    if (match === null) return undefined;
    const [all, digits = '', fractionAfter = '', fractionAlone = '', unit = ''] = match;
    const whole = digits.replace(/^0+(?=\d)/, '') || '0';
    if (whole.length > WHOLE_DIGITS) return undefined;
    const fraction = (fractionAfter || fractionAlone).slice(0, FRACTION_DIGITS);
    const perUnit = NANOSECONDS[unit] ?? 0n;
    sum += BigInt(whole) * perUnit + (BigInt(fraction || '0') * perUnit) / 10n ** BigInt(fraction.length);
    at += all.length;
  }
  return sum;
}

/**
 * Writes a duration as Go does: `0s`, `1.5ms`, `30s`, `5m0s`, `1h2m3.5s`.
 * @param nanoseconds negative ones get a leading `-`
 */
export function formatDuration(nanoseconds: bigint): string {
  if (nanoseconds < 0n) return `-${formatDuration(-nanoseconds)}`;
  if (nanoseconds === 0n) return '0s';
  if (nanoseconds < 1_000n) return `${nanoseconds}ns`;
  if (nanoseconds < 1_000_000n) return `${decimal(nanoseconds, 3)}\u00b5s`;
  if (nanoseconds < 1_000_000_000n) return `${decimal(nanoseconds, 6)}ms`;
  const minutes = nanoseconds / 60_000_000_000n;
  const seconds = `${decimal(nanoseconds % 60_000_000_000n, 9)}s`;
  if (minutes === 0n) return seconds;
  if (minutes < 60n) return `${minutes}m${seconds}`;
  return `${minutes / 60n}h${minutes % 60n}m${seconds}`;
}

/** `value` / 10^`places`, without trailing zeros. */
function decimal(value: bigint, places: number): string {
  const unit = 10n ** BigInt(places);
  const fraction = (value % unit).toString().padStart(places, '0').replace(/0+$/, '');
  return fraction === '' ? `${value / unit}` : `${value / unit}.${fraction}`;
}

/**
 * Writes milliseconds as Go would: 1500.25 is `1.50025s`.
 * @param ms finite, possibly with a fraction, which is rounded to the nanosecond
 */
export function formatDurationMs(ms: number): string {
  const whole = Math.trunc(ms);
  return formatDuration(BigInt(whole) * 1_000_000n + BigInt(Math.round((ms - whole) * 1e6)));
}

/**
 * A duration for a message: in whole seconds, or in whole milliseconds below one second.
 * @param ms finite
 */
export function roundedDuration(ms: number): string {
  const step = Math.abs(ms) < 1_000 ? 1 : 1_000;
  return formatDurationMs(Math.round(ms / step) * step);
}
