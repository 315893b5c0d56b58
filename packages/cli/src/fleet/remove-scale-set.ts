import { RungarError } from '@rungar/model';
import type { Session } from '../control/session.js';
import { EXIT } from '../exit.js';
import { type FormatFlags, formatOf, jsonText } from '../output/document.js';
import { plural } from '../output/words.js';
import { hasJob, type RemovedRunner, removedLine, removedRunner, wouldBeRemoved } from './remove-runners.js';
import { listRunners } from './runners.js';

/** What `rungar scale-sets rm --json` prints. Zero values stay. */
export interface ScaleSetRemovedDocument {
  readonly scale_set: string;
  /** With --dry-run nothing is removed, and this is what would be. */
  readonly dry_run: boolean;
  readonly removed: readonly RemovedRunner[];
  /** Runners with a job, which stay until it is done. */
  readonly busy_left: number;
  /** What it was, or is with --dry-run, at GitHub; `0` while it stays there, or when GitHub has none. */
  readonly scale_set_id: string;
}

export interface ScaleSetToRemove {
  readonly name: string;
  /** The runner group it is in; `Default` unless given. */
  readonly group?: string;
}

/** How often is looked for the last job. */
const LOOK_MS = 5_000;

/**
 * `rungar scale-sets rm`: idle runners, then the scale set at GitHub.
 * @param wait waits for jobs, and removes what is left then
 * @throws RungarError `busy` when runners with a job are left, and nobody waits for them
 */
export async function removeScaleSet(
  { name, group = 'Default' }: ScaleSetToRemove,
  wait: boolean,
  flags: FormatFlags,
  session: Session,
): Promise<number> {
  const { stdout, clock, signal } = session.world;
  const asDocument = formatOf(flags) === 'json';
  const say = (line: string): void => void (asDocument || stdout.write(`${line}\n`));
  const removed: RemovedRunner[] = [];
  let told = 0;
  for (;;) {
    const answer = await session.ask('RemoveScaleSet', { name, runner_group: group });
    for (const one of (answer.removed ?? []).map(removedRunner)) {
      removed.push(one);
      say(removedLine(one));
    }
    const { busy_left: busyLeft = 0, scale_set_id: id = '0' } = answer;
    if (busyLeft === 0) {
      say(
        id === '0' ? `${name}: GitHub has none in the runner group ${group}` : `${name} (${id}): removed from GitHub`,
      );
    }
    if (asDocument && (busyLeft === 0 || !wait)) {
      stdout.write(jsonText(documentOf({ name, dryRun: false, removed, busyLeft, id })));
    }
    if (busyLeft === 0) return EXIT.done;
    if (!wait) {
      throw new RungarError('busy', `${name}: ${plural(busyLeft, 'runner')} still busy`, {
        hint: 'call it again once their jobs are done, or wait for that with --wait',
      });
    }
    if (busyLeft !== told) say(`${name}: ${plural(busyLeft, 'runner')} still busy, waiting`);
    told = busyLeft;
    await clock.sleep(LOOK_MS, signal);
  }
}

/**
 * `rungar scale-sets rm --dry-run`: what would go. It only asks for what is there, so that no daemon of any release
 * can take it for the real thing.
 * @throws RungarError as the removal would: for a configured one, and while a provider cannot be listed
 */
export async function previewRemoval(
  { name, group = 'Default' }: ScaleSetToRemove,
  flags: FormatFlags,
  session: Session,
): Promise<number> {
  const [scaleSet, { runners = [], unreachable_providers: unreachable = {} }] = await Promise.all([
    session.ask('GetScaleSet', { name, runner_group: group }),
    listRunners({ scaleSet: name }, session),
  ]);
  if (scaleSet.configured) {
    throw new RungarError('invalid_argument', `scale set "${name}" is in the configuration`, {
      hint: 'take it out there first',
    });
  }
  const [unlisted] = Object.entries(unreachable);
  if (unlisted) {
    throw new RungarError('unavailable', `${unlisted[0]} could not be listed, and may have runners: ${unlisted[1]}`, {
      hint:
        'bring it back; if its machines are gone for good, take it out of the configuration and restart the daemon: ' +
        'after a reload alone, one that had runners is still asked',
    });
  }
  const busy = runners.filter(hasJob);
  const removed = runners.filter((one) => !hasJob(one)).map(removedRunner);
  const id = scaleSet.github?.id ?? '0';
  const { stdout } = session.world;
  if (formatOf(flags) === 'json') {
    stdout.write(jsonText(documentOf({ name, dryRun: true, removed, busyLeft: busy.length, id })));
    return EXIT.done;
  }
  const end =
    busy.length > 0
      ? `${name}: stays while ${plural(busy.length, 'runner is', 'runners are')} busy`
      : id === '0'
        ? `${name}: GitHub has none in the runner group ${group}`
        : `${name} (${id}): would be removed from GitHub`;
  const lines = removed.map(wouldBeRemoved);
  stdout.write(`${[...lines, end].join('\n')}\n`);
  return EXIT.done;
}

function documentOf({
  name,
  dryRun,
  removed,
  busyLeft,
  id,
}: {
  readonly name: string;
  readonly dryRun: boolean;
  readonly removed: readonly RemovedRunner[];
  readonly busyLeft: number;
  readonly id: string;
}): ScaleSetRemovedDocument {
  return { scale_set: name, dry_run: dryRun, removed, busy_left: busyLeft, scale_set_id: id };
}
