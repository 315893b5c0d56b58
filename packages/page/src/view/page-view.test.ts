import { describe, expect, test } from 'vitest';
import { event, NINE, provider, scaleSet, waitingJob } from '../../test/fake-source.js';
import { EventBook } from './event-book.js';
import { pageView } from './page-view.js';
import type { JobRow } from './view.js';

const SECOND = 1_000;
const at = (seconds: number): string => new Date(NINE + seconds * SECOND).toISOString();

/** A runner's way from its machine to its job, by default as one that was made for the job. */
const WAY = [
  event('created', 'vm-1', NINE + 4 * SECOND),
  event('connected', 'vm-1', NINE + 40 * SECOND),
  event('job_started', 'vm-1', NINE + 43 * SECOND, {
    ...{ job_id: 'j1', job_name: 'build', repository: 'acme/web', wait: '42s' },
    ...{ queued: at(0), assigned: at(1), started: at(42) },
  }),
];

function bookOf(events: readonly ReturnType<typeof event>[]): EventBook {
  const book = new EventBook();
  for (const one of events) book.take(one);
  return book;
}

function jobsOf(events: readonly ReturnType<typeof event>[], waiting = [scaleSet('vm')]): readonly JobRow[] {
  return pageView({ github: {}, scaleSets: waiting, providers: [] }, bookOf(events), NINE + 60 * SECOND).jobs.rows;
}

/** The steps in seconds after nine. */
const steps = (job: JobRow | undefined): readonly unknown[] =>
  (job?.steps ?? []).map(({ step, at: instant }) => [step, (instant - NINE) / SECOND]);

describe('the way of a job', () => {
  test('is put together from what happened to its runner and from what GitHub told', () => {
    const [job] = jobsOf(WAY);
    expect(job).toMatchObject({
      ...{ id: 'j1', name: 'build', repository: 'acme/web', scaleSet: 'vm', provider: 'rack', runner: 'vm-1' },
      ...{ state: 'running', fromReserve: false },
    });
    expect(steps(job)).toEqual([
      ['queued', 0],
      ['assigned', 1],
      ['machine', 4],
      ['connected', 40],
      ['started', 42],
    ]);
  });

  test('ends when GitHub says so, or with its runner', () => {
    const removed = { reason: 'job_completed', job_id: 'j1', result: 'succeeded', finished: at(50) };
    const [told] = jobsOf([...WAY, event('removed', 'vm-1', NINE + 55 * SECOND, removed)]);
    expect(told).toMatchObject({ state: 'done', result: 'succeeded' });
    expect(steps(told).at(-1)).toEqual(['finished', 50]);

    const [untold] = jobsOf([...WAY, event('removed', 'vm-1', NINE + 55 * SECOND, { reason: 'job_completed' })]);
    expect(untold).toMatchObject({ state: 'done', result: 'completed' });
    expect(steps(untold).at(-1)).toEqual(['finished', 55]);

    const [lost] = jobsOf([...WAY, event('lost', 'vm-1', NINE + 55 * SECOND, { reason: 'unreachable' })]);
    expect(lost).toMatchObject({ state: 'done', result: 'runner lost: unreachable' });
    const [stuck] = jobsOf([...WAY, event('removed', 'vm-1', NINE + 55 * SECOND, { reason: 'stuck' })]);
    expect(stuck).toMatchObject({ result: 'runner removed: stuck' });
  });

  test('does not hold what had happened to its runner before it was queued', () => {
    const reserve = [
      event('created', 'vm-1', NINE - 90 * SECOND),
      event('connected', 'vm-1', NINE - 50 * SECOND),
      ...WAY.slice(2),
    ];
    const [job] = jobsOf(reserve);
    expect(job?.fromReserve).toBe(true);
    expect(steps(job)).toEqual([
      ['queued', 0],
      ['assigned', 1],
      ['started', 42],
    ]);
  });

  test('never goes back in time where two clocks disagree', () => {
    const ahead = [WAY[0], event('connected', 'vm-1', NINE + 44 * SECOND), WAY[2]].filter((one) => one !== undefined);
    expect(steps(jobsOf(ahead)[0]).slice(-2)).toEqual([
      ['connected', 44],
      ['started', 44],
    ]);
  });

  test('is of its latest runner when it was started twice', () => {
    const again = [
      ...WAY,
      event('job_started', 'vm-2', NINE + 50 * SECOND, { job_id: 'j1', repository: 'acme/web', started: at(50) }),
      event('removed', 'vm-1', NINE + 55 * SECOND, { reason: 'stuck' }),
    ];
    expect(jobsOf(again)).toMatchObject([{ id: 'j1', name: 'j1', runner: 'vm-2', state: 'running' }]);
  });

  test('is shown while it waits, the longest wait first, and before those that have started', () => {
    const queued = (id: string, seconds: number) =>
      waitingJob(id, { displayName: `lint ${id}`, queuedAt: NINE + seconds * SECOND });
    const sets = [
      scaleSet('vm', { waitingJobs: [queued('j3', 30), waitingJob('j1'), waitingJob('j4')] }),
      scaleSet('gpu', { waitingJobs: [queued('j2', 20)] }),
    ];
    const rows = jobsOf(WAY, sets);
    expect(rows.map(({ id, state }) => [id, state])).toEqual([
      ['j2', 'waiting'],
      ['j3', 'waiting'],
      ['j4', 'waiting'],
      ['j1', 'running'],
    ]);
    expect(rows[0]).toMatchObject({ name: 'lint j2', repository: 'acme/web', scaleSet: 'gpu' });
    expect(steps(rows[0])).toEqual([['queued', 20]]);
  });

  test('is told of as many jobs as a page can show, and how many there are beside', () => {
    const many = Array.from({ length: 130 }, (_, n) =>
      event('job_started', `vm-${n}`, NINE + n, { job_id: `s${n}`, repository: 'acme/web' }),
    );
    const waitingJobs = Array.from({ length: 70 }, (_, n) => waitingJob(`w${n}`, { queuedAt: NINE + n }));
    const status = { github: {}, scaleSets: [scaleSet('vm', { waitingJobs })], providers: [] };
    const { rows, moreWaiting, moreStarted } = pageView(status, bookOf(many), NINE).jobs;
    expect([rows.length, rows[0]?.id, rows[50]?.id, rows[149]?.id]).toEqual([150, 'w0', 's129', 's30']);
    expect([moreWaiting, moreStarted]).toEqual([20, 30]);
  });
});

