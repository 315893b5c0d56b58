import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { tempFolder } from '../test/temp-folder.js';
import { runCli } from '../test/world.js';

test('SIGHUP reloads a daemon and ends none, also one that has not begun to serve', async () => {
  const folder = await tempFolder();
  const config = join(folder, 'config.yaml');
  const text = `version: 1
github: { url: https://github.com/acme, token: ghp_0123456789abcdef }
socket: ${join(folder, 's')}
events: { file: ${join(folder, 'events.jsonl')} }
providers: [{ name: rack, type: dicer, address: 'unix://${join(folder, 'd')}' }]
scale_sets: []
`;
  await writeFile(config, text, { mode: 0o600 });
  const stop = new AbortController();
  let log = '';
  let hangUp = (): void => {};
  const ended = runCli(['serve', '--config', config], {
    env: { STATE_DIRECTORY: folder },
    stderr: { write: (line) => (log += line) },
    signal: stop.signal,
    takeHangUps(handler) {
      hangUp = handler;
      // Before there is a daemon: it is reloaded once it serves.
      handler();
    },
  });
  const seen = (words: string): Promise<void> => vi.waitFor(() => expect(log).toContain(words), { timeout: 10_000 });
  const reloads = async (): Promise<number> =>
    (await readFile(join(folder, 'events.jsonl'), 'utf8')).split('"action":"reloaded"').length - 1;
  await seen('msg=Serving');
  await vi.waitFor(async () => expect(await reloads()).toBe(1), { timeout: 10_000 });
  await writeFile(config, `${text}log_level: warn\nlog_format: json\n`);
  hangUp();
  await vi.waitFor(async () => expect(await reloads()).toBe(2), { timeout: 10_000 });
  await writeFile(config, `${text}log_level: loud\n`);
  hangUp();
  await seen('"msg":"The configuration was not reloaded; nothing has changed"');
  stop.abort();
  expect(await ended).toMatchObject({ code: 0 });
});
