import { expect, test } from 'vitest';
import { documentedPoolText, readAsYaml11 } from '../../test/documented.js';
import type { ClusterApi, ListQuery } from '../cluster/api.js';
import type { World } from '../command.js';
import { inputError } from '../problems.js';
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
  const report = check({ manifests: [live.manifest] });
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
  expect(() => check({ manifests: [live.manifest] })).toThrow(/NO_POOL/);
});

test('policies that may not be listed are no missing policy: that could not be checked', async () => {
  const api = clusterOf({ Job: [job] }, []);
  const list: ClusterApi['list'] = (query, signal) => {
    if (query.kind !== 'NetworkPolicy') return api.list(query, signal);
    throw inputError({ code: 'CLUSTER_FORBIDDEN', at: 'release', found: 'no right', allowed: 'one', fix: 'bind it' });
  };
  const { manifest, unlisted } = await readLive({ ...api, list }, 'release', world);
  expect(unlisted).toEqual(['NetworkPolicy']);
  const { findings } = check({ manifests: [manifest], unlisted });
  expect(findings.filter(({ rule }) => rule === 'DWM204')).toEqual([
    expect.objectContaining({
      severity: 'warning',
      message: expect.stringContaining('could not be checked: may not list networkpolicies'),
      fix: expect.stringContaining('right to list networkpolicies'),
    }),
  ]);
  const elsewhere = check({ manifests: [manifest], unlisted, policyElsewhere: true }).findings;
  expect(elsewhere.find(({ rule }) => rule === 'DWM204')).toMatchObject({ severity: 'info' });
});
