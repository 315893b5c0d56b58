import { describe, expect, test } from 'vitest';
import { parseBody } from './body.js';
import { decodeFault } from './fault.js';
import { decodeAcquirable, decodePolled } from './job-message.js';
import { instantOf, member } from './read.js';
import { decodeJitConfig, decodeRunnerPage } from './runner.js';
import { decodeScaleSet, encodeScaleSet } from './scale-set.js';
import { decodeSession } from './session.js';
import { decodeConnection, decodeToken } from './token.js';

describe('bodies', () => {
  test('a byte order mark before JSON is not content', () => {
    expect(parseBody('\uFEFF{"a":1}')).toEqual({ a: 1 });
    expect(parseBody('\uFEFF')).toBe('');
  });

  test('what is no JSON stays text', () => {
    expect(parseBody('no such thing')).toBe('no such thing');
  });
});

describe('members', () => {
  test('are found in any case, the very spelling first', () => {
    expect(member({ RunnerSetting: 1 }, 'runnerSetting')).toBe(1);
    expect(member({ TOKEN: 'a', token: 'b' }, 'token')).toBe('b');
    expect(member({ token2: 'a' }, 'token')).toBeUndefined();
  });

  test.each([
    ['2027-03-01T10:00:00.1234567Z', Date.UTC(2027, 2, 1, 10, 0, 0, 123)],
    ['2027-03-01T12:00:00+02:00', Date.UTC(2027, 2, 1, 10)],
    ['0001-01-01T00:00:00Z', undefined],
    ['', undefined],
    ['soon', undefined],
  ])('the time "%s"', (text, instant) => {
    expect(instantOf({ at: text }, 'at')).toBe(instant);
  });
});

describe('errors of the services', () => {
  test.each([
    ['JSON of the Actions service', { typeName: 'A.B, A', message: 'no' }, { typeName: 'A.B, A', message: 'no' }],
    ['JSON in other letters', { TypeName: 'A.B', Message: 'no' }, { typeName: 'A.B', message: 'no' }],
    ['JSON of the REST API', { message: 'Bad credentials' }, { typeName: '', message: 'Bad credentials' }],
    ['plain text', 'upstream\n  is down\n', { typeName: '', message: 'upstream is down' }],
    [
      'a page with a title',
      '<html><head><title>502 Bad Gateway</title></head></html>',
      { typeName: '', message: '502 Bad Gateway' },
    ],
    ['a page without one', '<h1>Oops</h1><style>p{}</style><p>gone</p>', { typeName: '', message: 'Oops gone' }],
    ['nothing', '', { typeName: '', message: '' }],
    ['a list', [1], { typeName: '', message: '' }],
  ])('%s', (_, body, want) => {
    expect(decodeFault(body)).toEqual(want);
  });

  test.each(['<title', '<script', '<', ' '])(
    'a page of a million letters, %j over and over, is read at once',
    (part) => {
      // Searched whole, it would take minutes.
      const page = `<h1>Bad gateway</h1>${part.repeat(1_000_000 / part.length)}`;
      expect(decodeFault(page).message).toMatch(/^Bad gateway/);
    },
  );

  test('a long text is cut', () => {
    expect(decodeFault('x'.repeat(2_000)).message).toHaveLength(515);
  });
});

describe('scale sets', () => {
  test('are read whatever the case of their members, without a zero time', () => {
    expect(
      decodeScaleSet({
        ID: 7,
        Name: 'linux',
        runnerGroupId: 1,
        runnerGroupName: 'Default',
        Labels: [{ type: 'System', name: 'linux' }, { Type: 'System', Name: 'x64' }, { type: 'System' }],
        createdOn: '0001-01-01T00:00:00Z',
        statistics: { totalAvailableJobs: 1, TotalAssignedJobs: 5, totalRunningJobs: -3 },
      }),
    ).toEqual({
      id: 7,
      name: 'linux',
      runnerGroupId: 1,
      runnerGroupName: 'Default',
      labels: ['linux', 'x64'],
      statistics: {
        availableJobs: 1,
        acquiredJobs: 0,
        assignedJobs: 5,
        runningJobs: 0,
        registeredRunners: 0,
        busyRunners: 0,
        idleRunners: 0,
      },
    });
  });

  test('null is none', () => {
    expect(decodeScaleSet(null)).toBeUndefined();
  });

  test('are sent with system labels and without updates of the runner', () => {
    expect(encodeScaleSet('linux', 3, ['linux', 'gpu'])).toEqual({
      name: 'linux',
      runnerGroupId: 3,
      labels: [
        { type: 'System', name: 'linux' },
        { type: 'System', name: 'gpu' },
      ],
      RunnerSetting: { disableUpdate: true },
    });
  });
});

describe('sessions and tokens', () => {
  test('a nil session id is none', () => {
    expect(decodeSession({ sessionId: '00000000-0000-0000-0000-000000000000' }).id).toBe('');
  });

  test('a connection takes its expiry from the token, unsigned as it may be', () => {
    const token = `eyJhbGciOiJub25lIn0.${Buffer.from('{"exp":1800000000}').toString('base64url')}.`;
    expect(decodeConnection({ url: 'https://example.com/rest/', token })).toEqual({
      url: 'https://example.com/rest/',
      token,
      expiresAt: 1_800_000_000_000,
    });
  });

  test.each([
    ['no expiry', { url: 'https://example.com/', token: 'a.e30.' }],
    ['no JWT', { url: 'https://example.com/', token: 'opaque' }],
    ['no address', { token: 'a.eyJleHAiOjE4MDAwMDAwMDB9.' }],
    ['nothing', ''],
  ])('a connection with %s is none', (_, body) => {
    expect(decodeConnection(body)).toBeUndefined();
  });

  test('a token without an expiry is a token', () => {
    expect(decodeToken({ token: 't' })).toEqual({ token: 't' });
    expect(decodeToken({ token: '' })).toBeUndefined();
  });
});

