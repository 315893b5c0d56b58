import { readEndpoint, redactEndpoint } from '../endpoint.js';
import type { NamedText } from '../files.js';
import type { FlagReader } from '../flag-reader.js';
import { readPoolOptions } from '../options/read-options.js';
import { nodeNameFault, type PoolOptions } from '../pool.js';
import { collected, type ProblemList } from '../problems.js';
import type { KnownPool } from './classify.js';

/** What `demand` was asked for, checked. */
export interface DemandFlags {
  readonly endpoint: string;
  readonly pools: readonly KnownPool[];
  readonly inspect: boolean;
  readonly retainedAfterMs: number;
  readonly timeoutMs: number;
  readonly watch: boolean;
  readonly intervalMs: number;
  readonly exec: string | undefined;
  /** The options of the pool to apply. */
  readonly apply: PoolOptions | undefined;
  readonly eager: boolean;
  readonly max: number;
  readonly serveQueued: boolean;
  readonly retry: boolean;
  readonly preflightMs: number;
  readonly lockFile: string | undefined;
  readonly serveMetricsAt: string | undefined;
}

const DEFAULT_TASK_S = 3600;
const DEFAULT_CANCEL_S = 60;
const DEFAULT_PREFLIGHT_MS = 600_000;
const DEFAULT_TIMEOUT_MS = 30_000;
const DEFAULT_INTERVAL_MS = 10_000;
const DEFAULT_MAX = 50;

/**
 * Reads the flags of `demand`, and the pool files they name.
 * @throws InputError with every problem found
 */
export async function readDemandFlags(
  flags: FlagReader,
  problems: ProblemList,
  read: (file: string) => Promise<NamedText>,
): Promise<DemandFlags> {
  const applyFile = flags.text('apply');
  const files = [...flags.texts('pool'), ...(applyFile === undefined ? [] : [applyFile])];
  const options: PoolOptions[] = [];
  for (const file of files) {
    const checked = await collected(problems, async () => readPoolOptions({ file: await read(file) }).options);
    if (checked !== undefined) options.push(checked);
  }
  const [first] = options;
  const watch = flags.isSet('watch');
  const retainedMs = ((first?.taskTimeout ?? DEFAULT_TASK_S) + (first?.cancel ?? DEFAULT_CANCEL_S)) * 1000;
  const result: DemandFlags = {
    endpoint: readMailbox(flags.text('endpoint') ?? first?.endpoint, options.length < files.length, problems),
    pools: [
      ...prefixes(flags, problems),
      ...options.flatMap(({ pools }) => pools.map(({ prefix, count }) => ({ prefix, count }))),
    ],
    inspect: flags.isSet('inspect') || watch,
    retainedAfterMs: flags.durationMs('retained-after', 1000) ?? retainedMs,
    timeoutMs: flags.durationMs('timeout', 1000) ?? DEFAULT_TIMEOUT_MS,
    watch,
    intervalMs: flags.durationMs('interval', 1000) ?? DEFAULT_INTERVAL_MS,
    exec: flags.text('exec'),
    apply: applyFile === undefined ? undefined : options.at(-1),
    eager: flags.isSet('eager'),
    max: flags.whole('max', 1, 1000) ?? DEFAULT_MAX,
    serveQueued: flags.isSet('serve-queued'),
    retry: flags.isSet('retry'),
    preflightMs:
      flags.durationMs('preflight', 1000) ?? (first === undefined ? DEFAULT_PREFLIGHT_MS : first.preflight * 1000),
    lockFile: flags.text('lock-file'),
    serveMetricsAt: flags.text('serve-metrics'),
  };
  checkOverlap(result.pools, problems);
  checkWatching(flags, result, problems);
  problems.throwIfAny();
  return result;
}

