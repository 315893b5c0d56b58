import { RungarError } from '@rungar/model';
import { describe, expect, test } from 'vitest';
import { listening, one } from '../../test/scenes.js';
import { MINUTE, on, policy, SECOND, world } from '../../test/world.js';

describe('creating', () => {
  test('a job that begins before the machine is said to be there is told of once it is', async () => {
    const w = world();
    w.github.autoRun = false;
    w.provider().createMs = 20 * SECOND;
    w.github.queueJob('vm', MINUTE);
    w.start();
    await w.clock.advance(5 * SECOND);
    const [name = ''] = w.machines();
    w.github.autoRun = true;
    w.github.connect(w.github.named(name)?.id ?? 0);
    await w.clock.advance(5 * SECOND);
    expect(w.happened()).toEqual([]);
    await w.clock.advance(20 * SECOND);
    expect(w.happened()).toEqual([`created ${name}`, `connected ${name}`, `job_started ${name}`]);
    expect(w.reconciler.scaleSets()[0]?.counts).toEqual({ starting: 0, idle: 0, busy: 1 });
    expect(w.logs.filter(({ level }) => level === 'warn')).toEqual([]);
  });

  test('a throng of messages while creations are on their way makes no runner twice', async () => {
    const w = world();
    w.github.autoRun = false;
    for (let job = 0; job < 8; job++) w.github.queueJob('vm', MINUTE);
    w.start();
    for (let moment = 0; moment < 30; moment++) {
      w.github.tell('vm', {});
      await w.clock.advance(50);
    }
    await w.clock.advance(5 * SECOND);
    expect([w.github.count('jit'), w.provider().count('create')]).toEqual([8, 8]);
  });

  test('a full provider passes its runner on with the same registration', async () => {
    const w = world({ ...one({ providers: on('a', 'b') }), providers: [{ name: 'a' }, { name: 'b' }] });
    w.provider('a').faults.create.push('full');
    w.github.queueJob('vm', 10 * MINUTE);
    w.start();
    await w.clock.advance(5 * SECOND);
    expect([w.github.count('jit'), w.provider('b').machines.size]).toEqual([1, 1]);
    expect(w.happened()).toEqual(['full a', expect.stringMatching(/^created vm-/)]);
  });

  test('no room is warned of once for each reason, until there was room', async () => {
    const w = world({ ...one(), providers: [{ name: 'a', capacity: 1 }] });
    const told = (level: string): number =>
      w.logs.filter((line) => line.level === level && line.message === 'No capacity for a runner').length;
    const poll = async (times: number): Promise<void> => {
      for (let at = 0; at < times; at++) {
        w.github.tell('vm', {});
        await w.clock.advance(SECOND);
      }
    };
    w.github.queueJob('vm', 10 * MINUTE);
    w.start();
    await w.clock.advance(5 * SECOND);
    w.github.queueJob('vm', 10 * MINUTE);
    await poll(30);
    // The provider's refusal, and that it is skipped for a while.
    expect(told('warn')).toBe(2);
    expect(told('debug')).toBeGreaterThan(10);
    expect(w.logs.filter(({ message }) => message === 'Scaling up').length).toBeLessThan(6);

    w.provider().capacity = 2;
    await w.clock.advance(MINUTE);
    expect(w.machines()).toHaveLength(2);
    w.github.queueJob('vm', 10 * MINUTE);
    await poll(30);
    expect(told('warn')).toBe(4);
  });

  test('a name that is taken costs one clean-up and a new name', async () => {
    const w = world();
    let lost = false;
    w.github.chooseFault = (call) => {
      if (call !== 'jit' || lost) return undefined;
      lost = true;
      return new RungarError('busy', 'a runner of that name exists already');
    };
    w.github.queueJob('vm', 10 * MINUTE);
    w.start();
    await w.clock.advance(5 * SECOND);
    expect([w.github.count('jit'), w.github.count('findRunner'), w.machines().length]).toEqual([2, 1, 1]);
  });

  test('the reserve follows its windows, and says so once', async () => {
    // The clock begins on a Monday at 09:00 UTC.
    const windows = [{ days: new Set([0] as const), from: 9 * 60, to: 9 * 60 + 2, minRunners: 2 }];
    const w = await listening(one({ schedule: { timeZone: 'UTC', windows } }));
    expect(w.machines()).toHaveLength(2);
    await w.clock.advance(4 * MINUTE);
    expect(w.machines()).toHaveLength(0);
    expect(w.happened('min_runners_changed')).toEqual(['min_runners_changed vm']);
  });
});

