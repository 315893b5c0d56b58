import type { Args, Command, World } from '../command.js';
import { readInput } from '../files.js';
import { FlagReader, ownKeys } from '../flag-reader.js';
import { poolFlagsGiven } from '../options/flags.js';
import { type CheckedOptions, readPoolOptions } from '../options/read-options.js';
import { collected, ProblemList } from '../problems.js';

/** A pool's options as they were checked, and what else the command was told. */
export interface PoolRequest<Own> extends CheckedOptions {
  readonly own: Own;
}

/**
 * Reads a pool's options and the command's own from `--config` and the flags, so that everything wrong with either is
 * told at once.
 * @param readOwn reads the command's own flags; what is wrong with them goes to its second argument
 * @throws InputError with every problem found
 */
export async function readPoolRequest<Own>(
  args: Args,
  command: Pick<Command, 'flags'>,
  world: World,
  readOwn: (flags: FlagReader, problems: ProblemList) => Own,
): Promise<PoolRequest<Own>> {
  const problems = new ProblemList();
  const file = args.config === undefined ? undefined : await readInput(String(args.config), world);
  const own = readOwn(FlagReader.of(args, command, file, problems), problems);
  refuseTwoPlaces(args, problems);
  const source = { flags: poolFlagsGiven(args), otherKeys: ownKeys(command), ...(file && { file }) };
  // What is wrong with the file itself is found by both readers.
  const checked = await collected(problems, () => readPoolOptions(source));
  problems.throwIfAny();
  if (checked === undefined) throw new TypeError('options that were refused without a problem');
  return { ...checked, own };
}

/** A folder and a file for the same result: one of them would stay empty. */
function refuseTwoPlaces({ output, outputDir }: Args, problems: ProblemList): void {
  if (outputDir === undefined || output === undefined || output === '-') return;
  problems.add({
    code: 'OPTIONS_CONFLICT',
    at: 'output-dir',
    found: '--output as well',
    allowed: 'one file with --output, or one file per object with --output-dir',
    fix: 'leave one of them out',
  });
}
