import { afterEach, expect, test, vi } from 'vitest';
import { edited } from '../../test/checked.js';
import { documentedPoolText } from '../../test/documented.js';
import { check } from './check.js';
import { KubeValue } from './kube/value.js';

afterEach(() => vi.restoreAllMocks());

/** A pool with names of its own, its policy, its budget and its links. */
function poolOf(index: number): { readonly manifest: string; readonly workers: readonly string[] } {
  const name = `pool-${index}`;
  const job = edited(
    documentedPoolText,
    ['name: dispat-workers', `name: ${name}`],
    ['"name": "w-', `"name": "${name}-`],
    ['  template:\n    metadata:\n', `  template:\n    metadata:\n      labels: {pool: ${name}}\n`],
  );
  const selector = `{matchLabels: {pool: ${name}}}`;
  const meta = `metadata: {name: ${name}, namespace: release}`;
  const policy = `apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\n${meta}\nspec: {podSelector: ${selector}, policyTypes: [Ingress, Egress]}\n`;
  const budget = `apiVersion: policy/v1\nkind: PodDisruptionBudget\n${meta}\nspec: {selector: ${selector}, minAvailable: 4}\n`;
  const workers = [0, 1, 2, 3].map((node) => `${name}-${node}=git@github.com:acme/release-mailbox.git`);
  return { manifest: [job, policy, budget].join('\n---\n'), workers };
}

/** How many fields a check of so many pools looks at. */
function looksFor(count: number): number {
  const pools = Array.from({ length: count }, (_, index) => poolOf(index));
  const text = pools.map(({ manifest }) => manifest).join('\n---\n');
  const looks = vi.spyOn(KubeValue.prototype, 'at');
  const report = check({
    manifests: [{ name: 'm.yaml', text }],
    workers: pools.flatMap(({ workers }) => workers),
  });
  const { length } = looks.mock.calls;
  looks.mockRestore();
  expect(report.pools).toHaveLength(count);
  expect(report.findings.filter(({ rule }) => rule === 'DWM101' || rule === 'DWM204')).toEqual([]);
  return length;
}

test('four times as many pools are at most five times the work, whatever stands beside them', () => {
  const few = looksFor(10);
  expect(few).toBeGreaterThan(1000);
  expect(looksFor(40) / few).toBeLessThan(5);
});
