import { messageOf, type Redactor, RungarError } from '@rungar/model';
import type { Agents } from '@rungar/proxies';
import { readCredentialsFile } from './credentials-file.js';
import { GceError } from './errors.js';
import type { AuthClient, AuthLibrary } from './library.js';
import type { GcpSettings } from './settings.js';

const CLOUD_PLATFORM = 'https://www.googleapis.com/auth/cloud-platform';
const IMPERSONATION_SECONDS = 3600;

/** Whether calls leave this host: one that stays needs no token, unless a file with credentials is named. */
function isEmulated({ endpointUrl, credentialsFile }: GcpSettings): boolean {
  return endpointUrl?.startsWith('http:') === true && credentialsFile === undefined;
}

/**
 * Finds the credentials to ask with; no token is asked for yet.
 * @throws RungarError `invalid_argument` when there are none, or the file cannot be used
 */
export async function findCredentials(
  library: AuthLibrary,
  settings: GcpSettings,
  agents: Agents,
  signal: AbortSignal,
): Promise<AuthClient> {
  const transporterOptions = {
    timeout: settings.timeoutMs,
    // Tokens are asked for at https: only; who answers plain http: is this host's own.
    agent: ({ protocol }: URL): object => (protocol === 'https:' ? agents.https : agents.http),
  };
  if (isEmulated(settings)) return new library.PassThroughClient({ transporterOptions });
  const { credentialsFile, impersonateServiceAccount } = settings;
  const credentials = credentialsFile === undefined ? undefined : await readCredentialsFile(credentialsFile, signal);
  const auth = new library.GoogleAuth({
    scopes: [CLOUD_PLATFORM],
    clientOptions: { transporterOptions },
    ...(credentials !== undefined && { credentials }),
  });
  const own = await auth.getClient().catch((error: unknown) => {
    throw unusable(error, credentialsFile);
  });
  if (impersonateServiceAccount === undefined) return own;
  return new library.Impersonated({
    sourceClient: own,
    targetPrincipal: impersonateServiceAccount,
    targetScopes: [CLOUD_PLATFORM],
    lifetime: IMPERSONATION_SECONDS,
  });
}

/** The library's own message is kept out where it may repeat a part of the file. */
function unusable(error: unknown, credentialsFile: string | undefined): RungarError {
  if (credentialsFile !== undefined) {
    return new RungarError(
      'invalid_argument',
      `credentials_file: ${credentialsFile} holds no credentials that can be used`,
      {
        hint: 'download the key of the service account again',
      },
    );
  }
  return new RungarError('invalid_argument', `there are no Application Default Credentials: ${messageOf(error)}`, {
    hint: 'name a credentials_file, or set GOOGLE_APPLICATION_CREDENTIALS',
  });
}

/**
 * Gets a token where one is needed, once for all who want it at the same time: not every kind of credentials sees to
 * that by itself. It stays out of everything that is said for as long as it is the newest.
 * @returns what gets one
 */
export function tokenGetter(auth: AuthClient, redactor: Redactor): (url: string) => Promise<void> {
  let held: string | undefined;
  let release = (): void => {};
  let getting: Promise<void> | undefined;

  const hold = (token: string | undefined): void => {
    if (token === held) return;
    release();
    held = token;
    release = token === undefined ? () => {} : redactor.hold(token);
  };

  const get = async (url: string): Promise<void> => {
    try {
      const headers = await auth.getRequestHeaders(url);
      hold(headers.get('authorization')?.replace(/^Bearer /, ''));
    } catch (error) {
      throw new GceError('NoCredentials', `no access token: ${redactor.redact(messageOf(error))}`, 'other');
    }
  };

  return (url) => {
    getting ??= get(url).finally(() => {
      getting = undefined;
    });
    return getting;
  };
}
