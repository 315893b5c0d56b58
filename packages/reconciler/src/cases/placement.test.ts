import { describe, expect, test } from 'vitest';
import { listening, one } from '../../test/scenes.js';
import { labelsOf, MINUTE, on, policy, SECOND, type World, world } from '../../test/world.js';

const two = { providers: [{ name: 'a' }, { name: 'b' }] };
const pair = (over: Parameters<typeof policy>[0] = {}) => [
  policy({ name: 'vm', providers: on('a', 'b'), ...over }),
  policy({ name: 'low', providers: on('a', 'b'), placement: 'pack' }),
];
/** The providers asked for a machine, in order; of one scale set, if named. */
const asked = (w: World, scaleSet?: string): string[] =>
  [...w.providers]
    .flatMap(([provider, { calls }]) => calls.map((call) => ({ provider, ...call })))
    .filter(({ call, name }) => call === 'create' && (scaleSet === undefined || name?.startsWith(`${scaleSet}-`)))
    .sort((x, y) => x.at - y.at)
    .map(({ provider }) => provider);

/** A daemon over three full providers that has as many busy runners on each as given. */
async function overThree(placement: 'spread' | 'pack', weights: number[], runners: number[]): Promise<World> {
  const names = ['a', 'b', 'c'];
  const w = world({
    ...one({ providers: on(...names), placement }),
    providers: names.map((name, n) => ({ name, weight: weights[n] ?? 1 })),
  });
  names.forEach((provider, at) => {
    for (let n = 0; n < (runners[at] ?? 0); n++) {
      const name = `vm-${provider.repeat(7)}${n}`;
      w.provider(provider).put(name, labelsOf(name));
      w.github.register(name, 'vm', { busy: true });
    }
    w.provider(provider).chooseFault = (call) => (call === 'create' ? 'full' : undefined);
  });
  w.github.queueJob('vm', MINUTE);
  w.start();
  await w.clock.advance(5 * SECOND);
  return w;
}

