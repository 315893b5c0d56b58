import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { endAfterTest, ZONE } from '../../test/gce.js';
import { type GceEmulator, startGceEmulator } from './index.js';

const absent = spawnSync('gcloud', ['--version']).error !== undefined;

async function start(): Promise<{ gce: GceEmulator; gcloud: (...args: string[]) => Promise<string> }> {
  const gce = await startGceEmulator({ times: { insertMs: 100, deleteMs: 100, bootMs: 0 }, accessTokens: ['a-token'] });
  endAfterTest(() => gce.close());
  const folder = await mkdtemp(join(tmpdir(), 'gcloud-'));
  endAfterTest(() => rm(folder, { recursive: true }));
  const tokenFile = join(folder, 'token');
  await writeFile(tokenFile, 'a-token');
  const env = {
    PATH: process.env.PATH,
    HOME: folder,
    CLOUDSDK_CONFIG: folder,
    CLOUDSDK_API_ENDPOINT_OVERRIDES_COMPUTE: `${gce.url}/compute/v1/`,
    CLOUDSDK_CORE_DISABLE_FILE_LOGGING: 'true',
    CLOUDSDK_CORE_DISABLE_PROMPTS: 'true',
    CLOUDSDK_CORE_DISABLE_USAGE_REPORTING: 'true',
    CLOUDSDK_COMPONENT_MANAGER_DISABLE_UPDATE_CHECK: 'true',
  };
  const gcloud = async (...args: string[]): Promise<string> => {
    const all = ['compute', 'instances', ...args, '--project', gce.project, '--access-token-file', tokenFile];
    return (await promisify(execFile)('gcloud', all, { env })).stdout;
  };
  return { gce, gcloud };
}

const machine = ['--zone', ZONE, '--machine-type', 'e2-small', '--image', 'runner-image'];

describe.skipIf(absent)(`the gcloud command line${absent ? ' (skipped: there is no gcloud on this host)' : ''}`, () => {
  test('creates, lists, describes and deletes an instance', { timeout: 120_000 }, async () => {
    const { gce, gcloud } = await start();
    const spot = ['--provisioning-model', 'SPOT', '--instance-termination-action', 'DELETE'];
    await gcloud('create', 'linux-1', ...machine, '--labels', 'team=ci', '--metadata', 'a=b', '--tags', 'x', ...spot);
    const json = ['--format', 'json'];
    expect(JSON.parse(await gcloud('list', ...json))).toMatchObject([
      { name: 'linux-1', labels: { team: 'ci' }, status: 'RUNNING', scheduling: { provisioningModel: 'SPOT' } },
    ]);
    expect(JSON.parse(await gcloud('describe', 'linux-1', '--zone', ZONE, ...json))).toMatchObject({
      id: gce.instances()[0]?.id,
      metadata: { items: [{ key: 'a', value: 'b' }] },
      tags: { items: ['x'] },
    });
    await gcloud('delete', 'linux-1', '--zone', ZONE);
    expect(gce.instances()).toEqual([]);
  });

  test('says what an operation came to', { timeout: 60_000 }, async () => {
    const { gce, gcloud } = await start();
    gce.setStock({}, 0);
    await expect(gcloud('create', 'linux-1', ...machine)).rejects.toMatchObject({
      stderr: expect.stringContaining('does not have enough resources available') as string,
    });
  });
});
