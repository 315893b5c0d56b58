import { expect, test } from 'vitest';
import { labelsOf, MINUTE, on, policy, SECOND, world } from '../../test/world.js';

const IDENTITY = 'aws:123456789012/eu-central-1';

test('of two providers that are one backend the later is not used, says so, and no runner is counted twice', async () => {
  const w = world({
    scaleSets: [policy({ minRunners: 4, providers: on('a', 'b') })],
    providers: [{ name: 'a' }, { name: 'b' }],
  });
  const [a, b] = [w.provider('a'), w.provider('b')];
  w.start();
  await w.clock.advance(50 * SECOND);
  expect([a.machines.size, b.machines.size]).toEqual([2, 2]);
  expect(w.reconciler.scaleSets()[0]?.countsByProvider).toEqual({
    a: { starting: 0, idle: 2, busy: 0 },
    b: { starting: 0, idle: 2, busy: 0 },
  });

  // From now on each says what it is, and shows what the other does.
  for (const [id, entry] of [...b.machines]) a.machines.set(`b-${id}`, entry);
  b.machines.clear();
  for (const [id, entry] of a.machines) b.machines.set(id, entry);
  for (const provider of [a, b]) provider.identity = IDENTITY;
  await w.clock.advance(2 * MINUTE);

  const [first, later] = w.reconciler.providers();
  expect(first).toMatchObject({ name: 'a', disabled: false, runnerCount: 4 });
  expect(first).not.toHaveProperty('sameBackendAs');
  expect(later).toMatchObject({ name: 'b', disabled: true, configuredDisabled: false, runnerCount: 0 });
  expect(later).toMatchObject({ sameBackendAs: 'a' });
  expect(w.reconciler.scaleSets()[0]?.counts).toEqual({ starting: 0, idle: 4, busy: 0 });
  expect(w.happened('removed', 'lost', 'adopted')).toEqual([]);
  expect(w.logs.filter(({ level }) => level === 'error')).toMatchObject([
    { fields: { provider: 'b', same_as: 'a', backend: IDENTITY } },
  ]);

  const before = b.calls.length;
  for (let n = 0; n < 3; n++) w.github.queueJob('vm', 10 * MINUTE);
  await w.clock.advance(2 * MINUTE);
  expect(w.reconciler.scaleSets()[0]?.countsByProvider).toEqual({ a: { starting: 0, idle: 4, busy: 3 } });
  expect(b.calls).toHaveLength(before);
});

test('a runner made by the later one whose machine is gone is found out by the listing of the first', async () => {
  const w = world({
    scaleSets: [policy({ maxRunners: 2, providers: on('b') })],
    providers: [{ name: 'a' }, { name: 'b' }],
  });
  w.provider('b').put('vm-0000000b', labelsOf('vm-0000000b'));
  w.github.register('vm-0000000b', 'vm', { online: true });
  w.start();
  await w.clock.advance(5 * SECOND);
  w.provider('b').vanish('vm-0000000b');
  w.github.crash('vm-0000000b');
  for (const name of ['a', 'b']) w.provider(name).identity = IDENTITY;
  await w.clock.advance(15 * MINUTE);
  expect(w.reconciler.scaleSets()[0]?.counts).toEqual({ starting: 0, idle: 0, busy: 0 });
});