describe('placing', () => {
  const two = { providers: [{ name: 'a' }, { name: 'b' }] };

  test('spread shares a throng out while it is still on its way', async () => {
    const w = await listening({ ...one({ providers: on('a', 'b') }), ...two }, 8);
    expect([w.provider('a').machines.size, w.provider('b').machines.size]).toEqual([4, 4]);
  });

  test('a creation tells its provider the priority of its scale set', async () => {
    const w = world({ scaleSets: [policy({ priority: 5 }), policy({ name: 'low' })] });
    w.github.queueJob('vm', MINUTE);
    w.github.queueJob('low', MINUTE);
    w.start();
    await w.clock.advance(5 * SECOND);
    const asked = w.provider().calls.filter(({ call }) => call === 'create');
    expect(asked.map(({ labels, priority }) => [labels?.['rungar.sh/scale-set'], priority])).toEqual([
      ['vm', 5],
      ['low', undefined],
    ]);
  });

  test('after three runners in a row that never connect, one at a time is created there, ever more slowly', async () => {
    const w = world({ ...one({ startTimeoutMs: MINUTE, minRunners: 3 }), bootMs: undefined });
    w.start();
    await w.clock.advance(30 * MINUTE);
    const [status] = w.reconciler.providers();
    expect(status?.slowed).toMatchObject([{ scaleSet: 'vm', why: expect.stringContaining('never connected') }]);
    const made = w.provider().count('create');
    expect(made).toBeLessThan(20);
    await w.clock.advance(30 * MINUTE);
    expect(w.provider().count('create')).toBeGreaterThan(made);
  });
});

describe('giving back', () => {
  test('jobs cancelled while their machines start give all of them back', async () => {
    const w = await listening({ ...one({ maxRunners: 30 }) }, 20);
    expect(w.machines()).toHaveLength(20);
    w.github.cancelWaiting('vm');
    await w.clock.advance(10 * SECOND);
    expect([w.machines().length, w.github.runners.size]).toEqual([0, 0]);
    expect(new Set(w.happened('removed').map((text) => text.split(' ')[2]))).toEqual(new Set(['scaled_down']));
  });

  test('creations not sent yet are undone without a machine', async () => {
    const w = world();
    w.start();
    await w.clock.advance(5 * SECOND);
    w.github.autoRun = false;
    for (let job = 0; job < 5; job++) w.github.queueJob('vm', MINUTE);
    await w.clock.advance(100);
    w.github.cancelWaiting('vm');
    await w.clock.advance(10 * SECOND);
    expect([w.provider().count('create'), w.github.runners.size]).toEqual([0, 0]);
  });

  test('a removal is one call at GitHub: the id is remembered from the registration', async () => {
    const w = await listening({}, 1);
    w.github.cancelWaiting('vm');
    await w.clock.advance(5 * SECOND);
    expect([w.github.count('remove'), w.github.count('findRunner')]).toEqual([1, 0]);
  });

  test('machines that cannot be deleted do not make the scale set give back too many', async () => {
    const w = await listening({}, 3);
    await w.clock.advance(30 * SECOND);
    w.provider().chooseFault = (call) => (call === 'delete' ? 'broken' : undefined);
    const [first] = w.github.sets.get('vm')?.jobs ?? [];
    if (first) first.result = 'canceled';
    w.github.tell('vm', {});
    await w.clock.advance(3 * MINUTE);
    expect(w.reconciler.scaleSets()[0]?.counts?.idle).toBe(2);
  });

  test('numbers that contradict their message give nobody back before the scale set was asked', async () => {
    const w = await listening({}, 1);
    await w.clock.advance(30 * SECOND);
    const zero = {
      availableJobs: 0,
      acquiredJobs: 0,
      assignedJobs: 0,
      runningJobs: 0,
      registeredRunners: 1,
      busyRunners: 0,
      idleRunners: 1,
    };
    const job = {
      jobId: 'j',
      runnerRequestId: 0,
      owner: '',
      repository: '',
      workflowRef: '',
      displayName: '',
      workflowRunId: 0,
      eventName: '',
      requestLabels: [],
    };
    w.github.tell('vm', { statistics: zero, assigned: [job] });
    await w.clock.advance(2 * SECOND);
    expect(w.machines()).toHaveLength(1);
    expect(w.github.count('remove')).toBe(0);
  });
});

describe('pausing', () => {
  test('a name nobody configured is refused with those there are', async () => {
    const w = world();
    expect(() => w.reconciler.pause('nope')).toThrow('no scale set nope; there are: vm');
  });
});