test('the fleet is a grid with the runners of each scale set on each provider', () => {
  const sets = [
    scaleSet('vm', {
      providers: ['rack', 'cloud'],
      counts: { starting: 1, idle: 2, busy: 4 },
      countsByProvider: { rack: { starting: 0, idle: 2, busy: 3 }, old: { starting: 1, idle: 0, busy: 1 } },
      ...{ desired: 7, minRunners: 2, creating: 1, suspects: 1, waitingJobs: [waitingJob('j')] },
    }),
    scaleSet('gpu', {
      ...{ providers: ['cloud'], counts: { starting: 0, idle: 0, busy: 1 }, paused: true },
      countsByProvider: { cloud: { starting: 0, idle: 0, busy: 1 } },
      holdingBackReason: 'gpu leaves rack to vm',
    }),
    {
      ...scaleSet('new', { phase: 'failed', phaseReason: 'GitHub says no', retryAt: NINE + 1_400 }),
      counts: undefined,
    },
  ].map(({ counts, ...rest }) => ({ ...rest, ...(counts && { counts }) }));
  const { fleet } = pageView(
    { github: {}, scaleSets: sets, providers: [provider('rack'), provider('cloud')] },
    new EventBook(),
    NINE,
  );
  const none = { starting: 0, idle: 0, busy: 0 };
  expect(fleet.providers).toEqual(['rack', 'cloud', 'old']);
  expect(fleet.rows.map(({ cells }) => cells)).toEqual([
    [{ starting: 0, idle: 2, busy: 3 }, none, { starting: 1, idle: 0, busy: 1 }],
    [null, { starting: 0, idle: 0, busy: 1 }, null],
    [none, null, null],
  ]);
  expect(fleet.rows[0]).toMatchObject({
    desired: 7,
    minRunners: 2,
    creating: 1,
    suspects: 1,
    waitingJobs: 1,
    notes: [],
  });
  expect(fleet.rows[1]).toMatchObject({ paused: true, notes: ['gpu leaves rack to vm'] });
  expect(fleet.rows[2]).toMatchObject({ phase: 'failed', notes: ['GitHub says no'], retryAt: NINE + 1_000 });
  expect(fleet.rows[2]).not.toHaveProperty('total');
  expect(fleet).toMatchObject({ total: { starting: 1, idle: 2, busy: 5 }, waitingJobs: 1 });
});

describe('a provider', () => {
  const rowOf = (more: Parameters<typeof provider>[1]) =>
    pageView({ github: {}, scaleSets: [], providers: [provider('rack', more)] }, new EventBook(), NINE).providers[0];

  test('is well where nothing is wrong, whatever it once refused', () => {
    const calm = { scaleSet: 'vm', refusals: 0, refusal: 'no room', full: true };
    expect(rowOf({ runnerCount: 3, maxRunners: 5, scaleSets: [calm] })).toEqual({
      ...{ name: 'rack', type: 'dicer', endpoint: 'unix:///run/rack.sock', health: 'well' },
      ...{ runners: 3, maxRunners: 5, machineHours: 0, troubles: [] },
    });
  });

  test.each([
    [
      { reachable: false, error: 'no answer' },
      'unreachable',
      [{ kind: 'unreachable', text: 'Cannot be reached: no answer' }],
    ],
    [
      { disabled: true, sameBackendAs: 'rack-0' },
      'disabled',
      [{ kind: 'duplicate', text: 'Leads to the same backend as rack-0, which is used instead' }],
    ],
    [
      {
        github: {},
        scaleSets: [{ scaleSet: 'vm', backoffForMs: 30_400, refusals: 1, refusal: 'no hosts', full: true }],
      },
      'troubled',
      [{ kind: 'full', text: 'Has no room for vm: no hosts', until: NINE + 30_000 }],
    ],
    [
      {
        github: {},
        scaleSets: [{ scaleSet: 'vm', backoffForMs: 60_000, refusals: 3, refusal: 'bad image', full: false }],
      },
      'troubled',
      [{ kind: 'failing', text: 'Refused vm, 3 times in a row: bad image', until: NINE + 60_000 }],
    ],
    [
      { slowed: [{ scaleSet: 'vm', why: '2 runners ended', nextTryInMs: 5_000 }] },
      'troubled',
      [{ kind: 'slowed', text: 'vm creates slowly here: 2 runners ended', until: NINE + 5_000 }],
    ],
    [
      { undeletable: [{ runner: 'vm-1', attempts: 1, error: 'locked' }] },
      'troubled',
      [{ kind: 'undeletable', text: 'The machine of vm-1 could not be deleted at 1 attempt: locked' }],
    ],
    [
      { hold: { scaleSet: 'gpu', remainingMs: 9_000 } },
      'well',
      [{ kind: 'held', text: 'Kept for gpu, which waits for room', until: NINE + 9_000 }],
    ],
  ] as const)('with %o is %s', (more, health, troubles) => {
    expect(rowOf(more)).toMatchObject({ health, troubles });
  });
});

