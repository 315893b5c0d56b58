// How durations, instants and counts read.

const CLOCK = new Intl.DateTimeFormat(undefined, {
  hourCycle: 'h23',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
});
const HOUR = new Intl.DateTimeFormat(undefined, { hourCycle: 'h23', hour: '2-digit', minute: '2-digit' });
const WHOLE = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'long' });
const NUMBER = new Intl.NumberFormat();

/** @param {number} ms */
export function duration(ms) {
  const seconds = Math.max(0, ms) / 1000;
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  const minutes = Math.floor(whole / 60);
  if (minutes < 60) return whole % 60 === 0 ? `${minutes} min` : `${minutes} min ${whole % 60} s`;
  return `${number(Math.floor(minutes / 60))} h ${minutes % 60} min`;
}

/** @param {number} instant epoch milliseconds */
export const clock = (instant) => CLOCK.format(instant);

/** @param {number} instant epoch milliseconds */
export const hour = (instant) => HOUR.format(instant);

/** With its day and time zone. @param {number} instant epoch milliseconds */
export const wholeInstant = (instant) => WHOLE.format(instant);

/** @param {number} count */
export const number = (count) => NUMBER.format(count);

/** @param {number} count @param {string} what of one @param {string} [many] of several */
export const plural = (count, what, many = `${what}s`) => `${number(count)} ${count === 1 ? what : many}`;

/** `waiting_for_session` as words. @param {string} name */
export const spaced = (name) => name.replaceAll('_', ' ');
