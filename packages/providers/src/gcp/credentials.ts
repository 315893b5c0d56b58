import { isRungarError, messageOf, type Redactor, RungarError } from '@rungar/model';
import type { Agents } from '@rungar/proxies';
import { askOnce } from '../shared/ask-once.js';
import { certificateHint } from '../shared/certificate-codes.js';
import { readCredentialsFile } from './credentials-file.js';
import { GceError } from './errors.js';
import type { AuthClient, AuthLibrary } from './library.js';
import type { GcpSettings } from './settings.js';

const CLOUD_PLATFORM = 'https://www.googleapis.com/auth/cloud-platform';
const IMPERSONATION_SECONDS = 3600;
const TOKEN_HINT = 'see whether the credentials are still good, and whether this host reaches Google';

/** Whether calls leave this host: one that stays needs no token, unless a file with credentials is named. */
function isEmulated({ endpointUrl, credentialsFile }: GcpSettings): boolean {
  return endpointUrl?.startsWith('http:') === true && credentialsFile === undefined;
}

/**
 * Finds the credentials to ask with; no token is asked for yet. Application Default Credentials are looked for at the
 * first call only, and again at each that follows for as long as there are none.
 * @throws RungarError `invalid_argument` when the file that is named cannot be used
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
  const { credentialsFile } = settings;
  const options = { scopes: [CLOUD_PLATFORM], clientOptions: { transporterOptions } };
  if (credentialsFile === undefined) {
    return lookedForLater(async () => actingAs(library, settings, await findDefault(library, options)));
  }
  const auth = new library.GoogleAuth({ ...options, credentials: await readCredentialsFile(credentialsFile, signal) });
  const own = await auth.getClient().catch(() => {
    // The library's own message may repeat a part of the file.
    throw new RungarError(
      'invalid_argument',
      `credentials_file: ${credentialsFile} holds no credentials that can be used`,
      { hint: 'download the key of the service account again' },
    );
  });
  return actingAs(library, settings, own);
}

function actingAs(
  library: AuthLibrary,
  { impersonateServiceAccount }: GcpSettings,
  sourceClient: AuthClient,
): AuthClient {
  if (impersonateServiceAccount === undefined) return sourceClient;
  return new library.Impersonated({
    sourceClient,
    targetPrincipal: impersonateServiceAccount,
    targetScopes: [CLOUD_PLATFORM],
    lifetime: IMPERSONATION_SECONDS,
  });
}

/** Every look is a new one: the library remembers for good that no metadata server answered. */
async function findDefault(
  library: AuthLibrary,
  options: ConstructorParameters<AuthLibrary['GoogleAuth']>[0],
): Promise<AuthClient> {
  library.gcpMetadata?.resetIsAvailableCache();
  try {
    return await new library.GoogleAuth(options).getClient();
  } catch (error) {
    throw new RungarError('unavailable', `there are no Application Default Credentials: ${messageOf(error)}`, {
      hint: 'name a credentials_file, set GOOGLE_APPLICATION_CREDENTIALS, or see why the metadata server does not answer (behind a proxy NO_PROXY must name it)',
    });
  }
}

/** Looks at the first call, and again at later ones until something is found. */
function lookedForLater(look: () => Promise<AuthClient>): AuthClient {
  const find = askOnce(look);
  return {
    getRequestHeaders: async (url) => (await find('')).getRequestHeaders(url),
    fetch: async (url, options) => (await find('')).fetch(url, options),
  };
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
      const hint = (isRungarError(error) ? error.hint : certificateHint(error)) ?? TOKEN_HINT;
      const message = redactor.redact(messageOf(error));
      throw new GceError('NoCredentials', `no access token: ${message}`, 'unreachable', undefined, hint);
    }
  };

  return (url) => {
    getting ??= get(url).finally(() => {
      getting = undefined;
    });
    return getting;
  };
}
