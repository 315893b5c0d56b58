import type { GitHubStatus } from '@rungar/model';
import { describe, expect, test } from 'vitest';
import { aFleet, aLeaving, aMemory, aRunner, aSeenMachine, HOUR, MINUTE, NOW, named } from '../../test/facts.js';
import { policy } from '../../test/world.js';
import type { LookUp, Memory, Replacement, RunnerFacts, SeenFleet, SeenGitHub } from './facts.js';
import type { PassPlan, PlanItem } from './plan.js';
import { planPass } from './plan-pass.js';

const START = 5 * MINUTE;
const NAME = 'vm-00000001';
const vm = policy({
  providers: [{ name: 'a', spec: {}, revision: 'current', size: 'small' }],
  startTimeoutMs: START,
  maxRunners: 3,
});

interface World {
  fleet?: SeenFleet;
  /** Absent: not asked. `silent`: no answer. */
  github?: Record<string, Exclude<GitHubStatus, 'not_registered'>> | 'silent';
  pages?: number;
  githubAt?: number;
  lookUps?: Record<string, { at?: number; scaleSetId?: number }>;
  memory?: Partial<Memory>;
  maxRunners?: number;
}

function plan({
  fleet = aFleet([]),
  github,
  pages = 1,
  githubAt = NOW,
  lookUps = {},
  memory = {},
  maxRunners = 3,
}: World): PassPlan {
  const seen: SeenGitHub = {
    asked: github !== undefined,
    ...(github !== undefined &&
      github !== 'silent' && {
        statuses: {
          begunAt: githubAt,
          pages,
          runners: new Map(Object.entries(github).map(([name, status]) => [name, { id: 1, status }])),
        },
      }),
    lookUps: new Map(
      Object.entries(lookUps).map<[string, LookUp]>(([name, { at = NOW, scaleSetId }]) => [
        name,
        { at, ...(scaleSetId !== undefined && { registration: { id: 7, name, scaleSetId } }) },
      ]),
    ),
  };
  return planPass(
    { policy: { ...vm, maxRunners }, scaleSetId: 1, now: NOW, wallNow: NOW },
    { fleet, github: seen },
    aMemory(memory),
  );
}

/** What it would do, in short: `remove vm-1 stuck`. */
const steps = ({ items }: PassPlan): string[] =>
  items.map((item: PlanItem) => {
    const what = item.do === 'remove_orphan' ? item.registration : 'runner' in item ? item.runner : '';
    const detail =
      item.do === 'adopt'
        ? item.state
        : item.do === 'note_status'
          ? item.to
          : 'reason' in item
            ? item.reason
            : item.do === 'settle'
              ? item.outcome.reason
              : '';
    return [item.do, what, detail].filter(Boolean).join(' ');
  });

const runner = (over: Parameters<typeof aRunner>[0] = {}): RunnerFacts => aRunner(over);