describe('runners', () => {
  test('a JIT configuration needs its runner and its text', () => {
    const runner = { id: 3, name: 'linux-1', runnerScaleSetId: 7 };
    expect(decodeJitConfig({ Runner: runner, encodedJitConfig: 'abc' })).toEqual({
      runner: { id: 3, name: 'linux-1', scaleSetId: 7 },
      encoded: 'abc',
    });
    expect(decodeJitConfig({ runner })).toBeUndefined();
    expect(decodeJitConfig({ encodedJITConfig: 'abc' })).toBeUndefined();
  });

  test('a busy runner is busy whatever its connection, others are idle or offline', () => {
    expect(
      decodeRunnerPage({
        total_count: 3,
        runners: [
          { id: 1, name: 'a', status: 'offline', busy: true },
          { id: 2, name: 'b', status: 'online', busy: false },
          { id: 3, name: 'c', status: 'offline' },
        ],
      }),
    ).toEqual([
      { id: 1, name: 'a', status: 'busy' },
      { id: 2, name: 'b', status: 'idle' },
      { id: 3, name: 'c', status: 'offline' },
    ]);
    expect(decodeRunnerPage({ message: 'no' })).toBeUndefined();
  });
});

describe('messages', () => {
  const envelope = (jobs: unknown, more: object = {}): object => ({
    messageId: 41,
    messageType: 'RunnerScaleSetJobMessages',
    body: typeof jobs === 'string' ? jobs : JSON.stringify(jobs),
    ...more,
  });

  test('jobs are sorted by kind, and unknown kinds named once', () => {
    const polled = decodePolled(
      envelope([
        { messageType: 'JobCompleted', jobId: 'j1', result: 'canceled', runnerName: '', runnerId: 0 },
        { messageType: 'JobSkipped' },
        { messageType: 'JobSkipped' },
        null,
        {
          messageType: 'JobStarted',
          jobId: 'j2',
          ownerName: 'acme',
          repositoryName: 'web',
          jobWorkflowRef: 'acme/web/.github/workflows/ci.yml@refs/heads/main',
          jobDisplayName: 'build',
          workflowRunId: 99,
          eventName: 'push',
          requestLabels: ['linux'],
          queueTime: '2027-03-01T10:00:00Z',
          scaleSetAssignTime: '2027-03-01T10:00:01Z',
          runnerAssignTime: '2027-03-01T10:00:20Z',
          finishTime: '0001-01-01T00:00:00Z',
          runnerId: 12,
          runnerName: 'linux-0a0b0c0d',
        },
      ]),
    );
    expect(polled).toMatchObject({
      kind: 'jobs',
      message: { id: 41, available: [], assigned: [], unknownKinds: ['JobSkipped', ''] },
    });
    if (polled.kind !== 'jobs') throw new Error('not a message of jobs');
    expect(polled.message.completed).toMatchObject([{ jobId: 'j1', result: 'canceled', runnerName: '' }]);
    expect(polled.message.started).toEqual([
      {
        jobId: 'j2',
        runnerRequestId: 0,
        owner: 'acme',
        repository: 'web',
        workflowRef: 'acme/web/.github/workflows/ci.yml@refs/heads/main',
        displayName: 'build',
        workflowRunId: 99,
        eventName: 'push',
        requestLabels: ['linux'],
        queuedAt: Date.UTC(2027, 2, 1, 10, 0, 0),
        assignedAt: Date.UTC(2027, 2, 1, 10, 0, 1),
        takenAt: Date.UTC(2027, 2, 1, 10, 0, 20),
        runnerId: 12,
        runnerName: 'linux-0a0b0c0d',
      },
    ]);
  });

  test.each([
    ['an empty answer', ''],
    ['null', null],
    ['a message without an id', { messageType: 'RunnerScaleSetJobMessages' }],
  ])('%s is no message', (_, body) => {
    expect(decodePolled(body)).toEqual({ kind: 'empty' });
  });

  test('an empty body has no jobs, and statistics may be missing', () => {
    expect(decodePolled(envelope('', { statistics: null }))).toEqual({
      kind: 'jobs',
      message: { id: 41, available: [], assigned: [], started: [], completed: [], unknownKinds: [] },
    });
  });

  test('another type of message, and a body that is no list, are strange', () => {
    expect(decodePolled(envelope([], { messageType: 'Other' }))).toMatchObject({ kind: 'strange', id: 41 });
    expect(decodePolled(envelope('{"a":', { statistics: { totalAssignedJobs: 2 } }))).toMatchObject({
      kind: 'strange',
      id: 41,
      statistics: { assignedJobs: 2 },
    });
  });

  test('acquirable jobs are named by their request', () => {
    expect(decodeAcquirable({ count: 2, value: [{ runnerRequestId: 17 }, { RunnerRequestId: 18 }, {}] })).toEqual([
      17, 18,
    ]);
  });
});
