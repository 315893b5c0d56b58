import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { findKubeconfig } from './kubeconfig.js';

let folder: string;
const signal = new AbortController().signal;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dispat-k8s-'));
});
afterEach(() => rm(folder, { recursive: true }));

function config(name: string, more = ''): string {
  return [
    `current-context: ${name}`,
    `clusters: [{name: ${name}, cluster: {server: "https://${name}.example.com", certificate-authority: ca.crt}}]`,
    `contexts: [{name: ${name}, context: {cluster: ${name}, user: ${name}}}]`,
    `users: [{name: ${name}, user: {token: 0123, tokenFile: ""}}]`,
    more,
  ].join('\n');
}

async function file(name: string, text: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, text);
  return path;
}

describe('finding the kubeconfig', () => {
  test('--kubeconfig comes before KUBECONFIG, and that before ~/.kube/config', async () => {
    const [a, b] = [await file('a', config('a')), await file('b', config('b'))];
    await mkdir(join(folder, '.kube'));
    await file('.kube/config', config('home'));
    const current = async (source: Parameters<typeof findKubeconfig>[0]) =>
      JSON.parse((await findKubeconfig(source, signal)).json)['current-context'];
    expect(await current({ file: a, env: { KUBECONFIG: b, HOME: folder } })).toBe('a');
    expect(await current({ env: { KUBECONFIG: b, HOME: folder } })).toBe('b');
    expect(await current({ env: { HOME: folder } })).toBe('home');
  });

  test('joins the files of KUBECONFIG: of two entries of one name the first counts', async () => {
    const first = await file('a', config('a'));
    const second = await file('b', config('b').replaceAll('{name: b,', '{name: a,'));
    const third = await file('c', config('c'));
    const env = { KUBECONFIG: [first, second, third].join(delimiter) };
    const found = JSON.parse((await findKubeconfig({ env, context: 'c' }, signal)).json);
    expect(found['current-context']).toBe('c');
    expect(
      found.clusters.map(({ name, cluster }: { name: string; cluster: { server: string } }) => [name, cluster.server]),
    ).toEqual([
      ['a', 'https://a.example.com'],
      ['c', 'https://c.example.com'],
    ]);
  });

  test('anchors relative paths at the file, and keeps what looks like a number as it is written', async () => {
    const found = JSON.parse((await findKubeconfig({ file: await file('a', config('a')), env: {} }, signal)).json);
    expect(found.clusters[0].cluster['certificate-authority']).toBe(join(folder, 'ca.crt'));
    expect(found.users[0].user.token).toBe('0123');
  });

  test('a token in a file is read whenever a call needs it', async () => {
    const text = config('a').replace('token: 0123, tokenFile: ""', 'tokenFile: token');
    const found = JSON.parse((await findKubeconfig({ file: await file('a', text), env: {} }, signal)).json);
    expect(found.users[0].user['auth-provider']).toEqual({
      name: 'tokenFile',
      config: { tokenFile: join(folder, 'token') },
    });
  });

  test('inside a pod, its service account', async () => {
    const env = { KUBERNETES_SERVICE_HOST: 'fd00::1', KUBERNETES_SERVICE_PORT: '6443' };
    const found = JSON.parse((await findKubeconfig({ env, accountFolder: '/account' }, signal)).json);
    expect(found.clusters[0].cluster).toEqual({
      server: 'https://[fd00::1]:6443',
      'certificate-authority': '/account/ca.crt',
    });
    expect(found.users[0].user['auth-provider'].config.tokenFile).toBe('/account/token');
  });

  test.each([
    { name: 'nothing to find', source: { env: {} }, says: /CONFIG_NOT_READABLE kubeconfig: found neither/ },
    {
      name: 'a file that is not there',
      source: { file: '/nowhere/config', env: {} },
      says: /CONFIG_NOT_READABLE \/nowhere\/config/,
    },
  ])('$name is told', async ({ source, says }) => {
    await expect(findKubeconfig(source, signal)).rejects.toThrow(says);
  });

  test('what is wrong in a file is told with its place', async () => {
    const broken = await file('a', 'clusters: [\n');
    await expect(findKubeconfig({ file: broken, env: {} }, signal)).rejects.toThrow(/YAML_INVALID .*a:\d+:\d+/);
    const list = await file('b', '[]');
    await expect(findKubeconfig({ file: list, env: {} }, signal)).rejects.toThrow(/DOCUMENT_NOT_OBJECT/);
    const good = await file('c', config('c'));
    await expect(findKubeconfig({ file: good, context: 'x', env: {} }, signal)).rejects.toThrow(
      /the context "x".*one of c/,
    );
  });
});
