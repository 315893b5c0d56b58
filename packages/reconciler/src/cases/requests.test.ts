import { RungarError } from '@rungar/model';
import { describe, expect, test } from 'vitest';
import { ended, listening } from '../../test/scenes.js';
import { labelsOf, MINUTE, on, policy, SECOND, type World, world } from '../../test/world.js';

const NOBODY = new AbortController().signal;

const remove = (w: World, name: string) => ended(w, w.reconciler.removeRunner(name, NOBODY));
const removeSet = (w: World, name: string, options = {}) =>
  ended(w, w.reconciler.removeScaleSet(name, options, NOBODY));

/** A runner of a scale set that is not configured, with its machine. */
function leftover(w: World, name: string, more: { online?: boolean; busy?: boolean } = {}): void {
  w.github.register(name, 'old', { online: true, ...more });
  w.provider().put(name, labelsOf(name, { scaleSet: 'old' }));
}

describe('asked to remove a runner', () => {
  test('case 73: one being created is refused as unavailable', async () => {
    const w = await listening();
    w.provider().createMs = MINUTE;
    w.github.queueJob('vm', MINUTE);
    await w.clock.advance(2 * SECOND);
    const [asked] = w.provider().calls.filter(({ call }) => call === 'create');
    const end = await remove(w, asked?.name ?? '');
    expect(end).toMatchObject({ code: 'unavailable', message: expect.stringContaining('still being created') });
    await w.clock.advance(2 * MINUTE);
    expect(w.machines()).toEqual([asked?.name]);
  });

  test('case 74: one not adopted yet is adopted and removed, counted once and not adopted again', async () => {
    const w = await listening();
    w.provider().put('vm-0badf00d', labelsOf('vm-0badf00d'));
    w.github.register('vm-0badf00d', 'vm', { online: true });
    expect(await remove(w, 'vm-0badf00d')).toMatchObject({ name: 'vm-0badf00d', scaleSet: 'vm', provider: 'a' });
    await w.clock.advance(5 * MINUTE);
    expect(w.happened()).toEqual(['adopted vm-0badf00d', 'removed vm-0badf00d requested']);
    expect(w.metrics.get('rungar_runners_removed_total', { scale_set: 'vm', provider: 'a', reason: 'requested' })).toBe(
      1,
    );
    expect([w.machines(), w.github.runners.size]).toEqual([[], 0]);
  });

  test('case 75: the machine of one that has just left is deleted, with nothing recorded', async () => {
    const w = await listening({ scaleSets: [policy({ minRunners: 1 })] });
    await w.clock.advance(30 * SECOND);
    const [name = ''] = w.machines();
    w.reconciler.pause('vm');
    await w.clock.advance(2 * SECOND);
    const before = w.happened();
    expect(before).toContain(`removed ${name} scaled_down`);
    w.provider().put(name, labelsOf(name));
    expect(await remove(w, name)).toMatchObject({ name });
    expect(w.machines()).toEqual([]);
    await w.clock.advance(5 * MINUTE);
    expect(w.happened()).toEqual(before);
  });

  test('a known runner goes registration first, is gone at the answer, and says who asked', async () => {
    const w = await listening({ scaleSets: [policy({ minRunners: 1 })] });
    await w.clock.advance(30 * SECOND);
    const [name = ''] = w.machines();
    w.reconciler.disableProvider('a');
    const end = await remove(w, name);
    expect(end).toMatchObject({ name, state: 'idle', provider: 'a' });
    expect(w.machines()).toEqual([]);
    const [event] = w.events.filter(({ action }) => action === 'removed');
    expect(event?.attributes).toEqual({ reason: 'requested', proof: 'asked_for,registration_removed' });
  });

  test('a busy one stays, whether or not this daemon knows of its job', async () => {
    const w = await listening({ scaleSets: [policy({ minRunners: 2 })] });
    await w.clock.advance(30 * SECOND);
    const [told = '', untold = ''] = w.machines();
    w.github.autoRun = true;
    w.github.give(untold);
    expect(await remove(w, untold)).toMatchObject({ code: 'busy' });
    await w.clock.advance(MINUTE);
    expect(await remove(w, untold)).toMatchObject({ code: 'busy', message: `runner ${untold} has a job` });
    expect([w.killed, w.machines().includes(told), w.machines().includes(untold)]).toEqual([[], true, true]);
  });

  test('GitHub not answering leaves it alone', async () => {
    const w = await listening({ scaleSets: [policy({ minRunners: 1 })] });
    await w.clock.advance(30 * SECOND);
    const [name = ''] = w.machines();
    w.github.chooseFault = (call) => (call === 'remove' ? new RungarError('unavailable', 'timeout') : undefined);
    expect(await remove(w, name)).toMatchObject({ code: 'unavailable' });
    expect(w.machines()).toEqual([name]);
  });

  test('a machine that cannot be deleted is said so, and deleted once it can be', async () => {
    const w = await listening({ scaleSets: [policy({ minRunners: 1 })] });
    await w.clock.advance(30 * SECOND);
    const [name = ''] = w.machines();
    for (const entry of w.provider().named(name)) entry.undeletable = true;
    expect(await remove(w, name)).toMatchObject({
      code: 'unavailable',
      message: `runner ${name} takes no more jobs, but its machine cannot be deleted: the machine is locked`,
    });
    for (const entry of w.provider().named(name)) entry.undeletable = false;
    expect(await remove(w, name)).toMatchObject({ name });
    expect(w.happened('removed')).toEqual([`removed ${name} requested`]);
  });

  test('all machines of that name go, whichever providers they are on', async () => {
    const w = await listening({ providers: [{ name: 'a' }, { name: 'b' }] });
    for (const [name, scaleSet] of [
      ['vm-0badf00d', 'vm'],
      ['old-0badf00d', 'old'],
    ] as const) {
      for (const provider of ['a', 'b']) w.provider(provider).put(name, labelsOf(name, { scaleSet }));
      w.github.register(name, scaleSet, { online: true });
      expect(await remove(w, name)).toMatchObject({ name, scaleSet });
    }
    expect([w.machines(), w.happened('removed')]).toEqual([
      [],
      ['removed vm-0badf00d requested', 'removed old-0badf00d requested'],
    ]);
  });

  test('an ended machine nobody knew goes whatever GitHub says', async () => {
    const w = await listening();
    w.provider().put('vm-0badf00d', labelsOf('vm-0badf00d'), { state: 'stopped' });
    w.github.register('vm-0badf00d', 'vm', { busy: true });
    expect(await remove(w, 'vm-0badf00d')).toMatchObject({ name: 'vm-0badf00d' });
    expect(w.machines()).toEqual([]);
    const [event] = w.events.filter(({ action }) => action === 'removed');
    expect(event?.attributes?.proof).toBe('asked_for,machine_ended');
  });

  test('a standby refuses, and says that it is one', async () => {
    const w = world();
    w.github.refuseSession = 'conflict';
    w.start();
    await w.clock.advance(5 * SECOND);
    w.provider().put('vm-0badf00d', labelsOf('vm-0badf00d'));
    const standby = { code: 'unavailable', message: expect.stringContaining('another daemon holds its session') };
    expect(await remove(w, 'vm-0badf00d')).toMatchObject(standby);
    leftover(w, 'old-0badf00d');
    expect(await remove(w, 'old-0badf00d')).toMatchObject(standby);
    expect(await removeSet(w, 'old')).toMatchObject(standby);
    expect(w.machines()).toHaveLength(2);
  });

  test.each<[string, { online?: boolean; busy?: boolean }, string | undefined]>([
    ['offline goes', {}, undefined],
    ['connected is refused, as its machine is somewhere unseen', { online: true }, 'invalid_argument'],
    ['busy is refused', { busy: true }, 'busy'],
  ])('a registration without a machine that is %s', async (_name, state, code) => {
    const w = await listening();
    w.github.register('vm-0badf00d', 'vm', state);
    const end = await remove(w, 'vm-0badf00d');
    if (code !== undefined) {
      expect(end).toMatchObject({ code });
      expect(w.github.runners.size).toBe(1);
      return;
    }
    expect(end).toMatchObject({ name: 'vm-0badf00d', provider: '', githubStatus: 'offline' });
    expect(w.github.runners.size).toBe(0);
    const [event] = w.events;
    expect(event).toMatchObject({
      action: 'removed',
      name: 'vm-0badf00d',
      attributes: { reason: 'requested', proof: 'asked_for,offline_without_machine,found_by_name' },
    });
    expect(event?.provider).toBeUndefined();
  });

  test('one that is nowhere, or of a scale set of somebody else, is not found', async () => {
    const w = await listening();
    expect(await remove(w, 'nobody')).toMatchObject({ code: 'not_found', message: 'there is no runner nobody' });
    w.github.register('theirs-0badf00d', 'theirs');
    expect(await remove(w, 'theirs-0badf00d')).toMatchObject({ code: 'not_found' });
    expect(w.github.runners.size).toBe(1);
  });

  test('nothing is concluded while GitHub or a provider does not answer', async () => {
    const w = await listening({
      scaleSets: [policy({ providers: on('a', 'b') })],
      providers: [{ name: 'a' }, { name: 'b' }],
    });
    w.github.register('vm-0badf00d', 'vm');
    w.provider('b').down = true;
    expect(await remove(w, 'vm-0badf00d')).toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('provider b does not answer'),
    });
    w.provider('b').down = false;
    w.github.chooseFault = (call) => (call === 'list' ? new RungarError('unavailable', 'timeout') : undefined);
    expect(await remove(w, 'vm-0badf00d')).toMatchObject({ code: 'unavailable' });
    expect(w.github.runners.size).toBe(1);
  });

  test('a wait that is given up ends at once, and the removal goes on', async () => {
    const w = await listening({ scaleSets: [policy({ minRunners: 1 })] });
    await w.clock.advance(30 * SECOND);
    const [name = ''] = w.machines();
    const caller = new AbortController();
    const end = w.reconciler.removeRunner(name, caller.signal).catch((error: unknown) => error);
    await w.clock.advance(250);
    caller.abort(new Error('enough'));
    expect(await end).toMatchObject({ message: 'enough' });
    await w.clock.advance(5 * SECOND);
    expect(w.happened('removed')).toEqual([`removed ${name} requested`]);
  });
});

