import { readFile } from 'node:fs/promises';
import type { GitHubCredentials } from '@rungar/config';
import type { Credentials } from '@rungar/github';
import { messageOf, RungarError, Secret } from '@rungar/model';

/**
 * The configured credentials with their secret, read from its file where it has one.
 * @throws RungarError `invalid_argument` naming a file that cannot be read
 */
export async function readCredentials(configured: GitHubCredentials): Promise<Credentials> {
  if (configured.kind === 'token') {
    const { token, tokenPath } = configured;
    if (token !== undefined) return { kind: 'token', token };
    const text = await readSecretFile(tokenPath, "GitHub's token", 'github.token_path');
    return { kind: 'token', token: new Secret(text.trim()) };
  }
  const { clientId, installationId, privateKey, privateKeyPath } = configured;
  if (privateKey !== undefined) return { kind: 'app', clientId, installationId, privateKey };
  const pem = await readSecretFile(privateKeyPath, "the GitHub App's key", 'github.app_private_key_path');
  return { kind: 'app', clientId, installationId, privateKey: new Secret(pem) };
}

async function readSecretFile(path: string | undefined, what: string, key: string): Promise<string> {
  if (path === undefined)
    throw new RungarError('invalid_argument', `there is no file for ${what}`, { hint: `Set ${key}.` });
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw new RungarError('invalid_argument', `${what} cannot be read from ${path}: ${messageOf(error)}`, {
      hint: `Let the daemon's user read the file, or set ${key} to another.`,
      cause: error,
    });
  }
}

/** Whose credentials they are and where they come from, in a line for people that holds no secret. */
export function describeCredentials(configured: GitHubCredentials): string {
  if (configured.kind === 'token') {
    const { tokenPath } = configured;
    return `personal access token ${tokenPath === undefined ? 'in the configuration' : `from ${tokenPath}`}`;
  }
  const { clientId, installationId, privateKeyPath } = configured;
  const source = privateKeyPath === undefined ? 'key in the configuration' : `key from ${privateKeyPath}`;
  return `App ${clientId}, installation ${installationId}, ${source}`;
}
