import { describe, expect, test } from 'vitest';
import { countsOf, ended, first, forgetAtGitHub, one, withIdle } from '../../test/scenes.js';
import { labelsOf, MINUTE, policy, SECOND, type World, type WorldOptions, world } from '../../test/world.js';

const three: WorldOptions = { scaleSets: ['first', 'second', 'third'].map((name) => policy({ name, minRunners: 1 })) };
const phases = (w: World): string[] => w.reconciler.scaleSets().map(({ phase }) => phase);
const open = (w: World): string[] =>
  [...w.github.sets.values()].filter(({ session }) => session?.open).map(({ record }) => record.name);
/** Somebody else's session. */
const occupy = (w: World, scaleSet: string): void => {
  w.github.loseSession(scaleSet);
  void w.github.openSession(
    { id: 0, name: scaleSet, runnerGroupId: 1, runnerGroupName: 'Default', labels: [] },
    'other',
    { signal: new AbortController().signal },
  );
};

describe('adoption and sessions', () => {
  test('case 51: what an earlier daemon left is adopted in the state it is in', async () => {
    const w = world();
    const at = { '1': 'busy', '2': 'idle', '3': 'offline' } as const;
    for (const [n, state] of Object.entries(at)) {
      w.provider().put(`vm-0000000${n}`, labelsOf(`vm-0000000${n}`));
      w.github.register(`vm-0000000${n}`, 'vm', { online: state !== 'offline', busy: state === 'busy' });
    }
    w.provider().put('vm-00000004', labelsOf('vm-00000004'), { createdAt: w.clock.wallNow() - 6 * MINUTE });
    w.github.register('vm-00000004', 'vm');
    w.start();
    await w.clock.advance(350);
    expect(w.happened('adopted')).toHaveLength(4);
    expect(w.reconciler.scaleSets()[0]?.counts).toEqual({ starting: 1, idle: 2, busy: 1 });
    expect(w.provider().count('create') + w.provider().count('delete')).toBe(0);
  });

  test('case 52: machines of another installation are warned of once, and left alone', async () => {
    const w = world(three);
    w.provider().put(
      'first-00000001',
      labelsOf('first-00000001', { scaleSet: 'first', installation: 'gh-000000000000' }),
    );
    w.start();
    await w.clock.advance(10 * MINUTE);
    expect(w.machines()).toContain('first-00000001');
    expect(w.happened('adopted')).toEqual([]);
    expect(w.logs.filter(({ message }) => message.startsWith('Machines of another installation'))).toHaveLength(1);
  });

  test('case 53: on adopting only what the fleet has remains', async () => {
    const w = await withIdle(2);
    const [stays = '', goes = ''] = w.machines();
    w.github.loseSession('vm');
    w.github.refuseSession = 'conflict';
    await w.clock.advance(5 * SECOND);
    w.provider().vanish(goes);
    forgetAtGitHub(w, goes);
    w.github.refuseSession = undefined;
    w.reconciler.pause('vm');
    await w.clock.advance(20 * SECOND);
    expect(phases(w)).toEqual(['listening']);
    expect(w.happened('adopted')).toEqual([`adopted ${stays}`]);
    expect(w.happened('lost', 'removed').filter((text) => text.includes(goes))).toEqual([]);
  });

  test('a standby says who holds the session, where GitHub names them', async () => {
    const w = world(one({ minRunners: 1 }));
    w.github.refuseSession = 'conflict';
    w.github.sessionHolder = 'rungar-host-b-vm';
    w.start();
    await w.clock.advance(MINUTE);
    expect(w.reconciler.scaleSets()[0]).toMatchObject({
      phase: 'waiting_for_session',
      phaseReason: 'another daemon holds its session: rungar-host-b-vm',
    });
  });

  test('case 54: a standby touches nothing, shows that it waits, and takes over when it may', async () => {
    const w = world(one({ minRunners: 1 }));
    w.provider().put('vm-00000001', labelsOf('vm-00000001'), { state: 'stopped' });
    w.github.refuseSession = 'conflict';
    w.start();
    await w.clock.advance(5 * MINUTE);
    expect(w.reconciler.scaleSets()[0]).toMatchObject({
      phase: 'waiting_for_session',
      phaseReason: 'another daemon holds its session',
    });
    expect([w.provider().calls.length, w.github.count('jit'), w.events.length]).toEqual([0, 0, 0]);
    const plan = await w.reconciler.plan('vm');
    expect(plan).toMatchObject({ steps: [], reasons: [expect.stringContaining('another daemon holds its session')] });
    expect(plan).not.toHaveProperty('pass');
    w.github.refuseSession = undefined;
    await w.clock.advance(MINUTE + 5 * SECOND);
    expect(phases(w)).toEqual(['listening']);
    expect(w.machines()).toHaveLength(1);
    expect(w.machines()).not.toContain('vm-00000001');
  });

  test('case 55: the runners are forgotten, their machines stay, and they are adopted when it opens again', async () => {
    const w = world(one({ minRunners: 2 }));
    w.start();
    await w.clock.advance(MINUTE);
    const before = w.machines();
    w.github.loseSession('vm');
    await w.clock.advance(2 * SECOND);
    const [status] = w.reconciler.scaleSets();
    expect([status?.counts, status?.desired, status?.assignedJobs]).toEqual([undefined, undefined, undefined]);
    expect(w.metrics.get('rungar_runners_current', { scale_set: 'vm', state: 'idle' })).toBe(0);
    await w.clock.advance(20 * SECOND);
    expect([phases(w), w.machines()]).toEqual([['listening'], before]);
    expect(w.happened('adopted')).toHaveLength(2);
    expect(w.happened('removed', 'lost')).toEqual([]);
  });

  test('case 56: followers open no session before it holds its own, and let go when it is lost', async () => {
    const w = world(three);
    occupy(w, 'first');
    await w.clock.advance(SECOND);
    w.start();
    await w.clock.advance(2 * MINUTE);
    expect(phases(w)).toEqual(['waiting_for_session', 'waiting_for_lead', 'waiting_for_lead']);
    w.github.loseSession('first');
    await w.clock.advance(2 * MINUTE);
    expect(phases(w)).toEqual(['listening', 'listening', 'listening']);
    occupy(w, 'first');
    await w.clock.advance(SECOND);
    expect(open(w)).toEqual(['first']);
    expect(w.machines()).toHaveLength(3);
  });

  test('case 57: what is in progress when the session is lost begins nothing more', async () => {
    const pass = await withIdle();
    const name = first(pass);
    pass.provider().listMs = 20 * SECOND;
    pass.provider().setState(name, 'stopped');
    await pass.clock.advance(15 * SECOND);
    pass.github.refuseSession = 'conflict';
    pass.github.loseSession('vm');
    await pass.clock.advance(3 * MINUTE);
    expect([pass.provider().count('delete'), pass.provider().count('create'), open(pass)]).toEqual([0, 1, []]);

    const request = await withIdle();
    const asked = request.reconciler.removeRunner(first(request), new AbortController().signal);
    asked.catch(() => {});
    await request.clock.advance(150);
    expect(request.github.count('remove')).toBe(1);
    request.github.refuseSession = 'conflict';
    request.github.loseSession('vm');
    expect(await ended(request, asked)).toMatchObject({ code: 'unavailable' });
    expect([request.provider().count('delete'), request.machines().length]).toEqual([0, 1]);
    // An answer that came after the end decided nothing either: the next session finds the machine as any other.
    const taken = first(request);
    request.github.refuseSession = undefined;
    await request.clock.advance(2 * MINUTE);
    expect(request.happened('adopted')).toEqual([expect.stringContaining(taken)]);

    const orphan = await withIdle(0);
    orphan.github.register('vm-0badf00d', 'vm');
    const unseen = orphan.reconciler.removeRunner('vm-0badf00d', new AbortController().signal);
    unseen.catch(() => {});
    await orphan.clock.advance(150);
    orphan.github.refuseSession = 'conflict';
    orphan.github.loseSession('vm');
    expect(await ended(orphan, unseen)).toMatchObject({ code: 'unavailable' });
    expect(orphan.github.runners.size).toBe(1);

    const decision = await withIdle(0);
    for (let job = 0; job < 5; job++) decision.github.queueJob('vm', MINUTE);
    await decision.clock.advance(50);
    decision.github.refuseSession = 'conflict';
    decision.github.loseSession('vm');
    await decision.clock.advance(MINUTE);
    expect([decision.provider().count('create'), decision.github.runners.size]).toEqual([0, 0]);
  });

  test('case 58: a pass that hangs keeps nobody from letting go at once', async () => {
    const w = await withIdle();
    w.provider().faults.list.push('hang');
    await w.clock.advance(15 * SECOND);
    w.github.refuseSession = 'conflict';
    w.github.loseSession('vm');
    await w.clock.advance(0);
    const refused = w.reconciler.reconcile('vm', new AbortController().signal);
    await expect(refused).rejects.toMatchObject({ code: 'unavailable' });
    await w.clock.advance(3 * MINUTE);
    expect([countsOf(w), open(w), w.machines().length]).toEqual([undefined, [], 1]);
  });
});
