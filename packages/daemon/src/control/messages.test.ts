import { create, toJson } from '@bufbuild/protobuf';
import { DurationSchema, TimestampSchema } from '@bufbuild/protobuf/wkt';
import { EVENT_ACTIONS, type EventAction } from '@rungar/model';
import type { ProviderStatus } from '@rungar/reconciler';
import { describe, expect, test } from 'vitest';
import { EventSchema, ProviderSchema, RunnerSchema, ScaleSetSchema } from '../../gen/rungar/v1/rungar_pb.js';
import { providerStatus, runnerView, scaleSetStatus } from '../../test/fake-reconciler.js';
import {
  fromTimestamp,
  type ProviderListing,
  toDuration,
  toEvent,
  toProvider,
  toRunner,
  toScaleSet,
  toTimestamp,
} from './messages.js';

const options = { useProtoFieldName: true };
const NOON = Date.UTC(2027, 1, 3, 12, 0, 0);

test('a scale set carries its status, its schedule and when a failed phase is tried again', () => {
  const status = scaleSetStatus('birch-s', {
    labels: ['birch-s', 'quick'],
    providers: ['rack-a', 'rack-b'],
    placement: 'pack',
    minRunners: 1,
    configuredMinRunners: 2,
    maxRunners: 12,
    priority: 5,
    runnerGroup: 'Builders',
    phase: 'failed',
    phaseReason: 'there is no runner group "Builders"',
    phaseSince: NOON,
    retryAt: NOON + 60_000,
    paused: true,
    desired: 3,
    counts: { starting: 0, idle: 2, busy: 1 },
    creating: 4,
    suspects: 1,
    assignedJobs: 2,
    waitingJobs: [
      {
        ...{
          jobId: 'j1',
          runnerRequestId: 0,
          owner: 'fernhill',
          repository: 'site',
          workflowRef: '',
          displayName: 'unit',
        },
        ...{ workflowRunId: 9001, eventName: 'push', requestLabels: ['birch-s'], queuedAt: NOON },
      },
    ],
    holdingBackReason: 'leaves rack-b to birch-rel',
    schedule: {
      timeZone: 'Europe/Oslo',
      windows: [{ days: 'mon-fri', from: '07:00', to: '18:00', minRunners: 1, inForce: true }],
    },
  });
  const message = create(ScaleSetSchema, toScaleSet(status, { fleetRunners: 3 }));
  expect(toJson(ScaleSetSchema, message, options)).toEqual({
    name: 'birch-s',
    configured: true,
    role: 'lead',
    labels: ['birch-s', 'quick'],
    providers: ['rack-a', 'rack-b'],
    placement: 'pack',
    runner_sizes: [{ provider: 'rack-a', description: '2 vCPU, 4 GiB' }],
    min_runners: 1,
    configured_min_runners: 2,
    max_runners: 12,
    priority: 5,
    runner_group: 'Builders',
    runs_on: 'birch-s',
    phase: 'SCALE_SET_PHASE_FAILED',
    state_reason: 'there is no runner group "Builders"',
    state_since: '2027-02-03T12:00:00Z',
    retry_at: '2027-02-03T12:01:00Z',
    paused: true,
    desired_runners: 3,
    runner_counts: { idle: 2, busy: 1 },
    creating_runners: 4,
    suspect_runners: 1,
    assigned_jobs: 2,
    waiting_jobs: [{ id: 'j1', repository: 'fernhill/site', display_name: 'unit', queue_time: '2027-02-03T12:00:00Z' }],
    holding_back_reason: 'leaves rack-b to birch-rel',
    fleet_runners: 3,
    schedule: {
      time_zone: 'Europe/Oslo',
      windows: [{ days: 'mon-fri', from: '07:00', to: '18:00', min_runners: 1, in_force: true }],
    },
  });
});

test('a scale set that listens says which runners wait to be replaced, and why', () => {
  const waiting = [
    { runner: 'birch-s-1', why: 'no provider has room' },
    { runner: 'birch-s-2', why: 'one at a time' },
  ];
  expect(toScaleSet(scaleSetStatus('birch-s', { waiting }), {})).toMatchObject({
    stateReason: 'birch-s-1 (and 1 more) is to be replaced: no provider has room',
  });
});

