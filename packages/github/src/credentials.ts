import { createPrivateKey, type KeyObject } from 'node:crypto';
import { RungarError, type Secret } from '@rungar/model';
import type { ConfigUrl } from './config-url.js';

/** How to prove to GitHub who asks. */
export type Credentials =
  | {
      readonly kind: 'app';
      /** The App's client id; its numeric id works too. */
      readonly clientId: string;
      readonly installationId: number;
      /** The App's RSA private key, as PEM. */
      readonly privateKey: Secret;
    }
  | {
      readonly kind: 'token';
      /** A personal access token, classic or fine-grained. */
      readonly token: Secret;
    };

/**
 * The App's key, ready to sign with.
 * @throws RungarError `invalid_argument` when it is no RSA private key
 */
export function readPrivateKey(pem: Secret): KeyObject {
  let key: KeyObject;
  try {
    key = createPrivateKey(pem.reveal());
  } catch {
    throw new RungarError(
      'invalid_argument',
      "the GitHub App's private key cannot be read: it is not a PEM private key",
      {
        hint: "Use the .pem file as GitHub gave it on the App's settings page, from its BEGIN line to its END line.",
      },
    );
  }
  if (key.asymmetricKeyType !== 'rsa') {
    throw new RungarError(
      'invalid_argument',
      `the GitHub App's private key is of the type ${key.asymmetricKeyType}, an RSA key is wanted`,
      { hint: "Use the .pem file that GitHub gave on the App's settings page." },
    );
  }
  return key;
}

/**
 * Checks what can be known of credentials without asking GitHub.
 * @throws RungarError `invalid_argument`
 */
export function checkCredentials(credentials: Credentials, config: ConfigUrl): void {
  if (credentials.kind === 'token') {
    if (/^[\x21-\x7e]+$/.test(credentials.token.reveal())) return;
    throw new RungarError('invalid_argument', 'the GitHub token is empty or has characters that no token has', {
      hint: 'Give the token alone: no spaces, no line breaks inside.',
    });
  }
  if (config.scope.kind === 'enterprise') {
    throw new RungarError('invalid_argument', 'a GitHub App cannot manage the runners of an enterprise', {
      hint: 'Use a classic personal access token with the scope manage_runners:enterprise, or serve organisations.',
    });
  }
  if (!Number.isSafeInteger(credentials.installationId) || credentials.installationId <= 0) {
    throw new RungarError('invalid_argument', `${credentials.installationId} is not the id of an App's installation`, {
      hint: "It is the number at the end of the installation's address on GitHub.",
    });
  }
  readPrivateKey(credentials.privateKey);
}

/** Whether two credentials are one. */
export function sameCredentials(one: Credentials, other: Credentials): boolean {
  if (one.kind === 'token') return other.kind === 'token' && one.token.reveal() === other.token.reveal();
  return (
    other.kind === 'app' &&
    one.clientId === other.clientId &&
    one.installationId === other.installationId &&
    one.privateKey.reveal() === other.privateKey.reveal()
  );
}