describe('adoption', () => {
  const young = NOW - START;
  test.each<{ name: string; createdAt?: number; github: World['github']; want: string }>([
    { name: 'case 51: busy', createdAt: young, github: { [NAME]: 'busy' }, want: `adopt ${NAME} busy` },
    { name: 'case 51: idle', createdAt: young, github: { [NAME]: 'idle' }, want: `adopt ${NAME} idle` },
    {
      name: 'case 51: young and offline is starting',
      createdAt: young,
      github: { [NAME]: 'offline' },
      want: `adopt ${NAME} starting`,
    },
    {
      name: 'case 51: old and offline is idle',
      createdAt: young - 1,
      github: { [NAME]: 'offline' },
      want: `adopt ${NAME} idle`,
    },
    { name: 'of unknown age and offline is idle', github: { [NAME]: 'offline' }, want: `adopt ${NAME} idle` },
    { name: 'while GitHub is silent is idle', createdAt: young, github: 'silent', want: `adopt ${NAME} idle` },
    {
      name: 'case 26: in a pass that needs no answer is idle',
      createdAt: young,
      github: undefined,
      want: `adopt ${NAME} idle`,
    },
  ])('$name', ({ createdAt, github, want }) => {
    const fleet = aFleet([aSeenMachine({ ...(createdAt !== undefined && { createdAt }) })]);
    expect(steps(plan({ fleet, ...(github !== undefined && { github }) }))[0]).toBe(want);
  });

  test.each<{ name: string; memory: Partial<Memory>; begunAt?: number; want: string[] }>([
    { name: 'a name being created is left alone', memory: { creating: new Set([NAME]) }, want: [] },
    {
      name: 'case 24: so is one that leaves',
      memory: {
        leaving: new Map([[NAME, aLeaving({ outcome: { kind: 'lost', reason: 'ended', proof: [] }, deleted: true })]]),
      },
      want: [],
    },
    { name: 'one that left a minute ago is left alone', memory: { left: new Map([[NAME, NOW - MINUTE]]) }, want: [] },
    {
      name: 'case 25: one that left longer ago and is still there is adopted',
      memory: { left: new Map([[NAME, NOW - MINUTE - 1]]) },
      want: [`adopt ${NAME} idle`],
    },
    {
      name: 'but not from a listing begun before it left',
      memory: { left: new Map([[NAME, NOW - MINUTE - 1]]) },
      begunAt: NOW - HOUR,
      want: [],
    },
  ])('$name', ({ memory, begunAt, want }) => {
    expect(steps(plan({ fleet: aFleet([aSeenMachine(begunAt === undefined ? {} : { begunAt })]), memory }))).toEqual(
      want,
    );
  });

  test('case 54: a machine that has ended is not adopted as a runner', () => {
    const result = plan({ fleet: aFleet([aSeenMachine({ state: 'stopped' })]), lookUps: { [NAME]: {} } });
    expect(steps(result)).toEqual([`adopt_ended ${NAME}`, `settle ${NAME} job_completed`]);
  });

  test('one whose machine cannot be judged is adopted, once', () => {
    const fleet = aFleet([aSeenMachine({ state: 'unknown' })]);
    expect(steps(plan({ fleet }))).toEqual([`adopt ${NAME} idle`]);
    expect(steps(plan({ fleet, memory: { writtenOff: new Set([NAME]) } }))).toEqual([]);
  });
});

describe('a machine in the listing', () => {
  const memory = { runners: named(runner()) };
  test('one that is well gives nothing to do', () => {
    expect(plan({ fleet: aFleet([aSeenMachine()]), memory }).items).toEqual([]);
  });
  test('case 42: one that ended goes, and has done its job when GitHub does not know it any more', () => {
    const fleet = aFleet([aSeenMachine({ state: 'stopped' })]);
    const first = plan({ fleet, memory });
    expect(steps(first)).toEqual([`let_go ${NAME}`]);
    expect(first.lookUps).toEqual([NAME]);
    expect(steps(plan({ fleet, memory, lookUps: { [NAME]: {} } }))).toEqual([
      `let_go ${NAME}`,
      `settle ${NAME} job_completed`,
    ]);
  });
  test('one that cannot be judged is kept for five minutes, and then given up untouched', () => {
    const fleet = aFleet([aSeenMachine({ state: 'unknown' })]);
    expect(steps(plan({ fleet, memory }))).toEqual([`note_machine ${NAME}`]);
    const since = (ms: number) => ({ runners: named(runner({ unknownSince: NOW - ms })) });
    expect(steps(plan({ fleet, memory: since(5 * MINUTE) }))).toEqual([]);
    expect(steps(plan({ fleet, memory: since(5 * MINUTE + 1) }))).toEqual([`write_off ${NAME} unreachable`]);
  });
  test('two machines of one name are one runner with two places', () => {
    const twin = aSeenMachine({ provider: 'b' });
    const result = plan({ fleet: aFleet([aSeenMachine({ twins: [twin] })]), memory });
    expect(result.items).toMatchObject([{ do: 'note_machine', twins: [{ provider: 'b' }] }]);
  });
});