test('events are the latest, and those that somebody may want to know of are marked', () => {
  const all = [
    ...Array.from({ length: 500 }, (_, n) => event('created', `vm-${n}`, NINE + n)),
    event('removed', 'vm-1', NINE + 600, { reason: 'job_completed' }),
    event('removed', 'vm-2', NINE + 601, { reason: 'never_connected' }),
    event('full', 'rack', NINE + 602),
  ];
  const { events } = pageView({ github: {}, scaleSets: [], providers: [] }, bookOf(all), NINE);
  expect(events).toHaveLength(200);
  expect(events.slice(-4).map(({ name, bad }) => [name, bad])).toEqual([
    ['vm-499', false],
    ['vm-1', false],
    ['vm-2', true],
    ['rack', true],
  ]);
  expect(events.at(-1)).toEqual({
    ...{ time: NINE + 602, kind: 'provider', action: 'full', name: 'rack', message: 'rack full', bad: true },
  });
});

describe('how the daemon stands', () => {
  const facts = (roles: readonly ('lead' | 'follower' | 'standby')[]) => ({
    github: { rateLimit: { limit: 5000, remaining: 100, resetsAt: NINE + 1_499 }, tokenEndsAt: NINE + 600 },
    scaleSets: roles.map((role, n) => scaleSet(`set-${n}`, { role, machineHours: 1.26 })),
    providers: [],
  });

  test('is told by whole seconds and tenths of hours, so that it does not change all the time', () => {
    expect(pageView(facts(['lead', 'follower']), bookOf([]), NINE).daemon).toEqual({
      role: 'active',
      machineHours: 2.5,
      rateLimit: { limit: 5000, remaining: 100, resetsAt: NINE + SECOND },
      tokenEndsAt: NINE + SECOND,
    });
  });

  test('is on standby where another daemon has every session', () => {
    expect(pageView(facts(['standby', 'standby']), bookOf([]), NINE).daemon.role).toBe('standby');
    expect(pageView(facts([]), bookOf([]), NINE).daemon.role).toBe('active');
  });

  test('has the reasons of what was paused and disabled by hand, and versions that end soon', () => {
    const until = NINE + 90 * SECOND;
    const DAY = 86_400 * SECOND;
    const view = pageView(
      {
        github: {},
        scaleSets: [
          scaleSet('vm', {
            ...{ paused: true, pause: { reason: 'new image', until } },
            versions: [
              { version: '2.320.0', refused: true },
              { version: '2.335.1', endsAt: NINE + 5 * DAY, refused: false },
              { version: '2.336.0', endsAt: NINE + 20 * DAY, refused: false },
              { version: '2.337.0', refused: false },
            ],
          }),
        ],
        providers: [
          provider('rack', { disabled: true, disabling: { reason: 'disk', until }, machineHours: 3.14 }),
          provider('attic', { disabled: true, disabling: {} }),
          provider('cellar', { disabled: true }),
        ],
      },
      bookOf([]),
      NINE,
    );
    expect(view.fleet.rows[0]).toMatchObject({
      pausedUntil: until,
      notes: [
        'Paused: new image',
        'GitHub gives no jobs to version 2.320.0 of the runner program',
        'GitHub gives no jobs to version 2.335.1 of the runner program from 2027-01-09 on',
      ],
    });
    expect(view.providers.map(({ health, machineHours, troubles }) => ({ health, machineHours, troubles }))).toEqual([
      {
        health: 'disabled',
        machineHours: 3.1,
        troubles: [{ kind: 'disabled', text: 'Disabled by hand: disk', until }],
      },
      { health: 'disabled', machineHours: 0, troubles: [{ kind: 'disabled', text: 'Disabled by hand' }] },
      { health: 'disabled', machineHours: 0, troubles: [] },
    ]);
  });
});
