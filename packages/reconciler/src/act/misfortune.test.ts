import { describe, expect, test } from 'vitest';
import { first, forgetAtGitHub, listening, one, withIdle } from '../../test/scenes.js';
import { MINUTE, SECOND, type World, world } from '../../test/world.js';

/** Lets time pass while every machine made from now on ends a second after it began, its runner never connected. */
async function passWithBrokenImage(w: World, ms: number): Promise<void> {
  const well = new Set(w.machines());
  for (let passed = 0; passed < ms; passed += SECOND) {
    for (const name of w.machines()) if (!well.has(name)) w.provider().setState(name, 'stopped', 'the image is broken');
    await w.clock.advance(SECOND);
  }
}

describe('machines that end as soon as they begin', () => {
  test('are made ever more slowly, long before start_timeout tells what became of the first', async () => {
    const w = world({ ...one({ minRunners: 1, startTimeoutMs: 30 * MINUTE }), bootMs: undefined });
    w.start();
    await passWithBrokenImage(w, 10 * MINUTE);
    expect(w.happened('lost', 'removed')).toEqual([]);
    // Without a brake it is one each pass: twenty.
    expect(w.provider().count('create')).toBeLessThanOrEqual(8);
    const [slowed] = w.reconciler.providers()[0]?.slowed ?? [];
    expect(slowed).toMatchObject({ scaleSet: 'vm', why: expect.stringContaining('never connected') });
    const [event] = w.events.filter(({ action }) => action === 'failing');
    expect(event).toMatchObject({
      name: 'a',
      scaleSet: 'vm',
      message: expect.stringMatching(
        /^Failing: slowed down: 3 runners in a row came to nothing, .*tries it again in 30s$/,
      ),
      attributes: { refusals: '3', skipped_for: '30s', error: expect.stringContaining('never connected') },
    });
  });

  test('are made as ever once one has stayed connected for two minutes', async () => {
    const w = world({ ...one({ minRunners: 1 }) });
    w.start();
    await passWithBrokenImage(w, 3 * MINUTE);
    expect(w.reconciler.providers()[0]?.slowed).toHaveLength(1);
    await w.clock.advance(10 * MINUTE);
    expect(w.reconciler.providers()[0]?.slowed).toEqual([]);
    expect(w.reconciler.scaleSets()[0]?.counts).toMatchObject({ idle: 1 });
  });

  test('are made slowly although an older runner is well there', async () => {
    const w = await withIdle(1);
    w.github.autoRun = false;
    await w.clock.advance(5 * MINUTE);
    w.github.queueJob('vm', MINUTE);
    await passWithBrokenImage(w, 10 * MINUTE);
    expect(w.reconciler.providers()[0]?.slowed).toHaveLength(1);
    expect(w.provider().count('create')).toBeLessThanOrEqual(9);
  });

  test('slow nobody down elsewhere', async () => {
    const w = world({
      scaleSets: [
        ...(one({ minRunners: 1 }).scaleSets ?? []),
        ...(one({ name: 'arm', minRunners: 0 }).scaleSets ?? []),
      ],
    });
    w.start();
    await passWithBrokenImage(w, 3 * MINUTE);
    w.github.queueJob('arm', 60 * MINUTE);
    await w.clock.advance(MINUTE);
    expect(w.reconciler.scaleSets()[1]?.counts).toMatchObject({ busy: 1 });
  });
});

test('jobs so quick that nobody sees their runners connected slow nothing down', async () => {
  const w = await listening({ ...one({ minRunners: 1 }), bootMs: undefined });
  for (let round = 0; round < 12; round++) {
    // It takes a job and does it before anybody looks, and the word of that is late.
    const name = first(w);
    forgetAtGitHub(w, name);
    w.provider().setState(name, 'stopped');
    await w.clock.advance(40 * SECOND);
  }
  expect(new Set(w.happened('removed').map((text) => text.split(' ')[2]))).toEqual(new Set(['job_completed']));
  expect([w.provider().count('create'), w.reconciler.providers()[0]?.slowed]).toEqual([13, []]);
});
