/**
 * An instant as RFC 3339 text in UTC, with milliseconds, or with microseconds where the instant has them.
 * @param ms epoch milliseconds, possibly with a fraction
 */
export function toRfc3339(ms: number): string {
  const micros = Math.round(ms * 1000);
  const text = new Date(Math.floor(micros / 1000)).toISOString();
  const below = micros - Math.floor(micros / 1000) * 1000;
  return below === 0 ? text : `${text.slice(0, -1)}${String(below).padStart(3, '0')}Z`;
}

const RFC_3339 = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/;

/**
 * Reads RFC 3339 text with any offset and up to nine digits of a fraction.
 * @returns epoch milliseconds with a fraction; nothing when the text is no instant
 */
export function fromRfc3339(text: string): number | undefined {
  const [, whole, fraction = '', offset] = RFC_3339.exec(text) ?? [];
  if (whole === undefined || offset === undefined) return undefined;
  const seconds = Date.parse(whole + offset);
  return Number.isNaN(seconds) ? undefined : seconds + Number(`0${fraction || '.0'}`) * 1000;
}