describe('a machine missing from the listing', () => {
  const memory = { runners: named(runner({ githubStatus: 'offline', offlineSince: NOW - 1 })) };
  test('is a suspect, and looked up', () => {
    const result = plan({ memory });
    expect(steps(result)).toEqual([`note_machine ${NAME}`]);
    expect(result.lookUps).toEqual([NAME]);
  });
  test('case 42: has ended in the same pass once a second source agrees', () => {
    expect(steps(plan({ memory, lookUps: { [NAME]: {} } }))).toEqual([
      `let_go ${NAME}`,
      `settle ${NAME} job_completed`,
    ]);
  });
  test('case 39, 41: is not missing while its provider is silent', () => {
    expect(plan({ fleet: aFleet([], { error: 'down' }), memory, lookUps: { [NAME]: {} } }).items).toEqual([]);
  });
  test('case 40: is given up after five minutes of that', () => {
    const silent = (ms: number) => ({ ...memory, unreachable: new Map([['a/', NOW - ms]]) });
    expect(plan({ fleet: aFleet([], { error: 'down' }), memory: silent(5 * MINUTE) }).items).toEqual([]);
    expect(steps(plan({ fleet: aFleet([], { error: 'down' }), memory: silent(5 * MINUTE + 1) }))).toEqual([
      `write_off ${NAME} unreachable`,
    ]);
  });
  test('is not given up before it has been out of sight for five minutes itself', () => {
    const fleet = aFleet([], {
      parts: [
        { part: 'zone', begunAt: NOW },
        { part: 'other', begunAt: NOW, error: 'down' },
      ],
    });
    const counted = (ms: number) =>
      plan({
        fleet,
        memory: {
          runners: named(runner({ place: { provider: 'a' }, listed: false, createdAt: NOW - ms, countedAt: NOW - ms })),
          unreachable: new Map([['a/other', NOW - HOUR]]),
        },
      });
    expect(counted(5 * MINUTE).items).toEqual([]);
    expect(steps(counted(5 * MINUTE + 1))).toEqual([`write_off ${NAME} unreachable`]);
  });
  test('the clock of a silent provider starts once and ends with its answer', () => {
    expect(plan({ fleet: aFleet([], { error: 'down' }) }).unreachable).toEqual({ 'a/': NOW });
    expect(
      plan({ fleet: aFleet([], { error: 'down' }), memory: { unreachable: new Map([['a/', NOW - 5]]) } }).unreachable,
    ).toEqual({ 'a/': NOW - 5 });
    expect(plan({ memory: { unreachable: new Map([['a/', NOW - 5]]) } }).unreachable).toEqual({});
  });
});

describe('what GitHub says', () => {
  const fleet = aFleet([aSeenMachine()]);
  test('case 34: a runner it calls busy is busy', () => {
    expect(steps(plan({ fleet, memory: { runners: named(runner()) }, github: { [NAME]: 'busy' } }))).toEqual([
      `note_status ${NAME} busy`,
    ]);
  });
  test('an answer begun before a runner counted cannot show it gone', () => {
    const memory = { runners: named(runner({ state: 'starting', countedAt: NOW, createdAt: NOW })) };
    expect(plan({ fleet, memory, github: {} }).items).toEqual([]);
  });
  test('absence from its listing waits for the look-up by name', () => {
    const memory = { runners: named(runner({ githubStatus: 'idle' })) };
    const first = plan({ fleet, memory, github: {}, pages: 2 });
    expect(steps(first)).toEqual([`note_status ${NAME} not_registered`]);
    expect(first.lookUps).toEqual([NAME]);
    expect(steps(plan({ fleet, memory, github: {}, pages: 2, lookUps: { [NAME]: {} } }))).toContain(
      `remove ${NAME} unregistered`,
    );
    expect(steps(plan({ fleet, memory, github: {}, pages: 2, lookUps: { [NAME]: { scaleSetId: 1 } } }))).not.toContain(
      `remove ${NAME} unregistered`,
    );
  });
  test('case 31: its silence removes nobody, outdated ones included', () => {
    const memory = { runners: named(runner({ revision: 'old', offlineSince: NOW - HOUR })) };
    expect(plan({ fleet, memory, github: 'silent' }).items).toEqual([]);
  });
  test('case 48: one connected answer starts the offline clock anew', () => {
    const memory = { runners: named(runner({ githubStatus: 'offline', offlineSince: NOW - HOUR })) };
    const [item] = plan({ fleet, memory, github: { [NAME]: 'idle' } }).items;
    expect(item).toEqual({ do: 'note_status', runner: NAME, from: 'offline', to: 'idle', at: NOW });
  });
});