/** @param mayBeUnread whether a pool file that could not be read may say it */
function readMailbox(endpoint: string | undefined, mayBeUnread: boolean, problems: ProblemList): string {
  if (endpoint === undefined) {
    if (mayBeUnread) return '';
    problems.add({
      code: 'ENDPOINT_MISSING',
      at: 'endpoint',
      found: 'no mailbox',
      allowed: 'the endpoint the workers have',
      fix: 'name it with --endpoint, or a pool file that has it with --pool',
    });
    return '';
  }
  const { fault } = readEndpoint(endpoint);
  if (fault !== undefined) {
    problems.add({
      code: 'ENDPOINT_INVALID',
      at: 'endpoint',
      found: `${redactEndpoint(endpoint)}, an endpoint that ${fault.reason}`,
      allowed: 'an https, ssh or file URL, an absolute path, or user@host:path',
      fix: 'give the mailbox as git@host:path or https://host/path, without credentials',
    });
  }
  return endpoint;
}

/** `w-` or `w-=4`. */
function prefixes(flags: FlagReader, problems: ProblemList): KnownPool[] {
  return flags.texts('prefix').flatMap((text) => {
    const [, prefix = '', digits] = /^([^=]*)(?:=([0-9]{1,4}))?$/.exec(text) ?? [];
    const count = digits === undefined ? undefined : Number(digits);
    const fault = nodeNameFault(`${prefix}0`);
    if (prefix !== '' && fault === undefined && (count === undefined || (count >= 1 && count <= 1000))) {
      return [{ prefix, ...(count !== undefined && { count }) }];
    }
    problems.add({
      code: 'PREFIX_INVALID',
      at: 'prefix',
      found: JSON.stringify(text),
      allowed: 'letters, digits, dots, underscores and hyphens, and = with a count from 1 to 1000 where one is needed',
      fix: 'write --prefix w- or --prefix w-=4',
    });
    return [];
  });
}

/** Two pools of one prefix would have the same names. */
function checkOverlap(pools: readonly KnownPool[], problems: ProblemList): void {
  const twice = new Set(pools.map(({ prefix }) => prefix).filter((prefix, at, all) => all.indexOf(prefix) !== at));
  for (const prefix of twice) {
    problems.add({
      code: 'POOLS_OVERLAP',
      at: 'prefix',
      found: `two pools of the prefix ${prefix}`,
      allowed: 'each prefix once, among --prefix, --pool and --apply',
      fix: 'leave one of them out',
    });
  }
}

const WATCH_ONLY = [
  'interval',
  'exec',
  'apply',
  'eager',
  'max',
  'serve-queued',
  'retry',
  'lock-file',
  'serve-metrics',
] as const;

function checkWatching(
  flags: FlagReader,
  { watch, exec, apply, pools, lockFile }: DemandFlags,
  problems: ProblemList,
): void {
  const conflict = (at: string, found: string, allowed: string, fix: string): undefined =>
    problems.add({ code: 'OPTIONS_CONFLICT', at, found, allowed, fix });
  if (!watch) {
    for (const name of WATCH_ONLY) {
      if (flags.isGiven(name))
        conflict(name, `--${name} without --watch`, `--${name} together with --watch`, 'add --watch');
    }
    return;
  }
  if (exec !== undefined && apply !== undefined)
    conflict('exec', 'both --exec and --apply', 'one of them', 'leave one out');
  if (lockFile !== undefined && exec === undefined && apply === undefined)
    conflict('lock-file', '--lock-file without --exec or --apply', 'it beside one of them', 'leave it out');
  if ((flags.text('output') ?? '-') !== '-')
    conflict('output', '--output with --watch', 'standard output, which gets a line for each change', 'redirect it');
  if (apply?.generateName === true)
    conflict('apply', 'a pool with generateName', 'a pool whose objects have a name', 'give it a runId instead');
  if (exec === undefined) return;
  if (!pools.some(({ count }) => count !== undefined)) {
    conflict('exec', 'no pool with a count', 'a pool whose names are known', 'add --prefix w-=4, or --pool FILE');
  }
}
