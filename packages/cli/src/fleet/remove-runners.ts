import { RungarError } from '@rungar/model';
import type { RunnerAnswer } from '../control/answers.js';
import type { Session } from '../control/session.js';
import { EXIT } from '../exit.js';
import { confirm } from '../output/confirm.js';
import { type FormatFlags, formatOf, jsonText } from '../output/document.js';
import { listTable } from '../output/listing.js';
import { ageOf, RUNNER_COLUMNS, runnerState, unlistedNotes } from '../output/runners.js';
import { viewOf } from '../output/view.js';
import { plural } from '../output/words.js';
import { usageError } from '../usage.js';
import { listRunners, namesOf, type RunnerFilter } from './runners.js';
import { endWith, type Failure, forEach } from './several.js';

/** Which of the runners are to go. */
export interface RemovalFilter extends RunnerFilter {
  /** In small letters. */
  readonly state?: string;
  /** Milliseconds since it was created. */
  readonly olderThanMs?: number;
}

/** What `rungar runners rm --json` prints. Zero values stay. */
export interface RunnersRemovedDocument {
  /** With --dry-run nothing is removed, and `removed` is what would be. */
  readonly dry_run: boolean;
  readonly removed: readonly RemovedRunner[];
  readonly failed: readonly { readonly name: string; readonly reason: string }[];
}

export interface RemovedRunner {
  readonly name: string;
  readonly scale_set: string;
  /** Empty for a registration without a machine. */
  readonly provider: string;
}

/** How a removal is asked for. */
export interface RemovalOptions {
  /** Nothing is removed, and what would be is shown. */
  readonly dryRun: boolean;
  /** Nobody is asked whether to go on. */
  readonly yes: boolean;
}

/** `rungar runners rm NAME...`: one after the other, whatever becomes of those before. */
export async function removeNamed(
  names: readonly string[],
  { dryRun }: RemovalOptions,
  flags: FormatFlags,
  session: Session,
): Promise<number> {
  if (!dryRun) return remove(names, flags, session);
  const { runners = [] } = await listRunners({}, session);
  const found: RunnerAnswer[] = [];
  const failures = await forEach(
    names.map((name) => ({ name })),
    async ({ name }) => void found.push(removable(runners, name)),
    session.world,
  );
  show({ dryRun, removed: found.map(removedRunner), failures }, flags, session);
  return endWith(
    failures,
    names.length,
    `${failures.length} of ${plural(names.length, 'runner')} would not be removed`,
  );
}

/** @throws RungarError as the daemon would refuse to remove it */
function removable(runners: readonly RunnerAnswer[], name: string): RunnerAnswer {
  const runner = runners.find((one) => one.name === name);
  if (!runner) throw new RungarError('not_found', `there is no runner "${name}"`);
  if (hasJob(runner)) throw new RungarError('busy', `runner "${name}" has a job`);
  return runner;
}

/** By the daemon or by GitHub, whichever knows. */
export function hasJob({ state, github_status: github }: RunnerAnswer): boolean {
  return state === 'RUNNER_STATE_BUSY' || github === 'RUNNER_GITHUB_STATUS_BUSY';
}

/**
 * `rungar runners rm` by filter: those without a job that match, once somebody has agreed.
 * @throws ExitError 64 when nobody can be asked and nobody has agreed beforehand
 */
export async function removeMatching(
  filter: RemovalFilter,
  { dryRun, yes }: RemovalOptions,
  flags: FormatFlags,
  session: Session,
): Promise<number> {
  const { world } = session;
  if (!dryRun && !yes && world.stdin.isTTY !== true) {
    throw usageError(
      'without a terminal to ask on, runners are removed by filter only with --yes; --dry-run shows which',
    );
  }
  const answer = await listRunners(filter, session);
  const view = viewOf(world);
  for (const note of unlistedNotes({ unreachable_providers: answer.unreachable_providers ?? {} }, view)) {
    world.stderr.write(`${note}\n`);
  }
  const runners = (answer.runners ?? []).filter((one) => matches(one, filter, view.now));
  const unlisted = Object.keys(answer.unreachable_providers ?? {}).length > 0;
  if (dryRun || runners.length === 0) {
    show({ dryRun, removed: runners.map(removedRunner), failures: [] }, flags, session);
    return unlisted ? EXIT.partly : EXIT.done;
  }
  if (!yes) {
    const table = listTable(runners, RUNNER_COLUMNS, { wide: false, headers: true }, view);
    world.stderr.write(`${table.join('\n')}\n`);
    if (!(await confirm(`Remove ${plural(runners.length, 'runner')}?`, world))) return EXIT.done;
  }
  const code = await remove(namesOf(runners), flags, session);
  return unlisted ? EXIT.partly : code;
}

/** A runner with a job never matches. */
function matches(runner: RunnerAnswer, { state, olderThanMs }: RemovalFilter, now: number): boolean {
  if (hasJob(runner) || (state !== undefined && runnerState(runner.state).toLowerCase() !== state)) return false;
  const age = ageOf(runner, now);
  return olderThanMs === undefined || (age !== undefined && age >= olderThanMs);
}

async function remove(names: readonly string[], flags: FormatFlags, session: Session): Promise<number> {
  const { stdout } = session.world;
  const asDocument = formatOf(flags) === 'json';
  const removed: RemovedRunner[] = [];
  const failures = await forEach(
    names.map((name) => ({ name })),
    async ({ name }) => {
      const was = removedRunner({ ...(await session.ask('RemoveRunner', { name })), name });
      removed.push(was);
      if (!asDocument) stdout.write(`${removedLine(was)}\n`);
    },
    session.world,
  );
  if (asDocument) stdout.write(jsonText(documentOf({ dryRun: false, removed, failures })));
  return endWith(failures, names.length, `${failures.length} of ${plural(names.length, 'runner')} not removed`);
}

/** `birch-s-77aa00ee: removed from rack-a`. */
export function removedLine({ name, provider }: RemovedRunner): string {
  return `${name}: ${provider === '' ? 'registration removed (no machine)' : `removed from ${provider}`}`;
}

export function removedRunner({ name = '', scale_set: scaleSet = '', provider = '' }: RunnerAnswer): RemovedRunner {
  return { name, scale_set: scaleSet, provider };
}

/** What became of runners, or would. */
interface Removal {
  readonly dryRun: boolean;
  readonly removed: readonly RemovedRunner[];
  readonly failures: readonly Failure[];
}

function show(removal: Removal, flags: FormatFlags, { world: { stdout } }: Session): void {
  const { removed, failures } = removal;
  if (formatOf(flags) === 'json') stdout.write(jsonText(documentOf(removal)));
  else if (removed.length === 0 && failures.length === 0) stdout.write('no runner matches\n');
  else for (const one of removed) stdout.write(`${wouldBeRemoved(one)}\n`);
}

export function wouldBeRemoved({ name, provider }: RemovedRunner): string {
  return `${name}: would be removed from ${provider || 'GitHub'}`;
}

function documentOf({ dryRun, removed, failures }: Removal): RunnersRemovedDocument {
  return { dry_run: dryRun, removed, failed: failures.map(({ name, reason }) => ({ name, reason })) };
}