describe('a creation whose end nobody knows', () => {
  test('is given up registration first: a runner that has taken a job by then counts, and keeps its machine', async () => {
    const w = world({ ...one({ startTimeoutMs: MINUTE }), bootMs: 10 * SECOND });
    w.provider().createMs = 5 * SECOND;
    w.provider().faults.create.push('lost_reply');
    w.github.queueJob('vm', 3 * MINUTE);
    w.start();
    await w.clock.advance(5 * SECOND);
    const [runner] = w.github.runners.values();
    if (runner) w.github.connect(runner.id);
    await w.clock.advance(20 * SECOND);
    expect(w.reconciler.scaleSets()[0]?.counts?.busy).toBe(1);
    expect(w.provider().count('delete')).toBe(0);
    await w.clock.advance(5 * MINUTE);
    expect([w.killed, w.github.unfinished(), w.machines()]).toEqual([[], [], []]);
  });

  test('keeps a leftover whose registration cannot be removed, until it can', async () => {
    const w = world(one({}));
    w.provider().faults.create.push('lost_reply');
    w.github.chooseFault = (call) => (call === 'remove' ? new RungarError('unavailable', 'no') : undefined);
    w.github.queueJob('vm', 2 * MINUTE);
    w.start();
    await w.clock.advance(10 * MINUTE);
    expect(w.provider().count('delete')).toBe(0);
    w.github.chooseFault = () => undefined;
    await w.clock.advance(30 * MINUTE);
    expect([w.killed, w.github.unfinished(), w.machines()]).toEqual([[], [], []]);
  });
});

describe('many at once', () => {
  test('500 jobs are 500 runners as fast as registering 32 and creating 64 at once allows', async () => {
    const w = await listening(one({ maxRunners: 500 }));
    w.github.queueJob('vm', MINUTE);
    for (let job = 1; job < 500; job++)
      w.github.sets.get('vm')?.jobs.push({ id: `j-${job}`, scaleSet: 'vm', durationMs: MINUTE, queuedAt: 0 });
    const from = w.clock.now();
    await w.clock.advance(10 * SECOND);
    expect([w.github.count('jit'), w.provider().count('create')]).toEqual([500, 500]);
    const lastSent = Math.max(
      ...w
        .provider()
        .calls.filter(({ call }) => call === 'create')
        .map(({ at }) => at),
    );
    // The ideal pipeline needs 4.4 s to the last machine.
    expect(lastSent + 500 - from).toBeLessThanOrEqual(4_400 * 1.05);
  });

  test('after the first refusal of a full provider nobody else is sent there while it is skipped', async () => {
    const w = await listening(
      { ...one({ maxRunners: 300, providers: on('a', 'b') }), providers: [{ name: 'a', capacity: 20 }, { name: 'b' }] },
      300,
    );
    await w.clock.advance(5 * SECOND);
    expect(w.provider('b').machines.size).toBe(280);
    const sent = w
      .provider('a')
      .calls.filter(({ call }) => call === 'create')
      .map(({ at }) => at);
    const skippedFrom = Math.min(...w.events.filter(({ action }) => action === 'full').map(() => sent[20] ?? 0)) + 100;
    expect(sent.filter((at) => at > skippedFrom && at < skippedFrom + 4 * SECOND)).toEqual([]);
  });

  test('those that wait for a provider that never answers are created elsewhere', async () => {
    const w = world({
      ...one({ maxRunners: 200, startTimeoutMs: MINUTE, providers: on('a', 'b') }),
      providers: [{ name: 'a' }, { name: 'b' }],
    });
    w.provider('a').chooseFault = (call) => (call === 'create' ? 'hang' : undefined);
    w.github.autoRun = false;
    for (let job = 0; job < 200; job++) w.github.queueJob('vm', MINUTE);
    w.start();
    await w.clock.advance(5 * MINUTE);
    expect(w.provider('b').machines.size).toBeGreaterThan(190);
  });

  test('a job that begins and ends before its machine is known to be there is not lost', async () => {
    const w = await listening({ bootMs: undefined });
    w.provider().createMs = 20 * SECOND;
    w.github.queueJob('vm', 5 * SECOND);
    await w.clock.advance(2 * SECOND);
    w.github.autoRun = true;
    const [runner] = w.github.runners.values();
    if (runner) w.github.connect(runner.id);
    await w.clock.advance(40 * SECOND);
    expect(w.happened('removed')).toEqual([`removed ${runner?.name} job_completed`]);
    expect([w.machines(), w.killed]).toEqual([[], []]);
  });
});
