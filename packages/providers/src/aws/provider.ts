import {
  type DeleteOutcome,
  type Labels,
  type Machine,
  type MachineListing,
  type OpenProvider,
  type ProviderContext,
  RungarError,
} from '@rungar/model';
import { askOnce } from '../shared/ask-once.js';
import { createBatcher } from '../shared/batcher.js';
import { trackCalls } from '../shared/open-calls.js';
import { rememberOutstanding } from '../shared/outstanding.js';
import { createPacer, type Pacer } from '../shared/pacer.js';
import { rememberFor } from '../shared/recent.js';
import { waitFor } from '../shared/within-limit.js';
import { type Ec2, openEc2, type SdkLoader, systemLoader } from './client.js';
import { readConsole } from './console.js';
import { type CreateTools, createMachine } from './create.js';
import { type DeleteTools, deleteMachine } from './delete.js';
import { Ec2Error, isThrottle, toRungarError } from './errors.js';
import { listEnded, listOwn } from './list.js';
import { findRootDevice } from './root-device.js';
import type { AwsRunner, AwsSettings } from './settings.js';
import { terminateAll } from './terminate.js';

/** How long a type is asked for last in a subnet that had no room for it. */
const FULL_FOR_MS = 60_000;
/** How long "no such instance" proves nothing of an instance that was made and has not been listed. */
const UNSEEN_FOR_MS = 5 * 60_000;
/** How long after its creation a machine that is missing from a listing is asked about by its id. */
const YOUNG_FOR_MS = 5 * 60_000;
/** How many instances one TerminateInstances takes. */
const MOST_TERMINATIONS = 1_000;
const TERMINATION_WINDOW_MS = 10;
const TERMINATION_PATIENCE_MS = 1_000;

/** What EC2 documents for an account's RunInstances: a bucket of 5 requests, refilled with 2 a second. */
const RUN_PACE = { burst: 5, perSecond: 2 };
/** And for its other calls that change something: 50 and 5. TerminateInstances is one. */
const TERMINATE_PACE = { burst: 50, perSecond: 5 };

/**
 * Opens a provider over one AWS account and region. Reads no file but the SDK's own; asks EC2 nothing yet.
 * @throws RungarError `invalid_argument` when the SDK is not installed, with the command that installs it
 */
export function openAws(settings: AwsSettings, context: ProviderContext): Promise<OpenProvider<AwsRunner>> {
  return openAwsWith(systemLoader, settings, context);
}

/** {@link openAws} with another way to load the SDK. */
export async function openAwsWith(
  load: SdkLoader,
  settings: AwsSettings,
  context: ProviderContext,
): Promise<OpenProvider<AwsRunner>> {
  return openAwsOn(await openEc2(load, settings, context), settings, context);
}

