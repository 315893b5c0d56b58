import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fakeClock } from '@rungar/model/testing';
import { describe, expect, test, vi } from 'vitest';
import { NOW } from '../../test/answers.js';
import { fakeDaemon } from '../../test/fake-daemon.js';
import { busyFleet, fleetDaemon } from '../../test/fleet.js';
import { runCli } from '../../test/world.js';
import { SCRIPTS } from './scripts.js';

/** The candidates for the last of the words; a `|` stands for nothing typed yet. */
async function complete(line: string, socket = '/nonexistent/s'): Promise<string[]> {
  const words = line.split(' ').map((word) => (word === '|' ? '' : word));
  const { code, stdout, stderr } = await runCli(['__complete', ...words], { env: { RUNGAR_SOCKET: socket } });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout.split('\n').flatMap((one) => one.split('\t')[0] || []);
}

describe('words that the program knows itself', () => {
  test.each([
    ['st', ['status']],
    ['scale-sets |', ['ls', 'inspect', 'pause', 'resume', 'rm']],
    ['scale-set pa', ['pause']],
    ['scale-sets pause', ['pause']],
    ['--socket status runners r', ['rm']],
    ['runners ls --sc', ['--scale-set']],
    ['runners ls --json --j', []],
    ['runners ls -o |', ['table', 'wide', 'json', 'yaml', 'name']],
    ['runners ls --output = j', ['json']],
    ['wait |', ['scale-set', 'provider', 'runner']],
    ['wait provider rack-a --for d', ['disabled', 'drained']],
    ['completion |', ['bash', 'zsh', 'fish']],
    ['events --tail |', []],
    ['validate -f |', []],
    ['nonsense |', []],
  ])('%s', async (line, words) => {
    expect(await complete(line)).toEqual(words);
  });

  test('each with what it does', async () => {
    const { stdout } = await runCli(['__complete', 'sta']);
    expect(stdout).toBe('status\tShow the daemon, its scale sets, providers and runners\n');
    expect((await complete('|')).length).toBeGreaterThan(15);
    expect(await complete('|')).not.toContain('__complete');
  });
});

describe('names from the daemon', () => {
  test.each([
    ['scale-sets pause |', ['birch-s', 'birch-xl']],
    ['scale-sets rm |', ['birch-old']],
    ['providers drain rack-b', ['rack-b']],
    ['runners rm birch-s-77aa00ee birch-s', ['birch-s-0a1b2c3d']],
    ['runners ls --provider |', ['rack-a', 'rack-b']],
    ['events --scale-set birch-x', ['birch-xl']],
    ['events --runner birch-old', ['birch-old-1234abcd']],
    ['reconcile birch-s |', ['birch-xl']],
    ['plan birch-xl', ['birch-xl']],
    ['wait runner birch-old', ['birch-old-1234abcd']],
    ['explain provider |', ['rack-a', 'rack-b']],
    ['scale-sets pause birch-s |', []],
  ])('%s', async (line, words) => {
    const { socket } = await fleetDaemon(busyFleet());
    expect(await complete(line, socket)).toEqual(words);
  });

  test('the flag names the daemon', async () => {
    const { socket } = await fleetDaemon(busyFleet());
    expect(await complete(`--socket ${socket} providers enable |`)).toEqual(['rack-a', 'rack-b']);
  });

  test('a daemon that is not there, refuses, or takes more than a second is passed over in silence', async () => {
    expect(await complete('providers drain |')).toEqual([]);
    const refusing = await fleetDaemon(busyFleet(), { GetStatus: () => undefined });
    expect(await complete('providers drain |', refusing.socket)).toEqual([]);
    const { socket, asked } = await fakeDaemon(() => {});
    const clock = fakeClock(NOW);
    const ran = runCli(['__complete', 'providers', 'drain', ''], { clock, env: { RUNGAR_SOCKET: socket } });
    await vi.waitFor(() => expect(asked).toHaveLength(1), { interval: 1, timeout: 10_000 });
    await clock.advance(1_000);
    expect(await ran).toEqual({ code: 0, stdout: '', stderr: '' });
  });
});

describe('the scripts', () => {
  test.each(['bash', 'zsh', 'fish'] as const)('for %s is printed, and asks the program', async (shell) => {
    const { stdout, code } = await runCli(['completion', shell]);
    expect(code).toBe(0);
    expect(stdout).toBe(SCRIPTS[shell]);
    expect(stdout).toContain(' __complete ');
  });

  test.for(['bash', 'zsh', 'fish'] as const)('for %s can be read by it', (shell, { skip }) => {
    const folder = mkdtempSync(join(tmpdir(), 'rungar-completion-'));
    const file = join(folder, 'script');
    writeFileSync(file, SCRIPTS[shell]);
    const { status, stderr, error } = spawnSync(shell, ['-n', file], { encoding: 'utf8' });
    rmSync(folder, { recursive: true });
    if (shell !== 'bash' && error && 'code' in error && error.code === 'ENOENT') skip(`there is no ${shell} here`);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  });

  test('in bash the words up to the cursor are handed on, and candidates come quoted and without descriptions', () => {
    const program = `rungar() { printf '%s\\tsays something\\n' "$#" "\${@:1:4}"; }\n`;
    const words = `COMP_WORDS=(rungar --socket 'a b' plan '' behind) COMP_CWORD=4\n`;
    const script = `${program}${SCRIPTS.bash}${words}_rungar\nprintf '<%s>' "\${COMPREPLY[@]}"`;
    const { stdout } = spawnSync('bash', ['-c', script], { encoding: 'utf8' });
    // The last of the five is empty: nothing is typed yet.
    expect(stdout).toBe('<5><__complete><--socket><a\\ b><plan>');
  });

  test('in fish the words up to the cursor are handed on, also where nothing is typed yet', ({ skip }) => {
    const program = `function rungar; printf '%s\\n' (count $argv)-(string join _ $argv); end\n`;
    const script = `${program}${SCRIPTS.fish}complete -C 'rungar plan '; complete -C 'rungar plan li'`;
    const { stdout, error } = spawnSync('fish', ['--no-config', '-c', script], { encoding: 'utf8' });
    if (error && 'code' in error && error.code === 'ENOENT') skip('there is no fish here');
    expect(stdout.split('\n').filter(Boolean)).toEqual(['3-__complete_plan_', '3-__complete_plan_li']);
  });
});
