import { expect, test } from 'vitest';
import { MINUTE, on, policy, SECOND, type World, world } from '../../test/world.js';

const MANY = 300;
/** How long the backend takes to finish what it has accepted. */
const FINISH_MS = 30 * SECOND;

function startMany(acceptMs?: number): World {
  const backend = { name: 'a', createMs: FINISH_MS, deleteMs: FINISH_MS, ...(acceptMs !== undefined && { acceptMs }) };
  const w = world({ scaleSets: [policy({ maxRunners: MANY })], providers: [backend] });
  for (let job = 0; job < MANY; job++) w.github.queueJob('vm', MINUTE);
  w.start();
  return w;
}

test('what a backend has accepted holds nobody up, and counts until it has ended', async () => {
  const w = startMany(200);
  await w.clock.advance(20 * SECOND);
  expect(w.provider().count('create')).toBe(MANY);
  expect(w.reconciler.scaleSets()[0]?.counts).toEqual({ starting: 0, idle: 0, busy: 0 });

  // Nothing is asked for twice while all of them are on their way.
  await w.clock.advance(45 * SECOND);
  expect(w.github.count('jit')).toBe(MANY);
  expect(w.reconciler.scaleSets()[0]?.counts).toEqual({ starting: 0, idle: 0, busy: MANY });

  // All jobs end within the twenty seconds in which they began: their machines go at once.
  await w.clock.advance(MINUTE);
  expect(w.provider().count('delete')).toBe(MANY);
  await w.clock.advance(2 * MINUTE);
  expect(w.machines()).toEqual([]);
  expect(w.provider().count('create')).toBe(MANY);
});

test('of what a backend has not accepted, 64 creations are in flight, and registrations for 96', async () => {
  const w = startMany();
  await w.clock.advance(20 * SECOND);
  expect(w.provider().count('create')).toBe(64);
  expect(w.github.count('jit')).toBe(96);
});

test('what is refused after it was accepted is given up like any other', async () => {
  const w = world({
    scaleSets: [policy({ maxRunners: 2, providers: on('a', 'b'), placement: 'pack' })],
    providers: [{ name: 'a', acceptMs: 200 }, { name: 'b' }],
  });
  w.provider('a').faults.create = ['full_later', 'full_later'];
  for (let job = 0; job < 2; job++) w.github.queueJob('vm', MINUTE);
  w.start();
  await w.clock.advance(50 * SECOND);
  expect([w.provider('a').machines.size, w.provider('b').machines.size]).toEqual([0, 2]);
  expect(w.github.count('jit')).toBe(2);
});
