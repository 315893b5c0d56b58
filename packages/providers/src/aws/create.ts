import type { Instance } from '@aws-sdk/client-ec2';
import { type Machine, type MachineRequest, type Redactor, RungarError } from '@rungar/model';
import type { Turn } from '../shared/fair-queue.js';
import type { Outstanding } from '../shared/outstanding.js';
import type { Pacer } from '../shared/pacer.js';
import type { Recent } from '../shared/recent.js';
import { turnOf } from '../shared/turn-of.js';
import { type Attempt, attemptsLeft, attemptText, nextAttempt, planAttempts } from './attempts.js';
import type { Ec2 } from './client.js';
import { Ec2Error, takenBy, toRungarError } from './errors.js';
import { isGone, stateReasonOf, toMachine } from './machine.js';
import { type Launch, runInstancesInput, setsRootVolume } from './run-input.js';
import type { AwsRunner, AwsSettings } from './settings.js';
import { encodeUserData } from './user-data.js';

/** What creating a machine needs, shared by all creations of one provider. */
export interface CreateTools {
  readonly ec2: Ec2;
  readonly settings: AwsSettings;
  readonly pacer: Pacer;
  /** Attempts that EC2 had no room for a moment ago. */
  readonly full: Recent;
  readonly outstanding: Outstanding;
  readonly redactor: Redactor;
  rootDevice(image: string, signal: AbortSignal): Promise<string>;
}

/** Requests made for one attempt while its outcome is uncertain. */
const MOST_REQUESTS = 3;

interface Refused {
  readonly attempt: Attempt;
  readonly error: Ec2Error;
}

/**
 * Makes one machine: each attempt in turn, until EC2 takes one.
 * @throws RungarError `no_capacity` with every reason; `invalid_argument`; `unavailable` when the outcome is unknown;
 * `internal` for any other refusal. The signal's reason when it aborts.
 */
export async function createMachine(
  tools: CreateTools,
  request: MachineRequest<AwsRunner>,
  signal: AbortSignal,
): Promise<Machine> {
  const { name, labels, spec } = request;
  const jitConfig = request.jitConfig.reveal();
  const userData = encodeUserData(spec.userData, jitConfig);
  // EC2 may repeat in an error what it was sent.
  const releases = [jitConfig, userData].map((secret) => tools.redactor.hold(secret));
  try {
    const rootDevice = setsRootVolume(spec) ? await tools.rootDevice(spec.image, signal) : undefined;
    const launch: Launch = { name, labels, spec, userData, ...(rootDevice !== undefined && { rootDevice }) };
    return toMachine(await launchSomewhere(tools, launch, turnOf(request), signal));
  } finally {
    for (const release of releases) release();
  }
}

async function launchSomewhere(tools: CreateTools, launch: Launch, turn: Turn, signal: AbortSignal): Promise<Instance> {
  const wasFull = (attempt: Attempt): boolean => tools.full.has(attemptText(attempt));
  const refused: Refused[] = [];
  let rest = planAttempts(tools.settings.subnets, launch.spec.instanceTypes);
  for (let attempt = nextAttempt(rest, wasFull); attempt; attempt = nextAttempt(rest, wasFull)) {
    const answer = await tryAttempt(tools, launch, attempt, turn, signal);
    if (!(answer instanceof Ec2Error)) return answer;
    if (answer.refusal === 'full') tools.full.add(attemptText(attempt));
    rest = attemptsLeft(rest, attempt, answer.refusal);
    refused.push({ attempt, error: answer });
  }
  throw allRefused(refused);
}

/**
 * One attempt. While its outcome is uncertain the identical request is made again: EC2 knows it by its token.
 * @returns the instance, or a refusal after which another attempt may be made
 */
async function tryAttempt(
  tools: CreateTools,
  launch: Launch,
  attempt: Attempt,
  turn: Turn,
  signal: AbortSignal,
): Promise<Instance | Ec2Error> {
  const input = runInstancesInput(tools.settings, launch, attempt);
  const send = tools.outstanding.asking(launch.name, () => tools.ec2.runInstances(input, signal), takenBy);
  for (let requests = 1; ; requests++) {
    try {
      const instance = await tools.pacer.run(send, signal, turn);
      tools.outstanding.answered(launch.name);
      return requireAlive(instance, attempt);
    } catch (error) {
      if (!(error instanceof Ec2Error)) throw error;
      if (error.refusal === 'uncertain' && requests < MOST_REQUESTS) continue;
      return orThrow(error, attempt);
    }
  }
}

/** @throws RungarError when no other attempt may follow */
function orThrow(error: Ec2Error, attempt: Attempt): Ec2Error {
  switch (error.refusal) {
    case 'full':
    case 'quota':
    case 'unsupported':
      return error;
    case 'uncertain':
      throw toRungarError(error, attemptText(attempt), ' (the outcome is unknown)');
    case 'throttled':
    case 'invalid':
    case 'unreachable':
    case 'other':
      throw toRungarError(error, attemptText(attempt));
  }
}

/** A repeated request can be answered with a machine that has ended since. */
function requireAlive(instance: Instance, attempt: Attempt): Instance {
  if (!isGone(instance)) return instance;
  const why = stateReasonOf(instance) ?? 'no reason given';
  throw new RungarError(
    'internal',
    `${attemptText(attempt)}: instance ${instance.InstanceId} was made and is ${instance.State?.Name} (${why})`,
  );
}

/** What every attempt's refusal comes to: room may come, what is unsupported everywhere stays so. */
function allRefused(refused: readonly Refused[]): RungarError {
  const hasRoomLater = ({ error }: Refused): boolean => error.refusal !== 'unsupported';
  const inOrder = [...refused.filter(hasRoomLater), ...refused.filter((one) => !hasRoomLater(one))];
  const reasons = inOrder.map(({ attempt, error }) => `${attemptText(attempt)}: ${error.reason}`).join('; ');
  const code = refused.some(hasRoomLater) ? 'no_capacity' : 'invalid_argument';
  return new RungarError(code, reasons, { cause: inOrder[0]?.error });
}
