import { element, xmlDocument } from './xml.js';

/** The statuses EC2 gives its codes; whatever is not listed is a client's mistake, 400. */
const STATUS_BY_CODE: Readonly<Record<string, number>> = {
  AuthFailure: 401,
  UnauthorizedOperation: 403,
  MissingAuthenticationToken: 403,
  DryRunOperation: 412,
  InternalError: 500,
  InternalFailure: 500,
  InsufficientInstanceCapacity: 500,
  InsufficientHostCapacity: 500,
  InsufficientCapacity: 500,
  InsufficientVolumeCapacity: 500,
  InsufficientAddressCapacity: 500,
  RequestLimitExceeded: 503,
  ServiceUnavailable: 503,
  Unavailable: 503,
};

/** A refusal as EC2 words it: a code, a message, and the status that goes with the code. */
export class Ec2Error extends Error {
  override readonly name = 'Ec2Error';
  readonly code: string;
  readonly status: number;

  /** @param status only where it is not the one that belongs to `code` */
  constructor(code: string, message: string, status?: number) {
    super(message);
    this.code = code;
    this.status = status ?? STATUS_BY_CODE[code] ?? 400;
  }
}

/** The body EC2 sends with a refusal. The request's id has another spelling here than in a success. */
export function errorDocument(error: Ec2Error, requestId: string): string {
  return xmlDocument(
    element('Response', [
      element('Errors', [element('Error', [element('Code', error.code), element('Message', error.message)])]),
      element('RequestID', requestId),
    ]),
  );
}

export const missingParameter = (name: string): Ec2Error =>
  new Ec2Error('MissingParameter', `The request must contain the parameter ${name}`);

export const invalidValue = (message: string): Ec2Error => new Ec2Error('InvalidParameterValue', message);

export const invalidCombination = (message: string): Ec2Error => new Ec2Error('InvalidParameterCombination', message);

export const dryRunSucceeded = (): Ec2Error =>
  new Ec2Error('DryRunOperation', 'Request would have succeeded, but DryRun flag is set.');

export const unauthorized = (action: string): Ec2Error =>
  new Ec2Error('UnauthorizedOperation', `You are not authorized to perform this operation. Action: ec2:${action}`);

export const authFailure = (): Ec2Error =>
  new Ec2Error('AuthFailure', 'AWS was not able to validate the provided access credentials');

/** The one or several ids that are not there, as EC2 lists them. */
export function instancesNotFound(ids: readonly string[]): Ec2Error {
  const list = ids.join(', ');
  const message =
    ids.length === 1 ? `The instance ID '${list}' does not exist` : `The instance IDs '${list}' do not exist`;
  return new Ec2Error('InvalidInstanceID.NotFound', message);
}
