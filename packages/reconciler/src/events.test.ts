import type { RunnerJob } from '@rungar/model';
import { expect, test } from 'vitest';
import { jobStartedEvent } from './events.js';

const AT = { runner: 'vm-0000000a', scaleSet: 'vm', provider: 'rack-a' };
const JOB: RunnerJob = {
  id: 'j1',
  repository: 'acme/web',
  workflowRef: '',
  displayName: 'build (linux)',
  workflowRunId: 77,
  queuedAt: Date.UTC(2027, 0, 4, 9, 0, 0),
  assignedAt: Date.UTC(2027, 0, 4, 9, 0, 1),
  startedAt: Date.UTC(2027, 0, 4, 9, 0, 21),
};

test('a job that starts is told with its name and its way there', () => {
  expect(jobStartedEvent(AT, JOB, { waitMs: 21_000, runnerWaitMs: 20_000 })).toEqual({
    name: 'vm-0000000a',
    action: 'job_started',
    scaleSet: 'vm',
    provider: 'rack-a',
    message: 'Took job build (linux) of acme/web, which had waited 21s',
    attributes: {
      job_id: 'j1',
      job_name: 'build (linux)',
      repository: 'acme/web',
      workflow_run_id: '77',
      wait: '21s',
      runner_wait: '20s',
      queued: '2027-01-04T09:00:00.000Z',
      assigned: '2027-01-04T09:00:01.000Z',
      started: '2027-01-04T09:00:21.000Z',
    },
  });
});

test('what GitHub did not tell of a job is left out', () => {
  const { queuedAt: _, assignedAt: __, ...job } = { ...JOB, displayName: '', workflowRunId: 0 };
  expect(jobStartedEvent(AT, job, undefined)).toMatchObject({
    message: 'Took job j1 of acme/web',
    attributes: { job_id: 'j1', repository: 'acme/web' },
  });
  expect(Object.keys(jobStartedEvent(AT, job, undefined).attributes ?? {})).toEqual(['job_id', 'repository']);
});
