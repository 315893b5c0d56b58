import { describe, expect, test } from 'vitest';
import { faultsOfCiliumPolicy } from '../../test/cilium-schema.js';
import { MINIMAL } from '../../test/documented.js';
import { check } from '../check/check.js';
import type { PoolInput } from '../options/table.js';
import type { KubeObject } from '../pool.js';
import { generate } from './generate.js';
import { manifestsYaml } from './manifests.js';

const CILIUM: PoolInput = { ...MINIMAL, policyKind: 'cilium', egress: ['github.com:22'] };

function policyOf(input: PoolInput): KubeObject {
  const policy = generate({ ...CILIUM, ...input }).objects.find(({ kind }) => kind === 'CiliumNetworkPolicy');
  if (policy === undefined) throw new Error('no policy was generated');
  return policy;
}

/** Between them every field of the policy. */
const POLICIES: Readonly<Record<string, PoolInput>> = {
  'a name': {},
  'a pattern, without a port': { egress: ['*.example.com', 'git.example.com:443/TCP'] },
  'address ranges, with and without an exception': { egress: ['192.0.2.0/24:22', '0.0.0.0/0:443', '2001:db8::/32'] },
  'a cache for DNS': { dnsCidr: ['169.254.20.10/32'] },
  'two platforms and a run': { platform: ['linux/amd64', 'linux/arm64'], runId: 'r1' },
};

test.each(Object.entries(POLICIES))('a CiliumNetworkPolicy has fields of Cilium alone: %s', (_, input) => {
  expect(faultsOfCiliumPolicy(policyOf(input))).toEqual([]);
});

describe('the schema itself refuses', () => {
  const spec = (change: Readonly<Record<string, unknown>>): unknown => {
    const policy = policyOf({});
    return { ...policy, spec: { ...(policy.spec as object), ...change } };
  };

  test.each<[string, unknown]>([
    ['a misspelt field', spec({ egresss: [] })],
    ['a port that is a number', spec({ egress: [{ toCIDR: ['192.0.2.0/24'], toPorts: [{ ports: [{ port: 22 }] }] }] })],
    ['destinations of two kinds', spec({ egress: [{ toCIDR: ['192.0.2.0/24'], toFQDNs: [{ matchName: 'h' }] }] })],
    ['a name with a star in matchName', spec({ egress: [{ toFQDNs: [{ matchName: '*.example.com' }] }] })],
    ['a rule without a destination', spec({ egress: [{}] })],
  ])('%s', (_, object) => expect(faultsOfCiliumPolicy(object)).not.toEqual([]));
});

test('the check finds nothing wrong with a generated policy', () => {
  for (const input of [{}, POLICIES['a cache for DNS'] ?? {}]) {
    const { objects, links } = generate({ ...CILIUM, ...input });
    const { findings } = check({
      manifests: [{ name: 'pool.yaml', text: manifestsYaml(objects) }],
      workers: links.map(({ name, endpoint }) => `${name}=${endpoint}`),
    });
    expect(findings.filter(({ rule }) => /^DWM2(0[4-8]|24)$/.test(rule))).toEqual([]);
  }
});