describe('orphans', () => {
  const since = (ms: number) => ({ orphans: new Map([[NAME, NOW - ms]]) });
  const found = { [NAME]: { scaleSetId: 1 } };
  test('case 47: a clock starts, and only after start_timeout and a look-up it goes', () => {
    expect(plan({ github: { [NAME]: 'offline' } }).orphans).toEqual({ [NAME]: NOW });
    expect(steps(plan({ github: { [NAME]: 'offline' }, memory: since(START), lookUps: found }))).toEqual([]);
    const due = plan({ github: { [NAME]: 'offline' }, memory: since(START + 1) });
    expect([steps(due), due.lookUps]).toEqual([[], [NAME]]);
    expect(steps(plan({ github: { [NAME]: 'offline' }, memory: since(START + 1), lookUps: found }))).toEqual([
      `remove_orphan ${NAME}`,
    ]);
  });
  test('case 48: one that reconnects is forgotten', () => {
    expect(plan({ github: { [NAME]: 'idle' }, memory: since(HOUR) }).orphans).toEqual({});
  });
  test.each<{ name: string; world: World }>([
    { name: 'of another scale set by its id', world: { lookUps: { [NAME]: { scaleSetId: 2 } } } },
    { name: 'whose scale set GitHub does not say', world: { lookUps: { [NAME]: { scaleSetId: 0 } } } },
    { name: 'that is not there any more', world: { lookUps: { [NAME]: {} } } },
    { name: 'looked up before the listing', world: { lookUps: { [NAME]: { scaleSetId: 1, at: NOW - 1 } } } },
    { name: 'being created', world: { memory: { creating: new Set([NAME]) } } },
    { name: 'that has just left', world: { memory: { left: new Map([[NAME, NOW]]) } } },
    { name: 'with a machine', world: { fleet: aFleet([aSeenMachine()]) } },
    { name: 'while a provider is silent (case 50)', world: { fleet: aFleet([], { error: 'down' }) } },
  ])('case 49: never one $name', ({ world }) => {
    const result = plan({
      github: { [NAME]: 'offline' },
      lookUps: found,
      ...world,
      memory: { ...since(HOUR), ...world.memory },
    });
    expect(steps(result)).not.toContain(`remove_orphan ${NAME}`);
  });
  test('never one with another name', () => {
    expect(plan({ github: { 'vm-big-00000001': 'offline', 'vm-0000001': 'offline' } }).orphans).toEqual({});
  });
  test('case 46: nor the registration of one that leaves', () => {
    const leaving = new Map([[NAME, aLeaving({ endedAt: NOW, deleted: true })]]);
    expect(plan({ github: { [NAME]: 'offline' }, memory: { leaving } }).orphans).toEqual({});
  });
  test('their clocks stay while GitHub is silent', () => {
    expect(plan({ github: 'silent', memory: since(5) }).orphans).toEqual({ [NAME]: NOW - 5 });
  });
});

