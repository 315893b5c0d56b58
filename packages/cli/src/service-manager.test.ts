import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@rungar/model';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { serviceManager } from './service-manager.js';

describe('what systemd is told', () => {
  let folder: string;
  let env: Record<string, string>;

  // Stands where systemd's program of this name does, and writes down what it is asked to send.
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'rungar-notify-'));
    await writeFile(join(folder, 'systemd-notify'), `#!/bin/sh\necho "$NOTIFY_SOCKET $*" >> ${folder}/sent\n`);
    await chmod(join(folder, 'systemd-notify'), 0o755);
    env = { PATH: `${folder}:${process.env.PATH ?? ''}`, NOTIFY_SOCKET: '/run/notify' };
  });
  afterEach(() => rm(folder, { recursive: true }));

  const sent = async (): Promise<string[]> =>
    (await readFile(join(folder, 'sent'), 'utf8').catch(() => '')).split('\n').filter((line) => line !== '');

  test('that the service is ready, and that it stops', async () => {
    const manager = serviceManager(env, systemClock);
    await manager.ready(new AbortController().signal);
    await manager.stopping();
    expect(await sent()).toEqual([
      '/run/notify --ready --status=Serving',
      '/run/notify STOPPING=1 --status=Letting go: sessions are closed, runners stay',
    ]);
  });

  test('that it lives, three times in each interval of the watchdog, until it is told to stop', async () => {
    const stop = new AbortController();
    await serviceManager({ ...env, WATCHDOG_USEC: '60000' }, systemClock).ready(stop.signal);
    const pings = async (): Promise<number> =>
      (await sent()).filter((line) => line === '/run/notify WATCHDOG=1').length;
    await vi.waitFor(async () => expect(await pings()).toBeGreaterThanOrEqual(2), { timeout: 5_000, interval: 10 });
    stop.abort();
  });

  test('nothing where systemd did not start the process', async () => {
    await serviceManager({ PATH: env.PATH ?? '' }, systemClock).ready(new AbortController().signal);
    expect(await sent()).toEqual([]);
  });

  test('nothing, without harm, where its program is missing', async () => {
    const manager = serviceManager({ PATH: '/nonexistent', NOTIFY_SOCKET: '/run/notify' }, systemClock);
    await expect(manager.ready(new AbortController().signal)).resolves.toBeUndefined();
  });
});
