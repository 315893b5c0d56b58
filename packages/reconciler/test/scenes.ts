import type { RungarError } from '@rungar/model';
import { expect } from 'vitest';
import { MINUTE, policy, SECOND, type World, type WorldOptions, world } from './world.js';

type Policy = Parameters<typeof policy>[0];

export const one = (over: Policy = {}): WorldOptions => ({ scaleSets: [policy(over)] });

/** A daemon that listens, with jobs that no runner takes by itself. */
export async function listening(options: WorldOptions = {}, jobs = 0): Promise<World> {
  const w = world(options);
  w.github.autoRun = false;
  for (let job = 0; job < jobs; job++) w.github.queueJob('vm', MINUTE);
  // The session says how many there are; it takes no messages.
  w.github.sets.get('vm')?.queue.splice(0);
  w.start();
  await w.clock.advance(5 * SECOND);
  expect(w.reconciler.scaleSets()[0]?.phase).toBe('listening');
  return w;
}

/** A daemon with a reserve of idle runners, which take jobs as they come. */
export async function withIdle(count = 1, options: WorldOptions = {}, over: Policy = {}): Promise<World> {
  const w = world({ ...one({ minRunners: count, ...over }), ...options });
  w.start();
  await w.clock.advance(50 * SECOND);
  expect(w.reconciler.scaleSets()[0]?.counts).toEqual({ starting: 0, idle: count, busy: 0 });
  return w;
}

/** A daemon whose only runner has a job. */
export async function withBusy(durationMs: number, over: Policy = {}): Promise<World> {
  const w = await withIdle(0, {}, over);
  w.github.queueJob('vm', durationMs);
  await w.clock.advance(30 * SECOND);
  expect(w.reconciler.scaleSets()[0]?.counts).toEqual({ starting: 0, idle: 0, busy: 1 });
  return w;
}

/** The first runner with a machine. */
export const first = (w: World): string => w.machines()[0] ?? '';

/** A runner's machine and its job end from one moment to the next, and GitHub learns only that it is offline. */
export function crash(w: World, name: string): void {
  w.provider().vanish(name);
  w.github.crash(name);
}

/** GitHub has forgotten a runner, as it does after its job. */
export function forgetAtGitHub(w: World, name: string): void {
  const runner = w.github.named(name);
  if (runner) w.github.runners.delete(runner.id);
}

export const countsOf = (w: World): unknown => w.reconciler.scaleSets()[0]?.counts;
export const failures = (w: World, reason: string): number =>
  w.metrics.get('rungar_scale_up_failures_total', { scale_set: 'vm', reason });
export const desired = (w: World): number => w.metrics.get('rungar_runners_desired', { scale_set: 'vm' });
/** The facts in the events that tell of a runner's end. */
export const proofs = (w: World): (string | undefined)[] =>
  w.events.filter(({ action }) => action === 'removed' || action === 'lost').map(({ attributes }) => attributes?.proof);

/** Lets time pass until a request has ended, and gives what it ended with. */
export async function ended<T>(w: World, request: Promise<T>): Promise<T | RungarError> {
  let end: T | RungarError | undefined;
  void request.then(
    (value) => {
      end = value;
    },
    (error: unknown) => {
      end = error as RungarError;
    },
  );
  for (let waited = 0; end === undefined && waited < 600; waited++) await w.clock.advance(SECOND);
  if (end === undefined) throw new Error('the request never ended');
  return end;
}