/** A provider over an EC2 that is open already: the SDK's, or a simulated one. */
export function openAwsOn(ec2: Ec2, settings: AwsSettings, context: ProviderContext): OpenProvider<AwsRunner> {
  const { clock, random, logger, redactor } = context;
  const calls = trackCalls(() => new RungarError('unavailable', `provider ${context.name} is closed`));

  const pacerFor = (action: string, pace: { burst: number; perSecond: number }): Pacer =>
    createPacer({
      clock,
      random,
      ...pace,
      isThrottle,
      onThrottle: (error, perSecond) =>
        logger.debug('throttled by EC2', { action, perSecond, error: error instanceof Ec2Error ? error.reason : '' }),
    });
  const runPacer = pacerFor('RunInstances', RUN_PACE);
  const terminatePacer = pacerFor('TerminateInstances', TERMINATE_PACE);

  const rootDevices = askOnce((image) => calls.run(undefined, (signal) => findRootDevice(ec2, image, signal)));
  const unseen = rememberFor(UNSEEN_FOR_MS, clock);
  const outstanding = rememberOutstanding(clock);
  const young = rememberFor(YOUNG_FOR_MS, clock);
  let identity: { identity?: string } = {};
  const terminations = createBatcher<string, DeleteOutcome>({
    clock,
    windowMs: TERMINATION_WINDOW_MS,
    patienceMs: TERMINATION_PATIENCE_MS,
    most: MOST_TERMINATIONS,
    send: (ids) =>
      calls.run(undefined, (signal) =>
        terminateAll(ids, (some) => terminatePacer.run(() => ec2.terminateInstances(some, signal), signal)),
      ),
  });

  const createTools: CreateTools = {
    ec2,
    settings,
    pacer: runPacer,
    full: rememberFor(FULL_FOR_MS, clock),
    outstanding,
    redactor,
    rootDevice: (image, signal) => waitFor(rootDevices(image), signal),
  };
  const deleteTools: DeleteTools = { ec2, terminations, outstanding, unseen, young, logger };

  /** Of the machines made a short while ago and missing now, those that have ended: they say why. */
  const endedOf = async (
    ids: readonly string[],
    selector: Labels,
    signal: AbortSignal,
  ): Promise<readonly Machine[]> => {
    if (ids.length === 0) return [];
    try {
      return await listEnded(ec2, ids, selector, signal);
    } catch (error) {
      signal.throwIfAborted();
      logger.debug('EC2 did not say what became of new machines', { ids, error });
      return [];
    }
  };

  const list = async (selector: Labels, signal: AbortSignal): Promise<MachineListing> => {
    const begunAt = clock.now();
    const part = { part: settings.region, begunAt };
    const expected = young.keys();
    try {
      const { machines: living, ownerId, clockOffsetMs } = await listOwn(ec2, selector, signal);
      const listed = new Set(living.map(({ id }) => id));
      const missing = expected.filter((id) => !listed.has(id));
      const machines = [...living, ...(await endedOf(missing, selector, signal))];
      for (const machine of machines) unseen.delete(machine.id);
      if (ownerId !== undefined) identity = { identity: identityOf(settings, ownerId) };
      return { parts: [{ ...part, machines }], ...identity, ...(clockOffsetMs !== undefined && { clockOffsetMs }) };
    } catch (error) {
      signal.throwIfAborted();
      return { parts: [{ ...part, machines: [], error: asRungarError(error, 'DescribeInstances') }] };
    }
  };

  return {
    list: (selector, { signal }) => calls.run(signal, (own) => list(selector, own)),

    create: (request, { signal }) =>
      calls.run(signal, async (own) => {
        try {
          const machine = await createMachine(createTools, request, own);
          unseen.add(machine.id);
          young.add(machine.id);
          return machine;
        } catch (error) {
          own.throwIfAborted();
          throw asRungarError(error, 'DescribeImages');
        }
      }),

    delete: (machine, selector, { signal }) =>
      calls.run(signal, async (own) => {
        try {
          return await deleteMachine(deleteTools, machine, selector, own);
        } catch (error) {
          own.throwIfAborted();
          throw asRungarError(error, `deleting ${machine.name}`);
        }
      }),

    readConsole: (machine, { signal }) =>
      calls.run(signal, async (own) => {
        try {
          return await readConsole(ec2, machine, own);
        } catch (error) {
          own.throwIfAborted();
          throw asRungarError(error, `reading the console of ${machine.name}`);
        }
      }),

    async close() {
      await calls.close();
      ec2.close();
    },
  };
}

/** The account and region, which several profiles may lead to; behind an address of its own, whatever that is. */
function identityOf({ region, endpointUrl }: AwsSettings, ownerId: string): string {
  const account = `aws:${ownerId}/${region}`;
  return endpointUrl === undefined ? account : `${account} at ${endpointUrl}`;
}

function asRungarError(error: unknown, what: string): Error {
  if (error instanceof Ec2Error) return toRungarError(error, what);
  return error instanceof Error ? error : new Error(String(error));
}
