import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { type GitHubEmulator, startGitHubEmulator } from '@rungar/emulators/github';
import { createScaleSetService, Secret } from '@rungar/github';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type Ran, runCli } from '../../test/world.js';

let github: GitHubEmulator;
let folder = '';
let keyFile = '';
beforeEach(async () => {
  github = await startGitHubEmulator({ people: ['alice'], scopes: ['acme', 'alice/web'] });
  folder = await mkdtemp(join(tmpdir(), 'rungar-app-'));
  keyFile = join(folder, 'key.pem');
});
afterEach(async () => {
  vi.useRealTimers();
  await github.close();
  await rm(folder, { recursive: true });
});

interface Flow {
  readonly ended: Promise<Ran>;
  /** Where the browser is to begin. */
  readonly link: Promise<string>;
  /** What was said so far. */
  readonly said: () => string;
  readonly type: (line: string) => void;
}

function start(path: string): Flow {
  let stderr = '';
  let tell: (link: string) => void = () => {};
  const link = new Promise<string>((resolve) => {
    tell = resolve;
  });
  const stdin = Object.assign(new Readable({ read() {} }), { isTTY: true });
  const screen = {
    write(text: string) {
      stderr += text;
      const found = /http:\/\/127\.0\.0\.1:\d+\/ in a browser/.exec(stderr)?.[0];
      if (found) tell(found.split(' ')[0] ?? '');
    },
  };
  const args = ['github', 'create-app', '--url', `${github.url}/${path}`, '--key-file', keyFile];
  const ended = runCli(args, { stderr: screen, stdin });
  return { ended, link, said: () => stderr, type: (line) => stdin.push(`${line}\n`) };
}

/** Sends the form of the page as a browser does. @returns where GitHub sends the browser */
async function sendForm(link: string): Promise<{ back: string; manifest: Record<string, unknown>; action: string }> {
  const page = await (await fetch(link)).text();
  const plain = (text: string): string =>
    text.replace(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)));
  const action = plain(/action="([^"]*)"/.exec(page)?.[1] ?? '');
  const manifest = plain(/value="([^"]*)"/.exec(page)?.[1] ?? '');
  const answer = await fetch(action, { method: 'POST', body: new URLSearchParams({ manifest }), redirect: 'manual' });
  return { back: answer.headers.get('location') ?? '', manifest: JSON.parse(manifest), action };
}

describe('creating an App', () => {
  test('ends with a key file and the lines of a configuration that work', async () => {
    const flow = start('acme');
    const { back, manifest, action } = await sendForm(await flow.link);
    expect(action).toMatch(/\/organizations\/acme\/settings\/apps\/new\?state=[0-9a-f]{32}$/);
    expect(manifest).toMatchObject({
      name: 'rungar-acme',
      public: false,
      default_permissions: { organization_self_hosted_runners: 'write', metadata: 'read' },
      default_events: [],
    });
    expect((await fetch(back)).status).toBe(200);
    const { code, stdout } = await flow.ended;
    expect(code).toBe(0);
    expect(flow.said()).toMatch(
      /install it, which gives it its permissions: .*\/apps\/rungar-acme\/installations\/new/,
    );
    const lines = /app_client_id: (\S+)\n {2}app_installation_id: (\d+)\n {2}app_private_key_path: (.*)\n$/.exec(
      stdout,
    );
    expect(stdout.startsWith(`github:\n  url: ${github.url}/acme\n`)).toBe(true);
    expect(JSON.parse(lines?.[3] ?? '')).toBe(keyFile);
    expect((await stat(keyFile)).mode & 0o777).toBe(0o600);
    const privateKey = await readFile(keyFile, 'utf8');
    expect(flow.said() + stdout).not.toContain('PRIVATE KEY');

    const client = createScaleSetService({
      url: github.configUrl,
      credentials: {
        kind: 'app',
        clientId: lines?.[1] ?? '',
        installationId: Number(lines?.[2]),
        privateKey: new Secret(privateKey),
      },
    });
    expect(await client.findRunner('none', { signal: new AbortController().signal })).toBeUndefined();
    await client.close();
  });

  test('takes the address, or the code, that somebody pastes', async () => {
    const flow = start('acme');
    const { back } = await sendForm(await flow.link);
    flow.type('what?');
    flow.type(back);
    expect((await flow.ended).code).toBe(0);
    expect(flow.said()).toContain('paste it again');
  });

  test("asks for the permission of a repository, on the page of the repository's owner", async () => {
    const flow = start('alice/web');
    const { back, manifest, action } = await sendForm(await flow.link);
    expect(action).toMatch(/127\.0\.0\.1:\d+\/settings\/apps\/new\?/);
    expect(manifest).toMatchObject({ default_permissions: { administration: 'write', metadata: 'read' } });
    await fetch(back);
    expect((await flow.ended).code).toBe(0);
  });

  test('takes nothing that another form handed back, and goes on', async () => {
    const flow = start('acme');
    const { back } = await sendForm(await flow.link);
    const foreign = new URL(back);
    foreign.searchParams.set('state', 'other');
    expect((await fetch(foreign)).status).toBe(400);
    flow.type(foreign.href);
    await fetch(back);
    expect((await flow.ended).code).toBe(0);
  });

  test('outlives whoever else asks the page, and trouble of GitHub while the App is being installed', async () => {
    const flow = start('acme');
    const link = await flow.link;
    expect((await fetch(`${link}/`)).status).toBe(404);
    const { back } = await sendForm(link);
    github.setFault({ operation: 'list-installations', kind: 'status', status: 502, times: 4 });
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    await fetch(back);
    const passing = setInterval(() => vi.advanceTimersByTime(100), 5);
    const { code, stdout } = await flow.ended;
    clearInterval(passing);
    expect(code).toBe(0);
    expect(stdout).toMatch(/app_installation_id: \d+/);
  });

  test('of a code that is used says what to do, and writes nothing', async () => {
    const flow = start('acme');
    await flow.link;
    flow.type('0123456789abcdef');
    expect((await flow.ended).code).toBe(1);
    expect(flow.said()).toMatch(/404 to POST \/app-manifests\/CODE\/conversions/);
    expect(flow.said()).toContain('good once');
    await expect(stat(keyFile)).rejects.toThrow();
  });
});

describe('is refused before anybody is asked', () => {
  test.each([
    ['an enterprise', 'enterprises/acme', 'no App can manage'],
    ["a person's page", 'alice', "is a person's page"],
  ])('for %s', async (_, path, words) => {
    const flow = start(path);
    expect((await flow.ended).code).toBe(1);
    expect(flow.said()).toContain(words);
  });

  test('when the key file is there already', async () => {
    await writeFile(keyFile, 'mine');
    const flow = start('acme');
    expect((await flow.ended).code).toBe(1);
    expect(flow.said()).toContain('is there already');
    expect(await readFile(keyFile, 'utf8')).toBe('mine');
    expect(github.requests).toHaveLength(0);
  });

  test('without an address', async () => {
    const { code, stderr } = await runCli(['github', 'create-app']);
    expect(code).toBe(64);
    expect(stderr).toContain('--url');
  });
});
