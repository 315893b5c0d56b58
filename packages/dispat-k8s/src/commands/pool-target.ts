import { quoted } from '@rungar/model';
import { removedByCommand } from '../cluster/report/clean-up.js';
import type { PoolTarget } from '../cluster/workloads.js';
import type { Args, Command, World } from '../command.js';
import { FlagReader } from '../flag-reader.js';
import { ARCHITECTURES, isRunId, NO_RUN_ID, NO_VERSION, runIdFromText } from '../options/rules/naming.js';
import { ProblemList } from '../problems.js';

/** What a command that looks for a pool was told, read once. */
export interface TargetFlags {
  readonly target: PoolTarget;
  readonly flags: FlagReader;
  readonly problems: ProblemList;
}

/**
 * Reads which pool is meant. The caller reads its own flags with `flags`, and then throws what `problems` has.
 * @throws InputError when the file of `--config` cannot be read
 */
export async function readTarget(args: Args, command: Pick<Command, 'flags'>, world: World): Promise<TargetFlags> {
  const problems = new ProblemList();
  const flags = await FlagReader.open(args, command, world, problems);
  const name = readName(flags, problems, 'name', 'dispat-workers');
  const runId = readRunId(flags, problems);
  const prefix = flags.text('prefix');
  const target: PoolTarget = {
    namespace: readName(flags, problems, 'namespace', 'release'),
    name,
    platformNames: ARCHITECTURES.map((architecture) => `${name}-${architecture}`),
    ...(runId !== undefined && { runId }),
    variation: flags.choice('variation', ['job', 'statefulset']) ?? 'job',
    ...(prefix !== undefined && { prefix }),
  };
  return { target, flags, problems };
}

/** A name becomes part of an address and of a selector: what is none must not reach either. */
function readName(flags: FlagReader, problems: ProblemList, flag: 'name' | 'namespace', usual: string): string {
  const text = flags.text(flag) ?? usual;
  if (!/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(text)) {
    problems.add({
      code: 'NAME_INVALID',
      at: flag,
      found: quoted(text),
      allowed: 'lower-case letters, digits and hyphens, no hyphen at either end, at most 63 characters',
      fix: `write it as generate had it: --${flag} ${usual}`,
    });
  }
  return text;
}

function readRunId(flags: FlagReader, problems: ProblemList): string | undefined {
  // One on the command line stands in place of either in the file.
  const byFlag = flags.isGiven('run-id') || flags.isGiven('run-id-from');
  const read = (flag: string) => (byFlag && !flags.isGiven(flag) ? undefined : flags.text(flag));
  const [runId, from] = [read('run-id'), read('run-id-from')];
  if (runId !== undefined && from !== undefined) {
    return problems.add({
      code: 'OPTIONS_CONFLICT',
      at: 'run-id-from',
      found: '--run-id as well',
      allowed: 'one of the two',
      fix: 'leave out --run-id-from',
    });
  }
  if (runId !== undefined && !isRunId(runId)) problems.add({ ...NO_RUN_ID, at: 'run-id', found: quoted(runId) });
  if (from === undefined) return runId;
  return from.trim() === '' ? problems.add({ ...NO_VERSION, at: 'run-id-from' }) : runIdFromText(from);
}

/** Says how to clean up when a command was stopped half-way, which leaves the cluster as it is. */
export function tellStopped(what: string, target: PoolTarget, world: World): void {
  world.stderr.write(`Stopped ${what}. The pool is as it was; this removes it:\n  ${removedByCommand(target)}\n`);
}
