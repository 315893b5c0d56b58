import { readFile } from 'node:fs/promises';
import type { LoggedRequest } from '@rungar/emulators';
import type { DevWorld } from './world.js';

/** Every credential and registration that has been in use in a world. */
export function secretsOf({ github, backends, appKey }: DevWorld): string[] {
  const registrations = backends.flatMap(({ machines }) =>
    machines().flatMap(({ registration }) => registration ?? []),
  );
  return [
    ...new Set([
      ...linesOf(appKey),
      ...backends.flatMap(({ secrets }) => secrets),
      ...github.requests.flatMap(credentialOf),
      ...registrations,
    ]),
  ];
}

/** The whole lines of a key: a text with one of them tells enough of it. */
function linesOf(pem: string): string[] {
  return pem.split('\n').filter((line) => /^[\w+/]{64}$/.test(line));
}

function credentialOf({ headers }: LoggedRequest): string[] {
  const [, credential] = /^\S+ (\S+)$/.exec(headers.authorization ?? '') ?? [];
  return credential === undefined ? [] : [credential];
}

/** How many of `secrets` stand in the files. One that is not there tells nothing. */
export async function countTold(secrets: readonly string[], files: readonly string[]): Promise<number> {
  const texts = await Promise.all(files.map((file) => readFile(file, 'utf8').catch(() => '')));
  return secrets.filter((secret) => texts.some((text) => text.includes(secret))).length;
}
