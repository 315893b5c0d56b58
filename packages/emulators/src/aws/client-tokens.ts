import { Ec2Error, invalidValue } from './errors.js';

const LONGEST_TOKEN = 64;

interface Use {
  readonly fingerprint: string;
  instanceIds: readonly string[];
}

/**
 * The client tokens that were used. A token counts within its zone where the request names a zone or a subnet, and
 * within the region otherwise: the same one used in another zone is another token. A use is remembered with its
 * parameters from the moment they were found good, so a launch refused for want of capacity holds on to them too.
 */
export class ClientTokens {
  readonly #uses = new Map<string, Use>();

  /**
   * The instances an earlier request of the same token and parameters made, if there was one.
   * @param zone undefined when the request leaves it to EC2
   * @throws Ec2Error `IdempotentParameterMismatch` when it had other parameters
   */
  use(token: string, zone: string | undefined, fingerprint: string): readonly string[] {
    checkToken(token);
    const known = this.#uses.get(keyOf(token, zone));
    if (known === undefined) {
      this.#uses.set(keyOf(token, zone), { fingerprint, instanceIds: [] });
      return [];
    }
    if (known.fingerprint === fingerprint) return known.instanceIds;
    throw new Ec2Error(
      'IdempotentParameterMismatch',
      'Arguments on this idempotent request are inconsistent with arguments used in previous request(s).',
    );
  }

  /** Remembers what a use has made. */
  made(token: string, zone: string | undefined, instanceIds: readonly string[]): void {
    const use = this.#uses.get(keyOf(token, zone));
    if (use !== undefined) use.instanceIds = instanceIds;
  }
}

function keyOf(token: string, zone: string | undefined): string {
  return `${zone ?? ''}/${token}`;
}

function checkToken(token: string): void {
  if (token.length > LONGEST_TOKEN || !/^[\x20-\x7e]+$/.test(token)) {
    throw invalidValue(
      `Value (${token}) for parameter clientToken is invalid. Tokens must be up to ${LONGEST_TOKEN} ASCII characters.`,
    );
  }
}
