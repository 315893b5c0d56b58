import { installationSelector, LABEL } from '@rungar/labels';
import { type OpenProvider, type ProviderContext, RungarError } from '@rungar/model';
import { trackCalls } from '../shared/open-calls.js';
import { rememberOutstanding } from '../shared/outstanding.js';
import type { Pacer } from '../shared/pacer.js';
import { rememberFor } from '../shared/recent.js';
import { withinLimit } from '../shared/within-limit.js';
import { type ComputeEngine, openComputeEngine } from './client.js';
import { readConsole } from './console.js';
import { type CreateTools, createMachine } from './create.js';
import { DELETE_LIMIT_MS, type DeleteTools, deleteByName, deleteMachine } from './delete.js';
import { GceError, isThrottle, toRungarError } from './errors.js';
import { systemLoader } from './library.js';
import { createZoneLister } from './list.js';
import { parseInstanceId } from './machine.js';
import { rememberOffers } from './offers.js';
import { watchOperations } from './operations.js';
import { createQuotaPacer } from './quota-pacer.js';
import { createRotation } from './rotation.js';
import type { GcpRunner, GcpSettings } from './settings.js';
import { labelDisks } from './template-disks.js';
import { readTemplates } from './templates.js';

/** How long a type is asked for last in a zone that had no room for it. */
const FULL_FOR_MS = 60_000;

/**
 * Opens a provider over one project and region. Reads the file of its credentials, where one is named; asks Compute
 * Engine nothing yet, nor looks for Application Default Credentials.
 * @throws RungarError `invalid_argument` when the library is not installed, with the command that installs it, or the
 * file cannot be used
 */
export async function openGcp(settings: GcpSettings, context: ProviderContext): Promise<OpenProvider<GcpRunner>> {
  const unending = new AbortController().signal;
  return openGcpOn(await openComputeEngine(systemLoader, settings, context, unending), settings, context);
}

/** {@link openGcp} on a Compute Engine of one's own, such as a simulated one. */
export function openGcpOn(
  gce: ComputeEngine,
  settings: GcpSettings,
  context: ProviderContext,
): OpenProvider<GcpRunner> {
  const { clock, random, logger, redactor } = context;
  const calls = trackCalls(() => new RungarError('unavailable', `provider ${context.name} is closed`));
  const pacerFor = (quota: string): Pacer =>
    createQuotaPacer({
      clock,
      random,
      isThrottle,
      onPause: (error, pauseMs) => {
        const reason = error instanceof GceError ? error.reason : '';
        logger.debug('throttled by Compute Engine', { quota, pauseMs, error: reason });
      },
    });
  // Google counts what changes something and what only reads in quotas of their own.
  const pacer = pacerFor('writes');
  const reads = pacerFor('reads');
  const operations = watchOperations({ gce, clock, calls });
  const outstanding = rememberOutstanding(clock);
  const lister = createZoneLister({ gce, settings, clock, logger, reads });
  const deleteTools: DeleteTools = {
    gce,
    clock,
    logger,
    redactor,
    pacer,
    reads,
    operations,
    outstanding,
    zones: () => lister.zones(),
  };
  const createTools: CreateTools = {
    gce,
    settings,
    clock,
    random,
    redactor,
    pacer,
    operations,
    outstanding,
    full: rememberFor(FULL_FOR_MS, clock),
    offers: rememberOffers(clock, (zone, machineType) =>
      calls.run(undefined, (signal) => gce.getMachineType(zone, machineType, signal)),
    ),
    templates: readTemplates(gce, settings.project, (work) =>
      calls.run(undefined, (signal) => reads.run(() => work(signal), signal)),
    ),
    rotation: createRotation(),
    cleanUp: ({ name, labels }, { zone }, signal) =>
      withinLimit(clock, DELETE_LIMIT_MS, `deleting ${name}`, signal, async (limited) => {
        const selector = installationSelector(labels[LABEL.installation] ?? '');
        await deleteByName(deleteTools, name, selector, [zone], limited);
      }),
  };

  const labelDisksOf = (id: string): void => {
    const instance = parseInstanceId(id);
    if (instance === undefined) return;
    calls
      .run(undefined, (signal) => labelDisks({ gce, clock, logger, pacer, operations }, instance, signal))
      .catch(() => {});
  };

  /** Runs `work` as a call of the provider; what Google says becomes an error callers know. */
  const run = <T>(what: string, signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> =>
    calls.run(signal, async (own) => {
      try {
        return await work(own);
      } catch (error) {
        own.throwIfAborted();
        throw error instanceof GceError ? toRungarError(error, what) : error;
      }
    });

  return {
    list: (selector, { signal }) => run('listing', signal, (own) => lister.list(selector, own)),

    create: (request, options) =>
      run(`creating ${request.name}`, options.signal, async (own) => {
        const machine = await createMachine(createTools, request, { ...options, signal: own });
        if (request.spec.instanceTemplate !== '') labelDisksOf(machine.id);
        return machine;
      }),

    delete: (machine, selector, options) =>
      run(`deleting ${machine.name}`, options.signal, (own) =>
        deleteMachine(deleteTools, machine, selector, { ...options, signal: own }),
      ),

    readConsole: (machine, { signal }) =>
      run(`reading the console of ${machine.name}`, signal, (own) => readConsole(gce, machine, own)),

    async close() {
      await calls.close();
      gce.close();
    },
  };
}
