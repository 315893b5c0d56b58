import { type EmulatorRandom, randomUuid } from '../random.js';
import type { Complaint, EmulatedAnswer, EmulatedRequest } from '../server.js';
import type { Account, Action } from './actions/action.js';
import { createTags } from './actions/create-tags.js';
import { describeImages } from './actions/describe-images.js';
import { describeInstances } from './actions/describe-instances.js';
import { describeSubnets } from './actions/describe-subnets.js';
import { getConsoleOutput } from './actions/get-console-output.js';
import { runInstances } from './actions/run-instances.js';
import { terminateInstances } from './actions/terminate-instances.js';
import { dryRunSucceeded, Ec2Error, errorDocument, unauthorized } from './errors.js';
import { QueryParameters } from './query.js';
import type { Refusals } from './refusals.js';
import { type AccessKey, verifySignature } from './sigv4.js';
import type { Throttle } from './throttle.js';
import { responseDocument } from './xml.js';

const API_VERSION = '2016-11-15';

const ACTIONS: Readonly<Record<string, Action>> = {
  CreateTags: createTags,
  DescribeImages: describeImages,
  DescribeInstances: describeInstances,
  DescribeSubnets: describeSubnets,
  GetConsoleOutput: getConsoleOutput,
  RunInstances: runInstances,
  TerminateInstances: terminateInstances,
};

/** What the SDKs sign and say of themselves, beside what any HTTP client sends. */
export const SIGNED_HEADERS: readonly string[] = [
  'amz-sdk-invocation-id',
  'amz-sdk-request',
  'authorization',
  'x-amz-content-sha256',
  'x-amz-date',
  'x-amz-security-token',
  'x-amz-user-agent',
];

export interface EndpointOptions {
  readonly account: Account;
  readonly keys: readonly AccessKey[];
  readonly throttle: Throttle;
  readonly refusals: Refusals;
  /** Actions the keys have no permission for. */
  readonly denied: ReadonlySet<string>;
  readonly random: EmulatorRandom;
}

/** The action a body asks for, or what is there in its place. */
export function actionOf(body: string): string {
  return new URLSearchParams(body).get('Action') ?? 'unknown';
}

/** A complaint of the server about a call, as EC2 would send it. */
export function complaintAnswer(complaint: Complaint, random: EmulatorRandom): EmulatedAnswer {
  const code = complaint.status === 413 ? 'RequestEntityTooLarge' : 'InvalidRequest';
  return refusal(new Ec2Error(code, complaint.message, complaint.status), randomUuid(random));
}

/**
 * Answers one call of the Query protocol.
 * @returns the answer, and the code it was refused with
 * @throws whatever is no refusal: a flaw of the emulator
 */
export function answerCall(
  call: EmulatedRequest,
  options: EndpointOptions,
): { answer: EmulatedAnswer; refused?: string } {
  const requestId = randomUuid(options.random);
  try {
    const body = carryOut(call, requestId, options);
    return { answer: { status: 200, headers: answerHeaders(requestId), body } };
  } catch (error) {
    if (!(error instanceof Ec2Error)) throw error;
    return { answer: refusal(error, requestId), refused: error.code };
  }
}

function carryOut(
  call: EmulatedRequest,
  requestId: string,
  { account, keys, throttle, refusals, denied }: EndpointOptions,
): string {
  const { region } = verifySignature(call, keys);
  if (region !== account.region) {
    throw new Ec2Error('AuthFailure', `Credential should be scoped to a valid region, not '${region}'.`);
  }
  const params = readParameters(call);
  const name = params.text('Action') ?? '';
  const action = Object.hasOwn(ACTIONS, name) ? ACTIONS[name] : undefined;
  if (action === undefined) throw unknownAction(name);
  if (!throttle.take(name)) throw new Ec2Error('RequestLimitExceeded', 'Request limit exceeded.');
  refusals.strike(name, call);

  const dryRun = params.boolean('DryRun') ?? false;
  const deed = action(params, account);
  params.assertAllRead();
  if (denied.has(name)) throw unauthorized(name);
  if (dryRun) throw dryRunSucceeded();
  return responseDocument(name, requestId, deed());
}

function readParameters(call: EmulatedRequest): QueryParameters {
  const type = call.headers['content-type'] ?? '';
  if (!/^application\/x-www-form-urlencoded(?:;|$)/i.test(type)) {
    throw new Ec2Error('MalformedQueryString', `The content type '${type}' is not application/x-www-form-urlencoded.`);
  }
  const params = QueryParameters.parse(call.body);
  const version = params.text('Version');
  if (version !== API_VERSION) {
    throw new Ec2Error(
      'NoSuchVersion',
      `The requested version (${version ?? 'none'}) of service AmazonEC2 does not exist`,
    );
  }
  return params;
}

function unknownAction(name: string): Ec2Error {
  if (name === '') return new Ec2Error('MissingAction', 'The request must contain the parameter Action');
  return new Ec2Error('InvalidAction', `The action ${name} is not valid for this web service.`);
}

function refusal(error: Ec2Error, requestId: string): EmulatedAnswer {
  return { status: error.status, headers: answerHeaders(requestId), body: errorDocument(error, requestId) };
}

function answerHeaders(requestId: string): Record<string, string> {
  return {
    'content-type': 'text/xml;charset=UTF-8',
    'x-amzn-requestid': requestId,
    'cache-control': 'no-cache, no-store',
  };
}