describe('asked to remove a scale set', () => {
  test('case 76: with a busy runner the rest go and GitHub keeps it; called again after, it goes', async () => {
    const w = await listening();
    leftover(w, 'old-00000001');
    leftover(w, 'old-00000002', { busy: true });
    const id = w.github.sets.get('old')?.record.id;
    expect(await removeSet(w, 'old')).toMatchObject({ removed: [{ name: 'old-00000001' }], busyLeft: 1 });
    expect([w.machines(), w.github.sets.has('old')]).toEqual([['old-00000002'], true]);
    w.github.complete('old-00000002');
    expect(await removeSet(w, 'old')).toMatchObject({
      removed: [{ name: 'old-00000002' }],
      busyLeft: 0,
      scaleSetId: id,
    });
    expect([w.machines(), w.github.sets.has('old'), w.killed]).toEqual([[], false, []]);
  });

  test('case 77: one that is nowhere is not found, also the second time', async () => {
    const w = await listening();
    w.github.absent.add('nowhere');
    expect(await removeSet(w, 'nowhere')).toMatchObject({ code: 'not_found' });
    expect(await removeSet(w, 'nowhere')).toMatchObject({ code: 'not_found' });
  });

  test('machines without a scale set at GitHub go, without an id', async () => {
    const w = await listening();
    leftover(w, 'old-00000001');
    w.github.absent.add('old');
    const end = await removeSet(w, 'old');
    expect(end).toEqual({ removed: [expect.objectContaining({ name: 'old-00000001' })], busyLeft: 0 });
    expect(await removeSet(w, 'old')).toMatchObject({ code: 'not_found' });
  });

  test('a configured one is refused', async () => {
    const w = await listening();
    expect(await removeSet(w, 'vm')).toMatchObject({ code: 'invalid_argument' });
  });

  test('nothing goes while a provider, or a part of one, does not answer', async () => {
    const w = await listening({ providers: [{ name: 'a', parts: ['x', 'y'] }] });
    leftover(w, 'old-00000001');
    w.provider().partsDown.add('y');
    expect(await removeSet(w, 'old')).toMatchObject({ code: 'unavailable' });
    expect(w.machines()).toHaveLength(1);
  });

  test('one that another daemon serves is refused, and so is a runner of it', async () => {
    const w = await listening();
    leftover(w, 'old-00000001');
    w.github.chooseFault = (call, name) =>
      call === 'open' && name === 'old' ? new RungarError('busy', 'refused: conflict') : undefined;
    const served = { code: 'unavailable', message: expect.stringContaining('another daemon serves it') };
    expect(await removeSet(w, 'old')).toMatchObject(served);
    expect(await remove(w, 'old-00000001')).toMatchObject(served);
    expect([w.machines(), w.github.runners.size]).toEqual([['old-00000001'], 1]);
  });

  test('the session it is removed under is given back', async () => {
    const w = await listening();
    leftover(w, 'old-00000001');
    expect(await remove(w, 'old-00000001')).toMatchObject({ name: 'old-00000001', scaleSet: 'old' });
    expect(w.github.sets.get('old')?.session?.open).toBe(false);
  });

  test('a provider that was taken out while it had a runner still has to answer, and how to do without is said', async () => {
    const w = world({
      scaleSets: [policy({ minRunners: 1, providers: on('b') })],
      providers: [{ name: 'a' }, { name: 'b' }],
    });
    w.start();
    await w.clock.advance(30 * SECOND);
    w.provider('b').down = true;
    w.provider('b').chooseFault = () => 'hang';
    void w.reconciler.apply({
      scaleSets: [policy({ minRunners: 1, providers: on('a') })],
      providers: [{ name: 'a', provider: w.provider('a') }],
    });
    await w.clock.advance(30 * MINUTE);
    leftover(w, 'old-00000001');
    expect(await removeSet(w, 'old')).toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('provider b does not answer, and it may have runners of old'),
      hint: expect.stringContaining('take it out of the configuration and restart the daemon'),
    });
    expect(w.provider('a').named('old-00000001')).toHaveLength(1);
  });

  test('a daemon without a scale set removes what is left of its installation', async () => {
    const w = world({ scaleSets: [] });
    w.start();
    leftover(w, 'old-00000001');
    expect(await removeSet(w, 'old')).toMatchObject({ removed: [{ name: 'old-00000001' }], busyLeft: 0 });
    expect(w.machines()).toEqual([]);
  });

  test('a dry run tells what would go, and changes nothing', async () => {
    const w = await listening();
    leftover(w, 'old-00000001');
    const id = w.github.sets.get('old')?.record.id;
    const end = await removeSet(w, 'old', { dryRun: true });
    expect(end).toMatchObject({ removed: [{ name: 'old-00000001' }], busyLeft: 0, scaleSetId: id });
    leftover(w, 'old-00000002', { busy: true });
    expect(await removeSet(w, 'old', { dryRun: true })).toMatchObject({
      removed: [{ name: 'old-00000001' }],
      busyLeft: 1,
    });
    expect([w.machines().length, w.github.runners.size, w.events]).toEqual([2, 2, []]);
  });
});

