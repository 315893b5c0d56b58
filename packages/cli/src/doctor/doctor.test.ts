import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startGitHubEmulator } from '@rungar/emulators/github';
import { describe, expect, onTestFinished, test } from 'vitest';
import { fakeDaemon, json } from '../../test/fake-daemon.js';
import { tempFolder } from '../../test/temp-folder.js';
import { runCli } from '../../test/world.js';
import { checkSocketFolder, checkStateFile } from './check-folders.js';
import { checkEventFile, checkNode, checkProxies } from './check-host.js';
import type { DoctorDocument } from './finding.js';

async function open(more = ''): Promise<{ config: string; folder: string }> {
  const folder = await tempFolder();
  const github = await startGitHubEmulator();
  onTestFinished(() => github.close());
  const app = await github.createApp();
  await writeFile(join(folder, 'app.pem'), app.privateKey, { mode: 0o600 });
  const config = join(folder, 'config.yaml');
  const text = `version: 1
github:
  url: ${github.configUrl}
  app_client_id: ${app.clientId}
  app_installation_id: ${app.installationId}
  app_private_key_path: ${join(folder, 'app.pem')}
socket: ${join(folder, 's')}
events: { file: ${join(folder, 'events.jsonl')} }
providers: [{ name: rack, type: dicer, address: 'unix://${join(folder, 'd')}', runner: { image: 'registry.example.com/r:1', vcpus: 1, memory: 1GiB } }]
scale_sets: [{ name: linux, max_runners: 1, providers: [rack] }]
${more}`;
  await writeFile(config, text);
  return { config, folder };
}

async function examined(args: readonly string[]): Promise<{ code: number; found: DoctorDocument }> {
  const { code, stdout } = await runCli(['doctor', '--json', ...args]);
  return { code, found: JSON.parse(stdout) as DoctorDocument };
}

const brief = ({ findings }: DoctorDocument): string[] => findings.map(({ area, result }) => `${area} ${result}`);

