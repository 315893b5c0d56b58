import type { MachineRef } from '@rungar/model';
import type { Ec2 } from './client.js';
import { Ec2Error, isNoSuchInstance } from './errors.js';

/** How many lines of a console are shown. */
const MOST_LINES = 50;

/**
 * The last lines a machine wrote to its console, oldest first; nothing when it is not there, or is not known by its
 * id. EC2 has the present ones of some types only; of the others those of some minutes ago.
 * @throws Ec2Error
 */
export async function readConsole(
  ec2: Pick<Ec2, 'getConsoleOutput'>,
  { id }: MachineRef,
  signal: AbortSignal,
): Promise<readonly string[] | undefined> {
  if (!id) return undefined;
  try {
    const output = await readLatest(ec2, id, signal);
    const lines = output
      .toString('utf8')
      .split(/\r?\n/)
      .filter((line) => line.trim() !== '');
    return lines.slice(-MOST_LINES);
  } catch (error) {
    if (error instanceof Ec2Error && isNoSuchInstance(error)) return undefined;
    throw error;
  }
}

async function readLatest(ec2: Pick<Ec2, 'getConsoleOutput'>, id: string, signal: AbortSignal): Promise<Buffer> {
  try {
    return await ec2.getConsoleOutput(id, true, signal);
  } catch (error) {
    if (!(error instanceof Ec2Error && error.code === 'UnsupportedOperation')) throw error;
    return ec2.getConsoleOutput(id, false, signal);
  }
}
