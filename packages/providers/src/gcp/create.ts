import { LABEL } from '@rungar/labels';
import {
  type ChangeOptions,
  type Clock,
  type Machine,
  type MachineRequest,
  type Random,
  type Redactor,
  RungarError,
} from '@rungar/model';
import type { Turn } from '../shared/fair-queue.js';
import type { Outstanding } from '../shared/outstanding.js';
import type { Pacer } from '../shared/pacer.js';
import type { Recent } from '../shared/recent.js';
import { turnOf } from '../shared/turn-of.js';
import { waitFor } from '../shared/within-limit.js';
import { type Attempt, attemptsLeft, attemptText, nextAttempt, planAttempts } from './attempts.js';
import type { ComputeEngine } from './client.js';
import { errorOfOperation, GceError, takenBy, toRungarError } from './errors.js';
import { instanceResource, type Launch } from './instance-resource.js';
import { formatInstanceId, readTime } from './machine.js';
import { lastSegment } from './names.js';
import type { Offers } from './offers.js';
import type { OperationWatcher } from './operations.js';
import { randomUuid } from './random-uuid.js';
import type { Rotation } from './rotation.js';
import type { GcpRunner, GcpSettings } from './settings.js';
import type { Templates } from './templates.js';
import type { RawOperation } from './wire.js';

/** What creating a machine needs, shared by all creations of one provider. */
export interface CreateTools {
  readonly gce: ComputeEngine;
  readonly settings: GcpSettings;
  readonly clock: Clock;
  readonly random: Random;
  readonly redactor: Redactor;
  readonly pacer: Pacer;
  readonly operations: OperationWatcher;
  readonly outstanding: Outstanding;
  /** Attempts that Google had no room for a moment ago. */
  readonly full: Recent;
  readonly offers: Offers;
  readonly templates: Templates;
  readonly rotation: Rotation;
  /** Takes away whatever a failed attempt left in its zone, if it is ours: another may have come by the name first. */
  cleanUp(launch: Launch, attempt: Attempt, signal: AbortSignal): Promise<void>;
}

/** Requests made for one attempt while its outcome is uncertain. */
const MOST_REQUESTS = 3;
const FIRST_PAUSE_MS = 500;

/** Why an attempt came to nothing and another may be made. */
interface Refused {
  readonly attempt: Attempt;
  readonly reason: string;
  readonly error?: GceError;
}

/**
 * Makes one machine: each attempt in turn, until one of Google's operations succeeds.
 * @throws RungarError `no_capacity` with every reason; `invalid_argument`; `unavailable` when the outcome is unknown;
 * `internal` for any other refusal. The signal's reason when it aborts.
 */
export async function createMachine(
  tools: CreateTools,
  request: MachineRequest<GcpRunner>,
  options: ChangeOptions,
): Promise<Machine> {
  const { signal } = options;
  const { name, labels, spec, deadline } = request;
  const jitConfig = request.jitConfig.reveal();
  const release = tools.redactor.hold(jitConfig); // Google may repeat in an error what it was sent
  try {
    const template = spec.instanceTemplate === '' ? undefined : await tools.templates(spec.instanceTemplate, signal);
    const launch: Launch = {
      name,
      labels,
      spec,
      jitConfig,
      ...(template !== undefined && { template: template.content }),
      ...(deadline !== undefined && { deadline }),
    };
    return await launchSomewhere(tools, launch, { template: template?.path, turn: turnOf(request) }, options);
  } finally {
    release();
  }
}

async function launchSomewhere(
  tools: CreateTools,
  launch: Launch,
  asked: Pick<Insertion, 'template' | 'turn'>,
  { signal, onAccepted = () => {} }: ChangeOptions,
): Promise<Machine> {
  const { settings, full, rotation } = tools;
  const wasFull = (attempt: Attempt): boolean => full.has(attemptText(attempt));
  const refused: Refused[] = [];
  const first = rotation(launch.labels[LABEL.scaleSet] ?? '');
  let rest = planAttempts(settings.zones, launch.spec.machineTypes, first);
  for (let attempt = nextAttempt(rest, wasFull); attempt; attempt = nextAttempt(rest, wasFull)) {
    if (!(await isOffered(tools, attempt, signal))) {
      refused.push({ attempt, reason: 'the zone does not have this machine type' });
      rest = attemptsLeft(rest, attempt, 'not offered');
      continue;
    }
    const isBest = (): boolean => nextAttempt(rest, wasFull) === attempt;
    const begun = await begin(tools, { ...asked, launch, attempt, isBest }, signal);
    if (begun === 'overtaken') continue;
    if (!(begun instanceof GceError)) onAccepted();
    const made = begun instanceof GceError ? begun : await finish(tools, launch, attempt, begun, signal);
    if (!(made instanceof GceError)) return toMachine(launch, attempt, made);
    if (made.refusal === 'full') full.add(attemptText(attempt));
    rest = attemptsLeft(rest, attempt, made.refusal);
    refused.push({ attempt, reason: made.reason, error: made });
  }
  throw allRefused(refused);
}

