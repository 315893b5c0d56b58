import { expect, test } from 'vitest';
import { preemptibleMarks } from './preemptible.js';

const required = (key: string, operator: string, values?: string[]): unknown => ({
  nodeAffinity: {
    requiredDuringSchedulingIgnoredDuringExecution: {
      nodeSelectorTerms: [{ matchExpressions: [{ key, operator, ...(values && { values }) }] }],
    },
  },
});

const preferred = (key: string, operator: string, values: string[]): unknown => ({
  nodeAffinity: {
    preferredDuringSchedulingIgnoredDuringExecution: [
      { weight: 1, preference: { matchExpressions: [{ key, operator, values }] } },
    ],
  },
});

test.each<[string, Parameters<typeof preemptibleMarks>[0], string[]]>([
  [
    'a selector of any value',
    { nodeSelector: { 'cloud.google.com/gke-spot': 'true' } },
    ['selects cloud.google.com/gke-spot=true'],
  ],
  [
    'a selector that says no',
    { nodeSelector: { 'cloud.google.com/gke-spot': 'false' } },
    ['excludes cloud.google.com/gke-spot=false'],
  ],
  [
    'a selector by value',
    { nodeSelector: { 'eks.amazonaws.com/capacityType': 'SPOT' } },
    ['selects eks.amazonaws.com/capacityType=SPOT'],
  ],
  [
    'the same key with the other value',
    { nodeSelector: { 'eks.amazonaws.com/capacityType': 'ON_DEMAND' } },
    ['excludes eks.amazonaws.com/capacityType=ON_DEMAND'],
  ],
  ['another label', { nodeSelector: { pool: 'release' } }, []],
  [
    'a required affinity',
    { affinity: required('karpenter.sh/capacity-type', 'In', ['spot', 'on-demand']) },
    ['selects karpenter.sh/capacity-type=spot,on-demand'],
  ],
  [
    'a required affinity for the others',
    { affinity: required('karpenter.sh/capacity-type', 'In', ['on-demand']) },
    ['excludes karpenter.sh/capacity-type=on-demand'],
  ],
  [
    'an exclusion by value',
    { affinity: required('karpenter.sh/capacity-type', 'NotIn', ['spot']) },
    ['excludes karpenter.sh/capacity-type=spot'],
  ],
  [
    'an exclusion by key',
    { affinity: required('cloud.google.com/gke-spot', 'DoesNotExist') },
    ['excludes cloud.google.com/gke-spot'],
  ],
  [
    'a key that must be there',
    { affinity: required('node-role.kubernetes.io/spot', 'Exists') },
    ['selects node-role.kubernetes.io/spot'],
  ],
  ['a preferred affinity', { affinity: preferred('lifecycle', 'In', ['Ec2Spot']) }, ['selects lifecycle=Ec2Spot']],
  [
    'a toleration of the value',
    { tolerations: [{ key: 'kubernetes.azure.com/scalesetpriority', operator: 'Equal', value: 'spot' }] },
    ['permits kubernetes.azure.com/scalesetpriority=spot'],
  ],
  [
    'a toleration of any value',
    { tolerations: [{ key: 'cloud.google.com/gke-preemptible', operator: 'Exists' }] },
    ['permits cloud.google.com/gke-preemptible'],
  ],
  ['a toleration of something else', { tolerations: [{ key: 'dedicated', operator: 'Exists' }] }, []],
  ['nothing at all', {}, []],
])('%s', (_, spec, want) => {
  expect(preemptibleMarks(spec).map(({ effect, label }) => `${effect} ${label}`)).toEqual(want);
});

test('knows labels that it is told of', () => {
  const marks = preemptibleMarks({ nodeSelector: { cheap: 'yes', rack: '7' } }, ['cheap=yes', 'rack']);
  expect(marks.map(({ label }) => label)).toEqual(['cheap=yes', 'rack=7']);
});
