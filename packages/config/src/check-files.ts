import { createPrivateKey } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import {
  type CallOptions,
  isRungarError,
  type Located,
  messageOf,
  type Problem,
  type ProblemSink,
  quoted,
  type Secret,
} from '@rungar/model';
import type { ParsedConfig } from './parse.js';
import { spotAt, spotOfFinding } from './places.js';
import { addError, collectProblems } from './problem-list.js';
import type { GitHubCredentials } from './settings.js';

/**
 * Reads the files a configuration names, and checks the credentials in them and in the file itself: a token must not
 * be empty, an App's key must be an RSA key in PEM. What is wrong elsewhere in the configuration hides nothing here.
 * Contacts nothing.
 * @param config as {@link parseConfig} gives it
 * @returns what is wrong, in the order of the file
 * @throws the signal's reason when it aborts, and nothing else
 */
export async function checkFiles(
  { root, readable }: Pick<ParsedConfig, 'root' | 'readable'>,
  { signal }: CallOptions,
): Promise<readonly Problem[]> {
  const problems = collectProblems();
  const credentials = readable.credentials && (await checkCredentials(readable.credentials, signal));
  if (credentials !== undefined)
    addError(problems, { ...spotAt(root, ['github', credentials.key]), ...credentials.why });
  for (const { name, configured } of readable.providers) {
    try {
      await configured.checkFiles({ signal });
    } catch (error) {
      signal.throwIfAborted();
      const errors: readonly unknown[] = error instanceof AggregateError ? error.errors : [error];
      for (const each of errors) addProviderError(problems, each, { root, name });
    }
  }
  return problems.sorted();
}

function addProviderError(
  problems: ProblemSink,
  error: unknown,
  { root, name }: { readonly root: Located; readonly name: string },
): void {
  const hint = isRungarError(error) ? error.hint : undefined;
  const said = messageOf(error);
  // The key at fault stands before the message: `tls.ca_file: …`.
  const [, key, rest = said] = /^([a-z_.]+): (.*)$/s.exec(said) ?? [];
  const at = spotOfFinding(root, name, { ...(key !== undefined && { key }) });
  const isSaid = key !== undefined && at.path.endsWith(`.${key}`);
  addError(problems, {
    ...at,
    message: `${isSaid ? rest : said}, on provider ${quoted(name)}`,
    ...(hint !== undefined && { hint }),
  });
}

/** What a token is made of, whoever gave it. */
const VISIBLE = /^[\x21-\x7e]+$/;

interface Fault {
  readonly key: string;
  readonly why: { readonly message: string; readonly hint: string };
}

async function checkCredentials(credentials: GitHubCredentials, signal: AbortSignal): Promise<Fault | undefined> {
  if (credentials.kind === 'token') {
    const { token, tokenPath = '' } = credentials;
    return token === undefined ? checkTokenFile(tokenPath, signal) : checkToken(token);
  }
  const { privateKey, privateKeyPath = '' } = credentials;
  if (privateKey !== undefined) return checkKey(privateKey.reveal(), 'app_private_key', "the App's private key");
  const read = await readText(privateKeyPath, signal);
  if ('cause' in read)
    return fault(
      'app_private_key_path',
      `the App's private key cannot be read: ${read.cause}`,
      'put it there, or let the daemon read it',
    );
  return checkKey(read.text, 'app_private_key_path', `the App's private key in ${privateKeyPath}`);
}

function checkToken(token: Secret): Fault | undefined {
  const text = token.reveal();
  if (text === '') return fault('token', 'is only white space', 'set it, or use token_path');
  return VISIBLE.test(text) ? undefined : fault('token', 'holds characters that no token has', 'give the token alone');
}

async function checkTokenFile(path: string, signal: AbortSignal): Promise<Fault | undefined> {
  const read = await readText(path, signal);
  if ('cause' in read)
    return fault('token_path', `the token cannot be read: ${read.cause}`, 'put it there, or let the daemon read it');
  const text = read.text.trim();
  if (text === '') return fault('token_path', `${path} is empty`, 'write the token into it');
  if (VISIBLE.test(text)) return undefined;
  return fault('token_path', `${path} holds characters that no token has`, 'write the token alone into it');
}

function checkKey(pem: string, key: string, what: string): Fault | undefined {
  const hint = 'download one on the page of the App, and use that file as it is';
  try {
    const { asymmetricKeyType } = createPrivateKey(pem);
    if (asymmetricKeyType === 'rsa') return undefined;
    return fault(key, `${what} must be an RSA key, not one of type ${asymmetricKeyType ?? 'unknown'}`, hint);
  } catch {
    return fault(key, `${what} is no RSA key in PEM: ${whyNoKey(pem) ?? 'what it holds is damaged'}`, hint);
  }
}

/** Why a text is no private key, where that can be told better than the crypto library does. */
function whyNoKey(pem: string): string | undefined {
  if (pem.trim() === '') return 'it is empty';
  const [, label] = /-----BEGIN ([A-Z0-9 ]+)-----/.exec(pem) ?? [];
  if (label === undefined) return 'it has no line "-----BEGIN RSA PRIVATE KEY-----"';
  if (!label.endsWith('PRIVATE KEY')) return `it is a ${label.toLowerCase()}`;
  if (label.startsWith('ENCRYPTED') || pem.includes('ENCRYPTED')) return 'it is encrypted';
  return pem.includes(`-----END ${label}-----`) ? undefined : 'it is cut short';
}

function fault(key: string, message: string, hint: string): Fault {
  return { key, why: { message, hint } };
}

async function readText(path: string, signal: AbortSignal): Promise<{ text: string } | { cause: string }> {
  try {
    return { text: await readFile(path, { encoding: 'utf8', signal }) };
  } catch (error) {
    signal.throwIfAborted();
    return { cause: messageOf(error) };
  }
}