describe('placement', () => {
  test('case 59: spread goes by runners per weight, ties as configured', async () => {
    expect(asked(await overThree('spread', [2, 1, 1], [2, 1, 2]))).toEqual(['a', 'b', 'c']);
  });

  test('case 60: pack goes by weight, ties as configured', async () => {
    expect(asked(await overThree('pack', [1, 2, 2], [0, 0, 0]))).toEqual(['b', 'c', 'a']);
  });

  test('case 61: a full provider is skipped by the scale set that found it so, and tried by others', async () => {
    const w = world({ scaleSets: pair(), ...two });
    w.github.autoRun = false;
    w.provider('a').faults.create.push('full');
    w.start();
    await w.clock.advance(5 * SECOND);
    w.github.queueJob('vm', MINUTE);
    await w.clock.advance(2 * SECOND);
    w.github.queueJob('low', MINUTE);
    await w.clock.advance(2 * SECOND);
    w.github.queueJob('vm', MINUTE);
    await w.clock.advance(2 * SECOND);
    expect([asked(w, 'vm'), asked(w, 'low')]).toEqual([['a', 'b', 'b'], ['a']]);
  });

  test('case 62: two refusals in a row and then a success leave no back-off', async () => {
    const w = world();
    w.github.autoRun = false;
    w.provider().faults.create.push('broken', 'broken');
    w.github.queueJob('vm', MINUTE);
    w.start();
    await w.clock.advance(50 * SECOND);
    expect(w.reconciler.providers()[0]?.scaleSets).toMatchObject([{ scaleSet: 'vm', refusals: 2 }]);
    await w.clock.advance(MINUTE);
    expect(w.machines()).toHaveLength(1);
    expect(w.reconciler.providers()[0]?.scaleSets).toEqual([]);
  });

  test('case 63: eight at once on a provider limited to one make one create and seven refusals without a call', async () => {
    const sets = Array.from({ length: 8 }, (_, n) => policy({ name: `s${n}` }));
    const w = world({ scaleSets: sets, providers: [{ name: 'a', maxRunners: 1 }] });
    w.github.autoRun = false;
    for (const { name } of sets) w.github.queueJob(name, MINUTE);
    w.start();
    await w.clock.advance(5 * SECOND);
    expect([w.provider().count('create'), w.github.count('jit')]).toEqual([1, 1]);
  });

  test('case 64: a provider found full by a higher priority is left to it by a lower one, and by no equal one', async () => {
    const w = world({
      scaleSets: [
        policy({ priority: 5 }),
        policy({ name: 'low', providers: on('a', 'b'), placement: 'pack' }),
        policy({ name: 'equal', providers: on('a', 'b'), placement: 'pack', priority: 5 }),
      ],
      ...two,
    });
    w.github.autoRun = false;
    w.provider('a').faults.create.push('full');
    w.start();
    await w.clock.advance(5 * SECOND);
    w.github.queueJob('vm', MINUTE);
    await w.clock.advance(2 * SECOND);
    w.github.queueJob('low', MINUTE);
    await w.clock.advance(2 * SECOND);
    expect(asked(w, 'low')).toEqual(['b']);
    expect(w.reconciler.scaleSets()[1]?.holdingBackReason).toContain('leaves a to vm');
    expect(w.reconciler.scaleSets()[2]?.holdingBackReason).toBe('');
    w.github.queueJob('equal', MINUTE);
    await w.clock.advance(2 * SECOND);
    expect(asked(w, 'equal')).toEqual(['a']);
  });

  test('case 65: when an equal priority places a runner there, it is held no longer', async () => {
    const w = world({
      scaleSets: [policy({ priority: 5 }), policy({ name: 'equal', priority: 5 }), policy({ name: 'low' })],
    });
    w.github.autoRun = false;
    w.provider().faults.create.push('full');
    w.start();
    await w.clock.advance(5 * SECOND);
    w.github.queueJob('vm', MINUTE);
    await w.clock.advance(2 * SECOND);
    expect(w.reconciler.providers()[0]?.hold).toMatchObject({ scaleSet: 'vm', priority: 5 });
    w.github.queueJob('equal', MINUTE);
    await w.clock.advance(2 * SECOND);
    expect(w.reconciler.providers()[0]?.hold).toBeUndefined();
    w.github.queueJob('low', MINUTE);
    await w.clock.advance(2 * SECOND);
    expect(asked(w, 'low')).toEqual(['a']);
  });

  test('case 66: a hold lasts while its owner keeps asking, and lapses a minute after it stops', async () => {
    const w = world({ scaleSets: [policy({ priority: 5 }), policy({ name: 'low' })] });
    w.github.autoRun = false;
    w.provider().chooseFault = (call) => (call === 'create' ? 'full' : undefined);
    w.start();
    await w.clock.advance(5 * SECOND);
    w.github.queueJob('vm', MINUTE);
    await w.clock.advance(10 * MINUTE);
    expect(w.reconciler.providers()[0]?.hold).toMatchObject({ scaleSet: 'vm' });
    w.github.cancelWaiting('vm');
    await w.clock.advance(62 * SECOND);
    expect(w.reconciler.providers()[0]?.hold).toBeUndefined();
  });

  test('case 67: a provider that fails without being full is left to nobody', async () => {
    const w = world({ scaleSets: [policy({ priority: 5 }), policy({ name: 'low', providers: on('a') })] });
    w.provider('a').faults.create.push('broken');
    w.start();
    await w.clock.advance(5 * SECOND);
    w.github.queueJob('vm', MINUTE);
    await w.clock.advance(2 * SECOND);
    expect(w.reconciler.providers()[0]?.hold).toBeUndefined();
  });

  test('case 68: a machine not deleted yet holds its place on the provider, but not in the scale set', async () => {
    const w = await listening({ ...one({ maxRunners: 1 }), providers: [{ name: 'a', maxRunners: 1 }] }, 1);
    await w.clock.advance(MINUTE);
    const [name = ''] = w.machines();
    for (const entry of w.provider().named(name)) entry.undeletable = true;
    w.github.cancelWaiting('vm');
    await w.clock.advance(10 * SECOND);
    expect(w.reconciler.scaleSets()[0]?.counts).toEqual({ starting: 0, idle: 0, busy: 0 });
    expect(w.reconciler.providers()[0]?.runnerCount).toBe(1);
    w.github.queueJob('vm', MINUTE);
    await w.clock.advance(10 * SECOND);
    expect(w.provider().count('create')).toBe(1);
  });
});
