import { describe, expect, test } from 'vitest';
import { nodeStates, type PodObject } from './pods.js';
import { workloadOf } from './workloads.js';

const job = workloadOf({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name: 'p', namespace: 'release', annotations: { 'dispat.dev/nodes': 'w-{0..1}' } },
  spec: { completions: 2 },
});

function pod(index: number, status: PodObject['status'], more: Partial<PodObject['metadata']> = {}): PodObject {
  const annotations = { 'batch.kubernetes.io/job-completion-index': `${index}` };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: `p-${index}`, annotations, ...more },
    spec: { containers: [{ name: 'worker' }] },
    ...(status && { status }),
  };
}

const waiting = (reason: string, message = '') => ({
  phase: 'Pending',
  containerStatuses: [{ name: 'worker', state: { waiting: { reason, message } } }],
});

describe('the state of a node', () => {
  test.each<{ name: string; status: PodObject['status']; want: object }>([
    { name: 'a pod without a status is pending', status: undefined, want: { phase: 'pending' } },
    {
      name: 'an image that cannot be pulled',
      status: waiting('ImagePullBackOff', 'Back-off pulling image'),
      want: { phase: 'pending', reason: 'ImagePullBackOff', message: 'Back-off pulling image' },
    },
    {
      name: 'a Secret key that is missing',
      status: waiting('CreateContainerConfigError', "couldn't find key"),
      want: { phase: 'pending', reason: 'CreateContainerConfigError' },
    },
    {
      name: 'a container that keeps crashing has failed',
      status: waiting('CrashLoopBackOff'),
      want: { phase: 'failed' },
    },
    {
      name: 'a pod that runs but whose worker has not started yet is pending',
      status: { phase: 'Running', containerStatuses: [{ name: 'worker', started: false, state: { running: {} } }] },
      want: { phase: 'pending' },
    },
    {
      name: 'its worker has started',
      status: { phase: 'Running', containerStatuses: [{ name: 'worker', started: true, state: { running: {} } }] },
      want: { phase: 'running' },
    },
    {
      name: 'evicted',
      status: { phase: 'Failed', reason: 'Evicted', message: 'low on memory' },
      want: { phase: 'failed', reason: 'Evicted', message: 'low on memory' },
    },
  ])('$name', ({ status, want }) => {
    expect(nodeStates(job, [pod(0, status)])[0]).toMatchObject(want);
  });

  test('an index without a pod is absent, by name', () => {
    expect(nodeStates(job, [pod(0, { phase: 'Pending' })])[1]).toEqual({ node: 'w-1', index: 1, phase: 'absent' });
  });

  test('of two pods of one index the newer counts, and one that is being deleted counts least', () => {
    const old = pod(0, { phase: 'Failed' }, { name: 'old', creationTimestamp: '2027-01-04T09:00:00Z' });
    const young = pod(0, { phase: 'Pending' }, { name: 'young', creationTimestamp: '2027-01-04T09:01:00Z' });
    expect(nodeStates(job, [young, old])[0]).toMatchObject({ pod: 'young' });
    const leaving = { ...young, metadata: { ...young.metadata, deletionTimestamp: '2027-01-04T09:02:00Z' } };
    expect(nodeStates(job, [leaving, old])[0]).toMatchObject({ pod: 'old' });
  });

  test("a StatefulSet's pods are told apart by their label, else by their name", () => {
    const set = workloadOf({
      apiVersion: 'apps/v1',
      kind: 'StatefulSet',
      metadata: { name: 'p' },
      spec: { replicas: 2 },
    });
    const plain = (name: string, labels: Record<string, string>): PodObject => ({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, labels },
    });
    const pods = [plain('p-x', { 'apps.kubernetes.io/pod-index': '0' }), plain('p-1', {})];
    expect(nodeStates(set, pods).map(({ node, pod: name }) => [node, name])).toEqual([
      ['w-0', 'p-x'],
      ['w-1', 'p-1'],
    ]);
  });
});
