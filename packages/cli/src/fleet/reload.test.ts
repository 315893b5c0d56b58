import { describe, expect, test } from 'vitest';
import { fakeDaemon, json } from '../../test/fake-daemon.js';
import { runCli } from '../../test/world.js';

describe('reload', () => {
  const answer = { applied: ['scale set linux: max_runners 3 -> 2'], needs_restart: ['installation a -> b'] };

  test('says what is in force and what needs a restart', async () => {
    const { socket, asked } = await fakeDaemon(json(answer));
    const { code, stdout } = await runCli(['reload', '--socket', socket]);
    expect([code, asked.map(({ method }) => method)]).toEqual([0, ['Reload']]);
    expect(stdout).toBe(
      'Reloaded; in force now:\n  scale set linux: max_runners 3 -> 2\nNeeds a restart:\n  installation a -> b\n',
    );
    const { stdout: document } = await runCli(['reload', '--json', '--socket', socket]);
    expect(JSON.parse(document)).toEqual(answer);
  });

  test('says that nothing has changed, and why it failed', async () => {
    const quiet = await fakeDaemon(json({}));
    expect((await runCli(['reload', '--socket', quiet.socket])).stdout).toBe('Reloaded: nothing has changed\n');
    const wrong = await fakeDaemon(json({ code: 'invalid_argument', message: 'config.yaml:3:1: no' }, 400));
    expect(await runCli(['reload', '--socket', wrong.socket])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('config.yaml:3:1: no'),
    });
  });
});

describe('a pause that is kept', () => {
  const status = json({ scale_sets: [{ name: 'linux', configured: true }], providers: [{ name: 'rack' }] });

  test('goes to the daemon with its reason and its end, and is told as it is', async () => {
    const { socket, asked } = await fakeDaemon(status);
    const now = Date.UTC(2027, 0, 4, 9, 0, 0);
    const clock = { now: () => now, wallNow: () => now, sleep: async () => {} };
    const flags = ['--keep', '--reason', 'new image', '--until', '2h', '--socket', socket];
    const { code, stdout } = await runCli(['scale-sets', 'pause', 'linux', ...flags], { clock });
    expect(code).toBe(0);
    expect(JSON.parse(String(asked.at(-1)?.body))).toEqual({
      name: 'linux',
      keep: true,
      reason: 'new image',
      until: '2027-01-04T11:00:00.000Z',
    });
    expect(stdout).toContain('linux: paused until 2027-01-04T11:00:00.000Z, over restarts too (new image)\n');
    const disabled = await runCli(['providers', 'disable', 'rack', '--keep', '--socket', socket]);
    expect(disabled.stdout).toContain('rack: disabled, and stays so when the daemon restarts\n');
    expect(JSON.parse(String(asked.at(-1)?.body))).toEqual({ name: 'rack', keep: true });
  });

  test.each(['soon', '25:00', '2020-01-01 10:00', '-3h'])('is refused with the end %s', async (until) => {
    const { socket } = await fakeDaemon(status);
    const { code, stderr } = await runCli(['scale-sets', 'pause', 'linux', `--until=${until}`, '--socket', socket]);
    expect(code).toBe(64);
    expect(stderr).toContain('--until');
  });
});
