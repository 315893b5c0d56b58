import { removedByCommand } from '../cluster/report/clean-up.js';
import type { PoolTarget } from '../cluster/workloads.js';
import type { Args, Command, World } from '../command.js';
import { FlagReader } from '../flag-reader.js';
import { ARCHITECTURES, runIdFromText } from '../options/rules/naming.js';
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
  const name = flags.text('name') ?? 'dispat-workers';
  const from = flags.text('run-id-from');
  const runId = flags.text('run-id') ?? (from === undefined ? undefined : runIdFromText(from));
  const prefix = flags.text('prefix');
  const target: PoolTarget = {
    namespace: flags.text('namespace') ?? 'release',
    name,
    platformNames: ARCHITECTURES.map((architecture) => `${name}-${architecture}`),
    ...(runId !== undefined && { runId }),
    variation: flags.choice('variation', ['job', 'statefulset']) ?? 'job',
    ...(prefix !== undefined && { prefix }),
  };
  return { target, flags, problems };
}

/** Says how to clean up when a command was stopped half-way, which leaves the cluster as it is. */
export function tellStopped(what: string, target: PoolTarget, world: World): void {
  world.stderr.write(`Stopped ${what}. The pool is as it was; this removes it:\n  ${removedByCommand(target)}\n`);
}