describe('replacement', () => {
  const old = runner({ name: 'vm-0000000a', revision: 'old', createdAt: NOW - 2 * HOUR });
  const older = runner({ name: 'vm-0000000b', revision: 'old', createdAt: NOW - 3 * HOUR });
  const fresh = runner({ name: 'vm-0000000c' });
  const fleet = aFleet([old, older, fresh].map(({ name }) => aSeenMachine({ name })));
  const replace = (over: Partial<Memory>, maxRunners = 3): string[] =>
    steps(
      plan({
        fleet: aFleet([...fleet.machines.values()].filter(({ machine }) => over.runners?.has(machine.name))),
        memory: { runners: named(old, older), desired: 2, alive: 2, ...over },
        maxRunners,
      }),
    );
  const both = { runners: named(old, older) };

  test('the oldest is replaced first, by one created before it goes', () => {
    expect(replace(both)).toEqual(['replace vm-0000000b outdated']);
  });
  test('case 36: with no room it goes first, one per pass', () => {
    expect(replace(both, 2)).toEqual(['remove vm-0000000b outdated']);
  });
  test.each<{ name: string; over: Partial<Memory> }>([
    { name: 'no provider would take the new one', over: { hasCandidate: false } },
    { name: 'the last creation failed', over: { creationFailed: true } },
    { name: 'there are more than wanted', over: { alive: 3 } },
  ])('it waits while $name', ({ over }) => {
    for (const maxRunners of [2, 3]) expect(replace({ ...both, ...over }, maxRunners)).toEqual(['wait vm-0000000b']);
  });

  const underWay: Replacement = { old: 'vm-0000000b', reason: 'outdated', by: 'vm-0000000c', removedFirst: false };
  const all = named(old, older, fresh);
  test('the old one goes once the new one has connected', () => {
    expect(replace({ runners: all, replacement: underWay, alive: 3 })).toEqual(['remove vm-0000000b outdated']);
    const starting = named(old, older, { ...fresh, state: 'starting' });
    expect(replace({ runners: starting, replacement: underWay, alive: 3 })).toEqual(['wait vm-0000000b']);
  });
  test('it is given up when the new one came to nothing, or the old one took a job', () => {
    expect(replace({ ...both, replacement: underWay })).toEqual(['drop_replacement']);
    const busy = named(old, { ...older, state: 'busy' }, fresh);
    expect(replace({ runners: busy, replacement: underWay, alive: 3 })).toEqual(['drop_replacement']);
  });
  test('after one was removed first, the next waits for the one that replaced it', () => {
    const replacement = { ...underWay, removedFirst: true };
    expect(replace({ runners: named(old, { ...fresh, state: 'starting' }), replacement }, 2)).toEqual([
      'wait vm-0000000b',
    ]);
    expect(replace({ runners: named(old, fresh), replacement }, 2)).toEqual(['drop_replacement']);
  });
  test('case 33: one with a job is not replaced', () => {
    expect(replace({ runners: named({ ...old, state: 'busy' }) })).toEqual([]);
  });
});

test('a plan is plain data: it survives being printed', () => {
  const result = plan({
    fleet: aFleet([aSeenMachine({ name: 'vm-0000000f' }), aSeenMachine({ state: 'stopped' })]),
    memory: {
      runners: named(runner(), runner({ name: 'vm-00000002' })),
      orphans: new Map([['vm-00000003', NOW - HOUR]]),
    },
    github: { [NAME]: 'idle', 'vm-00000003': 'offline' },
    lookUps: { 'vm-00000003': { scaleSetId: 1 } },
  });
  expect(result.items.length).toBeGreaterThan(4);
  expect(JSON.parse(JSON.stringify(result))).toEqual(result);
});

test('planning changes nothing it is given', () => {
  const memory = aMemory({ runners: named(runner({ revision: 'old' })), orphans: new Map([['vm-00000003', 1]]) });
  const before = structuredClone([...memory.runners.values()]);
  planPass(
    { policy: vm, scaleSetId: 1, now: NOW, wallNow: NOW },
    { fleet: aFleet([]), github: { asked: false, lookUps: new Map() } },
    memory,
  );
  expect([...memory.runners.values()]).toEqual(before);
});

describe('a name that left is remembered', () => {
  const down = aFleet([], { error: 'down' });
  test.each<{ name: string; leftAt: number; fleet?: SeenFleet; want: string[] }>([
    { name: 'for a minute', leftAt: NOW - MINUTE, want: [] },
    { name: 'no longer, when a listing begun since lacks it', leftAt: NOW - MINUTE - 1, want: [NAME] },
    { name: 'while a listing has it', leftAt: NOW - 2 * HOUR, fleet: aFleet([aSeenMachine()]), want: [] },
    { name: 'while a provider is silent', leftAt: NOW - HOUR, fleet: down, want: [] },
    { name: 'but not for ever', leftAt: NOW - HOUR - 1, fleet: down, want: [NAME] },
  ])('$name', ({ leftAt, fleet, want }) => {
    const memory = { left: new Map([[NAME, leftAt]]) };
    expect(plan({ memory, ...(fleet && { fleet }) }).forgetLeft).toEqual(want);
  });
});
