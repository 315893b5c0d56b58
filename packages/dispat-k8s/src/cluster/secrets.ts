import type { PoolOptions } from '../pool.js';
import { InputError, type InputProblem } from '../problems.js';
import type { ClusterApi } from './api.js';

/** A key of a Secret that pods mount or read. */
export interface SecretKey {
  readonly secret: string;
  readonly key: string;
  /** What it is for, in words that follow "the". */
  readonly use: string;
}

/** Every Secret key that a pool's pods need before they can start. */
export function secretsOf(options: PoolOptions): SecretKey[] {
  const { secretName, secretKey, ssh, gitCredentialSecret, env } = options;
  return [
    { secret: secretName, key: secretKey, use: 'signing secret' },
    ...(ssh ? [{ secret: ssh.secret, key: ssh.keyFile, use: "mailbox's ssh key" }] : []),
    ...(gitCredentialSecret === undefined
      ? []
      : [{ secret: gitCredentialSecret, key: 'credentials', use: "mailbox's credentials" }]),
    ...env.flatMap((one) =>
      'secret' in one ? [{ secret: one.secret.name, key: one.secret.key, use: `variable ${one.name}` }] : [],
    ),
  ];
}

/**
 * Checks by key name that each Secret is there. No value is kept or told.
 * @throws InputError `SECRET_MISSING`, one problem for each that is missing
 */
export async function requireSecrets(
  api: ClusterApi,
  namespace: string,
  needed: readonly SecretKey[],
  signal: AbortSignal,
): Promise<void> {
  const keysOf = new Map<string, readonly string[] | undefined>();
  for (const secret of new Set(needed.map((one) => one.secret))) {
    keysOf.set(secret, await api.secretKeys(namespace, secret, signal));
  }
  const missing = needed.filter(({ secret, key }) => !keysOf.get(secret)?.includes(key));
  if (missing.length === 0) return;
  throw new InputError(missing.map((one) => problemOf(namespace, one, keysOf.get(one.secret))));
}

function problemOf(
  namespace: string,
  { secret, key, use }: SecretKey,
  keys: readonly string[] | undefined,
): InputProblem {
  return {
    code: 'SECRET_MISSING',
    severity: 'error',
    at: `${namespace}/secrets/${secret}`,
    found: keys === undefined ? 'no such Secret' : `no key ${key} in it (it has ${keys.join(', ') || 'none'})`,
    allowed: `a Secret with the key ${key}: the ${use}`,
    fix: `kubectl -n ${namespace} create secret generic ${secret} --from-file=${key}=FILE`,
  };
}
