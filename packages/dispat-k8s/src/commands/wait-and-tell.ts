import type { ClusterApi } from '../cluster/api.js';
import { progressText, waitText } from '../cluster/report/wait-text.js';
import { type WaitRequest, type WaitResult, waitReady } from '../cluster/wait.js';
import type { Args, World } from '../command.js';
import { EXIT } from '../exit.js';
import { writeResult } from '../files.js';
import { tellStopped } from './pool-target.js';

const CODES = { ready: EXIT.done, failed: EXIT.found, 'timed out': EXIT.timedOut } as const;

/** Waits, tells each change on standard error, and gives the result. */
export async function waitTelling(
  request: WaitRequest,
  api: ClusterApi,
  args: Args,
  world: World,
): Promise<{ readonly result: WaitResult; readonly code: number }> {
  const { clock, signal, stderr } = world;
  try {
    const result = await waitReady(request, { api, clock, signal }, (progress) => {
      if (args.quiet !== true || progress.kind === 'mailbox error') stderr.write(`${progressText(progress)}\n`);
    });
    return { result, code: CODES[result.outcome] };
  } catch (error) {
    if (signal.aborted) tellStopped('waiting', request.target, world);
    throw error;
  }
}

/** The same, and writes the result. */
export async function waitAndTell(request: WaitRequest, api: ClusterApi, args: Args, world: World): Promise<number> {
  const { result, code } = await waitTelling(request, api, args, world);
  const text = args.format === 'json' ? `${JSON.stringify(result, null, 2)}\n` : waitText(result);
  await writeResult(text, args, world);
  return code;
}
