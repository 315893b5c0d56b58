import type { Command } from '../command.js';
import { CONDITIONS, type WaitKind } from '../fleet/conditions.js';
import { usageError } from '../usage.js';
import { durationOf } from './arguments.js';

const KINDS = Object.keys(CONDITIONS) as WaitKind[];

export const waitCommand: Command = {
  name: 'wait <kind> <name>',
  describe: 'Wait until something is so',
  options: (yargs) =>
    yargs
      .positional('kind', { choices: KINDS, describe: 'what to wait for' })
      .positional('name', { type: 'string', describe: 'its name' })
      .option('for', { type: 'string', requiresArg: true, describe: 'the condition, below' })
      .option('timeout', { type: 'string', requiresArg: true, describe: 'give up after 30s, 5m or the like' })
      .epilogue(conditionsInWords())
      .check(({ kind, for: condition }) => {
        const known = Object.keys(KINDS.includes(kind as WaitKind) ? CONDITIONS[kind as WaitKind] : {});
        if (condition === undefined) throw usageError(`wait needs --for with one of ${known.join(', ')}`);
        if (!known.includes(String(condition))) {
          throw usageError(`--for of a ${String(kind)} must be one of ${known.join(', ')}, not "${String(condition)}"`);
        }
        return true;
      }),
  async run(args, world) {
    const timeoutMs = durationOf('timeout', args.timeout);
    const { waitFor } = await import('../fleet/wait-for.js');
    const awaited = { kind: args.kind as WaitKind, name: String(args.name), condition: String(args.for) };
    return waitFor({ ...awaited, ...(timeoutMs !== undefined && { timeoutMs }) }, args.socket, world);
  },
};

function conditionsInWords(): string {
  return KINDS.map((kind) =>
    [
      `Conditions of a ${kind}:`,
      ...Object.entries(CONDITIONS[kind]).map(([name, { says }]) => `  ${name.padEnd(10)} ${says}`),
    ].join('\n'),
  ).join('\n\n');
}
