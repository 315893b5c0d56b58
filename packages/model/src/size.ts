const SIZE = /^\+?(?:(\d+)(?:\.(\d*))?|\.(\d+))(?:e([+-]?\d{1,6}))? ?(?:b|([kmgtp])(?:i?b)?)?$/i;

const POWERS: Readonly<Record<string, bigint>> = { k: 1n, m: 2n, g: 3n, t: 4n, p: 5n };

/** More digits than any size has, so that an exponent cannot make us work for long. */
const MOST_DIGITS = 400;

const LARGEST = 2n ** 63n - 1n;

/**
 * Reads a size: a decimal number, at most one space, and a unit in any case. Every unit is a power of 1024, so
 * `4GiB`, `4GB`, `4 g` and `4294967296` are one size.
 * @returns whole bytes, a fraction of one dropped; nothing when the text is no size or does not fit 64 bits
 * @see docs/reference/configuration.md, "Sizes"
 */
export function parseSize(text: string): bigint | undefined {
  const match = SIZE.exec(text);
  if (match === null) return undefined;
  const [, whole = '', fractionAfter = '', fractionAlone = '', exponent = '0', unit = ''] = match;
  const fraction = fractionAfter || fractionAlone;
  const digits = (whole + fraction).replace(/^0+(?=\d)/, '');
  if (digits === '0') return 0n;
  if (digits.length > MOST_DIGITS) return undefined;
  const tens = Number(exponent) - fraction.length;
  if (tens > MOST_DIGITS) return undefined;
  if (tens < -2 * MOST_DIGITS) return 0n;
  const scaled = BigInt(digits) * 1024n ** (POWERS[unit.toLowerCase()] ?? 0n);
  const bytes = tens < 0 ? scaled / 10n ** BigInt(-tens) : scaled * 10n ** BigInt(tens);
  return bytes > LARGEST ? undefined : bytes;
}

const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'] as const;

/**
 * Writes a size for people, with four significant digits in the largest unit that leaves it below 1024.
 * @param bytes not negative
 * @param space what stands between number and unit: nothing (`4GiB`) or one space (`4 GiB`)
 */
export function formatSize(bytes: bigint, space: '' | ' ' = ''): string {
  let value = Number(bytes);
  let unit = 0;
  while (value >= 1024 && unit < UNITS.length - 1) {
    value /= 1024;
    unit++;
  }
  return `${Number(value.toPrecision(4))}${space}${UNITS[unit]}`;
}

/**
 * Writes a size so that {@link parseSize} reads the same back: in the largest unit that it is a whole number of.
 * @param bytes not negative
 */
export function exactSize(bytes: bigint): string {
  let value = bytes;
  let unit = 0;
  while (value > 0n && value % 1024n === 0n && unit < UNITS.length - 1) {
    value /= 1024n;
    unit++;
  }
  return `${value}${UNITS[unit]}`;
}
