import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { providerSettings, settingsIn } from '../test/settings.js';
import { tempDir } from '../test/temp-dir.js';
import { findExposedFiles } from './exposure.js';

async function open() {
  const folder = await tempDir();
  const file = async (name: string, mode: number): Promise<string> => {
    const path = join(folder, name);
    await writeFile(path, '');
    await chmod(path, mode);
    return path;
  };
  return { folder, file };
}

const github = (tokenPath: string) => ({
  url: 'https://github.com/my-org',
  credentials: { kind: 'token' as const, tokenPath },
});

test('files of credentials and providers that others can read are named with their modes', async () => {
  const { folder, file } = await open();
  const [token, open1, closed] = [await file('token', 0o644), await file('tls.key', 0o604), await file('ca', 0o640)];
  const settings = settingsIn(folder, {
    github: github(token),
    holdsSecrets: false,
    providers: [providerSettings('a', undefined, { secretFiles: [open1, closed, join(folder, 'absent')] })],
  });
  expect(await findExposedFiles(settings)).toEqual([
    { file: token, mode: '0644' },
    { file: open1, mode: '0604' },
  ]);
});

test('the configuration is among them only while it holds a secret itself', async () => {
  const { folder, file } = await open();
  const config = await file('config.yaml', 0o644);
  const token = await file('token', 0o600);
  const named = (holdsSecrets: boolean) =>
    findExposedFiles(settingsIn(folder, { github: github(token), holdsSecrets }));
  expect(await named(false)).toEqual([]);
  expect(await named(true)).toEqual([{ file: config, mode: '0644' }]);
});
