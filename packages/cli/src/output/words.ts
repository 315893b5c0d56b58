import { formatDurationMs } from '@rungar/model';

/** `1 runner`, `0 runners`. */
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** The largest whole unit, floored: `42s`, `17m`, `5h`, `9d`; `-` when unknown or in the future. */
export function age(ms: number | undefined): string {
  if (ms === undefined || Number.isNaN(ms) || ms < 0) return '-';
  const seconds = Math.floor(ms / 1000);
  if (seconds < 60) return `${seconds}s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)}h`;
  return `${Math.floor(seconds / 86_400)}d`;
}

/** A length of time, rounded to the second: `9s`, `1m30s`, `2h0m5s`. */
export function span(ms: number): string {
  return formatDurationMs(Math.round(ms / 1000) * 1000);
}

/** A duration of the API's (`90.500s`) as {@link span} says it; `-` when absent. */
export function wait(seconds: string | undefined): string {
  const value = Number.parseFloat(seconds ?? '');
  return Number.isNaN(value) ? '-' : span(value * 1000);
}

/** `, next try in 12s`, or nothing where none is due. @param now epoch milliseconds */
export function nextTry(at: string | undefined, now: number): string {
  return at ? `, next try in ${span(Math.max(0, Date.parse(at) - now))}` : '';
}

/** How long machines have stood, as the daemon counts it from its start: `12.5 hours since the daemon started`. */
export function machineTime(hours: number): string {
  return `${hours.toFixed(1)} hours since the daemon started`;
}

/** `YYYY-MM-DD HH:MM:SS` where the program runs. */
export function localTime(ms: number): string {
  const at = new Date(ms);
  const two = (value: number): string => String(value).padStart(2, '0');
  const date = [at.getFullYear(), two(at.getMonth() + 1), two(at.getDate())].join('-');
  return `${date} ${[at.getHours(), at.getMinutes(), at.getSeconds()].map(two).join(':')}`;
}

/** `RUNNER_STATE_STARTING` as `Starting`, `JOB_STARTED` as `Job started`; `-` for what is unspecified or absent. */
export function enumWords(value: string | undefined, prefix: string): string {
  const word = (value ?? '').replace(prefix, '');
  if (word === '' || word === 'UNSPECIFIED') return '-';
  return word.charAt(0) + word.slice(1).toLowerCase().replaceAll('_', ' ');
}