describe('asked for a pass', () => {
  test('runs it at once with a new listing, and tells how the scale set stands after it', async () => {
    const w = await listening();
    w.provider().put('vm-0badf00d', labelsOf('vm-0badf00d'));
    w.github.register('vm-0badf00d', 'vm', { busy: true });
    expect(await ended(w, w.reconciler.reconcile('vm', NOBODY))).toMatchObject({
      name: 'vm',
      counts: { starting: 0, idle: 0, busy: 1 },
    });
  });

  test('is refused while the session is not held, and for a name nobody configured', async () => {
    const w = world();
    w.github.refuseSession = 'conflict';
    w.start();
    await w.clock.advance(5 * SECOND);
    expect(await ended(w, w.reconciler.reconcile('vm', NOBODY))).toMatchObject({ code: 'unavailable' });
    expect(await ended(w, w.reconciler.reconcile('nope', NOBODY))).toMatchObject({ code: 'not_found' });
  });
});

describe('a provider disabled by hand', () => {
  test('gets no more runners and keeps those it has, until it is enabled: then those missing come at once', async () => {
    const w = await listening({ scaleSets: [policy({ minRunners: 1 })] });
    expect(w.machines()).toHaveLength(1);
    expect(w.reconciler.disableProvider('a')).toMatchObject({ disabled: true, configuredDisabled: false });
    w.github.queueJob('vm', MINUTE);
    await w.clock.advance(3 * MINUTE);
    expect(w.machines()).toHaveLength(1);
    expect(w.reconciler.enableProvider('a')).toMatchObject({ disabled: false });
    await w.clock.advance(2 * SECOND);
    expect(w.machines()).toHaveLength(2);
  });

  test('by a name there is not is refused with those there are', async () => {
    const w = world();
    expect(() => w.reconciler.disableProvider('nope')).toThrow('no provider nope; there are: a');
  });
});