async function isOffered(
  { offers }: CreateTools,
  { zone, machineType }: Attempt,
  signal: AbortSignal,
): Promise<boolean> {
  return machineType === undefined || waitFor(offers(zone, machineType), signal);
}

/** One attempt to come. */
interface Insertion {
  readonly launch: Launch;
  readonly attempt: Attempt;
  /** From `projects/` on. */
  readonly template: string | undefined;
  readonly turn: Turn;
  /** Whether it would still be chosen: others may have found it full while it waited. */
  isBest(): boolean;
}

/**
 * Begins one attempt.
 * @returns the operation that Google has begun; why there is none and another attempt may follow; or that nothing was
 * sent, because another is the better one now
 * @throws RungarError when none may follow
 */
async function begin(
  tools: CreateTools,
  insertion: Insertion,
  signal: AbortSignal,
): Promise<RawOperation | GceError | 'overtaken'> {
  try {
    return await insert(tools, insertion, signal);
  } catch (error) {
    if (!(error instanceof GceError)) throw error;
    if (error.refusal === 'full' || error.refusal === 'quota') return error;
    throw final(error, insertion.attempt);
  }
}

/**
 * Waits for what one attempt comes to.
 * @returns the operation that made the machine, or why there is none and another attempt may follow
 * @throws RungarError when none may
 */
async function finish(
  tools: CreateTools,
  launch: Launch,
  attempt: Attempt,
  begun: RawOperation,
  signal: AbortSignal,
): Promise<RawOperation | GceError> {
  const failure = await failureOf(tools, attempt, begun, signal);
  tools.outstanding.answered(launch.name);
  if (failure === undefined) return begun;
  await tools.cleanUp(launch, attempt, signal);
  if (failure.refusal === 'invalid') throw final(failure, attempt);
  return failure;
}

/** The identical request is made again while nobody knows what became of it: Google knows it by its id. */
async function insert(
  { gce, settings, clock, random, pacer, outstanding }: CreateTools,
  { launch, attempt, template, turn, isBest }: Insertion,
  signal: AbortSignal,
): Promise<RawOperation | 'overtaken'> {
  const request = {
    zone: attempt.zone,
    requestId: randomUuid(random),
    instance: instanceResource(settings, launch, attempt),
    ...(template !== undefined && { template }),
  };
  const send = outstanding.asking(launch.name, () => gce.insertInstance(request, signal), takenBy);
  for (let requests = 1, pauseMs = FIRST_PAUSE_MS; ; requests++, pauseMs *= 2) {
    try {
      return await pacer.run(async () => (requests === 1 && !isBest() ? 'overtaken' : await send()), signal, turn);
    } catch (error) {
      if (!(error instanceof GceError) || error.refusal !== 'uncertain' || requests === MOST_REQUESTS) throw error;
      await clock.sleep(pauseMs, signal);
    }
  }
}

/** Why the operation came to nothing; nothing when it did not. */
async function failureOf(
  { operations, redactor }: CreateTools,
  attempt: Attempt,
  begun: RawOperation,
  signal: AbortSignal,
): Promise<GceError | undefined> {
  try {
    const done = await operations.wait(attempt.zone, begun, signal);
    return errorOfOperation(done.error?.errors, redactor);
  } catch (error) {
    if (error instanceof GceError) throw final(error, attempt);
    throw error;
  }
}

function final(error: GceError, attempt: Attempt): RungarError {
  return toRungarError(error, attemptText(attempt), error.refusal === 'uncertain' ? ' (the outcome is unknown)' : '');
}

function toMachine({ name, labels, template }: Launch, { zone, machineType }: Attempt, made: RawOperation): Machine {
  const createdAt = readTime(made.insertTime);
  return {
    name,
    id: formatInstanceId({ zone, number: made.targetId ?? '' }),
    labels,
    state: 'starting',
    size: machineType ?? lastSegment(template?.properties?.machineType ?? ''),
    ...(createdAt !== undefined && { createdAt }),
  };
}

/** What every attempt's refusal comes to. */
function allRefused(refused: readonly Refused[]): RungarError {
  const reasons = refused.map(({ attempt, reason }) => `${attemptText(attempt)}: ${reason}`).join('; ');
  const errors = refused.flatMap(({ error }) => error ?? []);
  const [cause] = errors;
  if (cause === undefined) return new RungarError('invalid_argument', reasons);
  const code = errors.some(({ refusal }) => refusal === 'other') ? 'internal' : 'no_capacity';
  return new RungarError(code, reasons, { cause });
}