describe('a provider', () => {
  const json = (status: ProviderStatus, listing: ProviderListing) =>
    toJson(ProviderSchema, create(ProviderSchema, toProvider(status, listing, NOON)), options);

  test('carries its back-offs, its hold and what was found there', () => {
    const status = providerStatus('rack-a', {
      endpoint: 'aws:eu-central-1',
      weight: 0.5,
      maxRunners: 16,
      disabled: true,
      runnerCount: 9,
      hold: { scaleSet: 'birch-rel', priority: 5, remainingMs: 48_000 },
      scaleSets: [
        { scaleSet: 'birch-s', backoffForMs: 22_500, refusals: 2, refusal: 'no room', full: true },
        { scaleSet: 'birch-xl', refusals: 0, refusal: '', full: false },
      ],
      slowed: [
        { scaleSet: 'birch-s', why: 'three runners never connected', nextTryInMs: 30_000 },
        { scaleSet: 'birch-xl', why: 'four runners never connected', nextTryInMs: 20_000 },
      ],
      undeletable: [
        { runner: 'birch-s-1', attempts: 5, error: 'locked' },
        { runner: 'birch-s-2', attempts: 1, error: 'locked' },
      ],
    });
    expect(json(status, { runnerCount: 3 })).toEqual({
      name: 'rack-a',
      type: 'aws',
      endpoint: 'aws:eu-central-1',
      weight: 0.5,
      max_runners: 16,
      disabled: true,
      reachable: true,
      runner_count: 3,
      hold: { scale_set: 'birch-rel', priority: 5, remaining: '48s' },
      scale_sets: [
        { scale_set: 'birch-s', backoff_for: '22.500s', refusals: 2, refusal: 'no room', full: true },
        { scale_set: 'birch-xl' },
      ],
      state_reason:
        'birch-s creates slowly here: three runners never connected; birch-xl creates slowly here: four runners never connected; birch-s-1 (and 1 more) could not be deleted in 5 attempts: locked',
      retry_at: '2027-02-03T12:00:20Z',
    });
  });

  test('that is the same backend as an earlier one says so', () => {
    const status = providerStatus('rack-b', { disabled: true, sameBackendAs: 'rack-a' });
    expect(json(status, { runnerCount: 0 })).toMatchObject({
      disabled: true,
      state_reason: 'is the same backend as rack-a and not used: take one of the two out of the configuration',
    });
  });

  test('that cannot be listed says why, and keeps what is counted there', () => {
    const status = providerStatus('rack-a', { runnerCount: 9 });
    expect(json(status, { runnerCount: 0, error: 'timed out' })).toMatchObject({ error: 'timed out', runner_count: 9 });
    expect(json(status, { runnerCount: 0, error: 'timed out' })).not.toHaveProperty('reachable');
  });
});

test('a runner carries its job, and leaves out what is not known', () => {
  const job = {
    id: 'j-1',
    repository: 'fernhill/site',
    workflowRef: 'fernhill/site/.github/workflows/ci.yml@refs/heads/main',
    displayName: 'unit tests',
    workflowRunId: 9001,
    startedAt: NOON,
  };
  const view = runnerView('r-1', {
    state: 'busy',
    machineState: 'unknown',
    githubStatus: 'offline',
    createdAt: NOON,
    job,
  });
  const json = (from: typeof view) => toJson(RunnerSchema, create(RunnerSchema, toRunner(from)), options);
  expect(json(view)).toEqual({
    name: 'r-1',
    scale_set: 'birch-s',
    provider: 'rack-a',
    state: 'RUNNER_STATE_BUSY',
    github_status: 'RUNNER_GITHUB_STATUS_OFFLINE',
    create_time: '2027-02-03T12:00:00Z',
    job: {
      id: 'j-1',
      repository: 'fernhill/site',
      workflow_ref: 'fernhill/site/.github/workflows/ci.yml@refs/heads/main',
      display_name: 'unit tests',
      workflow_run_id: '9001',
      start_time: '2027-02-03T12:00:00Z',
    },
  });
  expect(json(runnerView('r-2'))).toEqual({ name: 'r-2', scale_set: 'birch-s', provider: 'rack-a' });
});

test.each(Object.entries(EVENT_ACTIONS))('the event %s has its own word on the wire', (action, kind) => {
  const event = toEvent({ time: NOON, kind, name: 'x', action: action as EventAction, attributes: { a: 'b' } });
  expect(toJson(EventSchema, create(EventSchema, event), options)).toEqual({
    time: '2027-02-03T12:00:00Z',
    kind: `EVENT_KIND_${kind.toUpperCase()}`,
    name: 'x',
    action: `EVENT_ACTION_${action.toUpperCase()}`,
    attributes: { a: 'b' },
  });
});

test.each([
  [NOON, '2027-02-03T12:00:00Z'],
  [NOON + 120.5, '2027-02-03T12:00:00.120500Z'],
  [NOON + 999.9999, '2027-02-03T12:00:01Z'],
  [-250, '1969-12-31T23:59:59.750Z'],
])('the instant %d is %s and back', (ms, text) => {
  expect(toJson(TimestampSchema, toTimestamp(ms))).toBe(text);
  expect(fromTimestamp(toTimestamp(ms))).toBeCloseTo(ms, 2);
});

test.each([
  [0, '0s'],
  [1_500, '1.500s'],
  [999.9999, '1s'],
])('the duration %d is %s', (ms, text) => expect(toJson(DurationSchema, toDuration(ms))).toBe(text));
