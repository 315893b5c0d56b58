import { expect, test } from 'vitest';
import { documentedPoolText, readAsYaml11 } from '../../test/documented.js';
import type { ClusterApi, ListQuery } from '../cluster/api.js';
import type { World } from '../command.js';
import { check } from './check.js';
import { readLive } from './live.js';

const job = readAsYaml11(documentedPoolText) as { metadata: object };

/** A cluster that holds these objects. */
function clusterOf(objects: Readonly<Record<string, readonly object[]>>, asked: ListQuery[]): ClusterApi {
  return {
    async read() {
      return undefined;
    },
    async list(query: ListQuery) {
      asked.push(query);
      return { items: objects[query.kind] ?? [], resourceVersion: '1' };
    },
  } as unknown as ClusterApi;
}

const world = { signal: new AbortController().signal, stderr: { write: () => true } } as unknown as World;

test('a namespace is checked as its manifests would be', async () => {
  const asked: ListQuery[] = [];
  const api = clusterOf({ Job: [job] }, asked);
  const live = await readLive(api, 'release', world);
  const report = check({ manifests: [live] });
  expect(report.pools).toMatchObject([{ apiVersion: 'batch/v1', kind: 'Job', name: 'dispat-workers' }]);
  expect(report.findings.filter(({ severity }) => severity === 'error').map(({ rule }) => rule)).toEqual([
    'DWM204',
    'DWM216',
  ]);
  expect(new Set(asked.map(({ namespace }) => namespace))).toEqual(new Set(['release']));
});

test('Secrets are not asked for', async () => {
  const asked: ListQuery[] = [];
  await readLive(clusterOf({}, asked), 'release', world);
  expect(asked.map(({ kind }) => kind)).not.toContain('Secret');
});

test('what another object made is left to that object', async () => {
  const made = { ...job, metadata: { ...job.metadata, ownerReferences: [{ kind: 'CronJob', name: 'nightly' }] } };
  const live = await readLive(clusterOf({ Job: [made] }, []), 'release', world);
  expect(() => check({ manifests: [live] })).toThrow(/NO_POOL/);
});