describe('doctor', () => {
  test('looks at everything, and has a cure for whatever is not well', async () => {
    const { config, folder } = await open();
    await chmod(join(folder, 'app.pem'), 0o644);
    const { code, found } = await examined(['--config', config]);
    expect(code).toBe(6);
    expect(found.healthy).toBe(false);
    const said = brief(found);
    for (const one of ['node ok', 'proxies ok', 'configuration ok', 'files warning', 'github ok', 'provider error'])
      expect(said).toContain(one);
    for (const one of ['events ok', 'daemon warning', 'socket ok']) expect(said).toContain(one);
    for (const { result, hint } of found.findings) if (result !== 'ok') expect(hint).not.toBe('');
    const { stdout } = await runCli(['doctor', '--config', config]);
    expect(stdout).toMatch(/^ERROR {4}provider .*\n {24}\S/m);
    expect(stdout).toMatch(/1 error, 2 warnings\n$/);
  });

  test.each([
    ['GitHub answered 401 to GET /orgs/o/actions/runners: Bad credentials', /^Check the credential/],
    ['GitHub did not answer GET /x: connect ECONNREFUSED 192.0.2.1:443', /can be reached from the daemon's host/],
    ['listing of runners at GitHub took longer than 30 s', /can be reached from the daemon's host/],
    ['GitHub answered 503 to GET /x: no explanation', /GitHub's status page/],
  ])('has the cure for what the daemon says of GitHub: %s', async (error, hint) => {
    const { config } = await open();
    const { socket } = await fakeDaemon(json({ daemon: { version: '1.2.3', github: { error } } }));
    const { found } = await examined(['--config', config, '--socket', socket]);
    const finding = found.findings.find(({ area, result }) => area === 'github' && result === 'error');
    expect(finding).toMatchObject({ message: expect.stringContaining(error), hint: expect.stringMatching(hint) });
  });

  test('asks the daemon too, and tells what it has trouble with', async () => {
    const { config } = await open();
    const { socket } = await fakeDaemon(
      json({
        daemon: { version: '1.2.3', github: { error: 'GitHub answered 401' }, events_error: 'no space' },
        scale_sets: [
          {
            ...{ name: 'linux', phase: 'SCALE_SET_PHASE_FAILED', state_reason: 'no such group' },
            runner_versions: [
              { version: '2.320.0', refused: true },
              { version: '2.335.1', end_time: '2020-01-09T00:00:00Z' },
              { version: '2.337.0' },
            ],
          },
        ],
        providers: [{ name: 'rack', error: 'no route' }],
      }),
    );
    const { found } = await examined(['--config', config, '--socket', socket]);
    const messages = found.findings.map(({ message }) => message).join('\n');
    for (const words of ['1.2.3 answers', '401', 'no space', 'no such group', 'no route', '2.320.0', '2.335.1'])
      expect(messages).toContain(words);
    expect(messages).not.toContain('2.337.0');
    expect(brief(found).filter((one) => one.startsWith('runners'))).toEqual(['runners error', 'runners warning']);
  });

  test('tells every error of the configuration, and ends with 2', async () => {
    const { config } = await open('log_level: loud\nlog_format: xml\n');
    const { code, found } = await examined(['--config', config]);
    expect(code).toBe(2);
    expect(brief(found).filter((one) => one === 'configuration error')).toHaveLength(2);
    const none = await examined(['--config', `${config}.gone`]);
    expect([none.code, brief(none.found)[2]]).toEqual([2, 'configuration error']);
  });
});

test.each([
  ['20.19.0', 'ok'],
  ['22.0.0', 'ok'],
  ['20.18.3', 'error'],
  ['18.20.0', 'error'],
])('Node.js %s is %s', (version, result) => {
  expect(checkNode(version).result).toBe(result);
});

test('a proxy is told by its host alone, and one that is none is an error', () => {
  expect(checkProxies({ HTTPS_PROXY: 'http://user:secret@proxy.example:3128' })).toEqual([
    { area: 'proxies', result: 'ok', message: 'HTTPS_PROXY leads through proxy.example:3128', hint: '' },
  ]);
  expect(checkProxies({ https_proxy: 'http://' }).map(({ result }) => result)).toEqual(['error']);
});

test('events want an ordinary file', async () => {
  const folder = await tempFolder();
  expect(await checkEventFile(folder)).toMatchObject({ result: 'error' });
  expect(await checkEventFile(join(folder, 'deep', 'events.jsonl'))).toMatchObject({ result: 'ok' });
});

describe('the state file', () => {
  const whole = (text: string): unknown => JSON.parse(text);

  test('is well where it is valid, or where it can be made', async () => {
    const folder = await tempFolder();
    await writeFile(join(folder, 'state.json'), '{}');
    expect(await checkStateFile(join(folder, 'state.json'), whole)).toMatchObject({ area: 'state', result: 'ok' });
    const missing = await checkStateFile(join(folder, 'deep', 'er', 'state.json'), whole);
    expect(missing).toMatchObject({ result: 'ok', message: expect.stringContaining('the daemon makes') });
  });

  test('is an error where it is damaged, with a cure', async () => {
    const folder = await tempFolder();
    await writeFile(join(folder, 'state.json'), '{');
    const found = await checkStateFile(join(folder, 'state.json'), whole);
    expect(found).toMatchObject({ result: 'error', hint: expect.stringContaining('Remove it') });
  });

  test('is a warning where its place is no folder, or it cannot be read', async () => {
    const folder = await tempFolder();
    await writeFile(join(folder, 'file'), '');
    expect(await checkStateFile(join(folder, 'file', 'state.json'), whole)).toMatchObject({ result: 'warning' });
    expect(await checkStateFile(folder, whole)).toMatchObject({ area: 'state', result: 'warning' });
  });
});

test('the socket wants its place free, or a socket there, and a folder', async () => {
  const folder = await tempFolder();
  expect(await checkSocketFolder(join(folder, 's'))).toMatchObject({
    result: 'ok',
    message: expect.stringContaining('free'),
  });
  await writeFile(join(folder, 's'), '');
  expect(await checkSocketFolder(join(folder, 's'))).toMatchObject({ area: 'socket', result: 'error' });
  expect(await checkSocketFolder(join(folder, 's', 't'))).toMatchObject({ result: 'error' });
});
