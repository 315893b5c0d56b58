import { readFile } from 'node:fs/promises';
import { messageOf, RungarError } from '@rungar/model';

/** The kinds of credentials a daemon may use. A person's own login is none of them. */
const TYPES = ['service_account', 'external_account', 'impersonated_service_account'];

/** What a credentials file holds, as far as it is looked at. */
export type CredentialsJson = Readonly<Record<string, unknown>> & { readonly type: string };

/**
 * Reads a credentials file.
 * @throws RungarError `invalid_argument` naming the file and the cure
 */
export async function readCredentialsFile(path: string, signal: AbortSignal): Promise<CredentialsJson> {
  const refuse = (what: string, cause?: unknown): RungarError =>
    new RungarError('invalid_argument', `credentials_file: ${path} ${what}`, {
      cause,
      hint: 'put the JSON key of a service account there, or the configuration of a workload identity',
    });
  let text: string;
  try {
    text = await readFile(path, { encoding: 'utf8', signal });
  } catch (error) {
    signal.throwIfAborted();
    throw refuse(`cannot be read: ${messageOf(error)}`, error);
  }
  const type = typeIn(text);
  if (type === undefined) throw refuse('is not a credentials file: it must be a JSON object with a "type"');
  if (!TYPES.includes(type))
    throw refuse(`holds credentials of type ${type}, which must be one of ${TYPES.join(', ')}`);
  return JSON.parse(text) as CredentialsJson;
}

/** The type a text of JSON states. What is wrong with the text stays unsaid: it may be half a key. */
function typeIn(text: string): string | undefined {
  try {
    const { type } = JSON.parse(text) as { readonly type?: unknown };
    return typeof type === 'string' ? type : undefined;
  } catch {
    return undefined;
  }
}
