import { stat } from 'node:fs/promises';
import type { Settings } from '@rungar/config';

/** A file with a secret that every user of the host can read. */
export interface ExposedFile {
  readonly file: string;
  /** As `chmod` takes it: `0644`. */
  readonly mode: string;
}

const READ_BY_OTHERS = 0o004;

/** The files with secrets that others can read. A file that cannot be looked at is left to whoever needs it. */
export async function findExposedFiles(settings: Settings): Promise<ExposedFile[]> {
  const exposed: ExposedFile[] = [];
  for (const file of new Set(secretFilesOf(settings))) {
    const mode = await stat(file).then(
      (found) => found.mode & 0o7777,
      () => 0,
    );
    if (mode & READ_BY_OTHERS) exposed.push({ file, mode: `0${mode.toString(8)}` });
  }
  return exposed;
}

function secretFilesOf({ github: { credentials }, providers, file, holdsSecrets }: Settings): string[] {
  const credentialFile = credentials.kind === 'app' ? credentials.privateKeyPath : credentials.tokenPath;
  return [
    ...(credentialFile === undefined ? [] : [credentialFile]),
    ...providers.flatMap((provider) => provider.configured.secretFiles),
    ...(holdsSecrets ? [file] : []),
  ];
}
