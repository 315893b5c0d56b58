import { matchesSelector } from '@rungar/labels';
import { type Labels, type MachineListing, type OpenProvider, type ProviderContext, RungarError } from '@rungar/model';
import { trackCalls } from '../shared/open-calls.js';
import { rememberOutstanding } from '../shared/outstanding.js';
import { withoutScheme } from './address.js';
import { openDicerClient } from './client.js';
import { readConsole } from './console.js';
import { createMachine } from './create.js';
import { deleteMachine } from './delete.js';
import { DicerError, toRungarError } from './errors.js';
import { createImages } from './images.js';
import { toMachine } from './machine.js';
import type { DicerRunner, DicerSettings } from './settings.js';

/**
 * Opens a provider over one Dicer host. Reads the files of `tls`; asks the daemon nothing yet.
 * @throws RungarError `invalid_argument` naming a file that cannot be used, and the cure
 */
export async function openDicerProvider(
  settings: DicerSettings,
  context: ProviderContext,
): Promise<OpenProvider<DicerRunner>> {
  const { clock, logger, redactor } = context;
  const dicer = await openDicerClient(settings, context);
  const calls = trackCalls(() => new RungarError('unavailable', `provider ${context.name} is closed`));
  const images = createImages({ dicer, calls, clock, logger });
  const outstanding = rememberOutstanding(clock);

  const list = async (selector: Labels, signal: AbortSignal): Promise<MachineListing> => {
    const part = { part: withoutScheme(settings.address), begunAt: clock.now() };
    try {
      const machines = (await dicer.listInstances(signal)).map(toMachine);
      const own = machines.filter(({ labels }) => matchesSelector(labels, selector));
      return { parts: [{ ...part, machines: own }], upToDate: true };
    } catch (error) {
      signal.throwIfAborted();
      return { parts: [{ ...part, machines: [], error: asRungarError(error) }] };
    }
  };

  /** Runs a call whose errors name `what` was being done. */
  const run = <T>(what: string, signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> =>
    calls.run(signal, async (own) => {
      try {
        return await work(own);
      } catch (error) {
        own.throwIfAborted();
        throw asRungarError(error, what);
      }
    });

  return {
    list: (selector, { signal }) => calls.run(signal, (own) => list(selector, own)),

    create: (request, { signal }) =>
      run('', signal, (own) => createMachine({ dicer, images, redactor, outstanding }, request, own)),

    delete: (machine, selector, { signal }) =>
      run(`deleting ${machine.name}`, signal, (own) =>
        deleteMachine({ dicer, logger, outstanding }, machine, selector, own),
      ),

    readConsole: (machine, { signal }) =>
      run(`reading the console of ${machine.name}`, signal, (own) => readConsole(dicer, machine, own)),

    async close() {
      await calls.close();
      dicer.close();
    },
  };
}

function asRungarError(error: unknown, what = ''): Error {
  if (error instanceof DicerError) return toRungarError(error, what);
  return error instanceof Error ? error : new Error(String(error));
}
