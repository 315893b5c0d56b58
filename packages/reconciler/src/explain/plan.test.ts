import { expect, test } from 'vitest';
import { MINUTE, on, policy, SECOND, type World, type WorldOptions, world } from '../../test/world.js';
import type { PlannedChange } from '../act/preview.js';
import type { ScaleSetPlan } from './scale-set-plan.js';

async function started(options: WorldOptions, ms = MINUTE): Promise<World> {
  const w = world(options);
  w.start();
  await w.clock.advance(ms);
  return w;
}

async function planOf(w: World, name = 'vm', change?: PlannedChange): Promise<ScaleSetPlan> {
  const plan = w.reconciler.plan(name, change);
  await w.clock.advance(SECOND);
  return plan;
}

const provider = (name: string, over: Partial<PlannedChange['providers'][number]> = {}) => ({
  name,
  weight: 1,
  maxRunners: 0,
  disabled: false,
  ...over,
});

test('an idle fleet has nothing to do, and says what its target is made of', async () => {
  const w = await started({ scaleSets: [policy({ minRunners: 2 })] });
  const plan = await planOf(w);
  expect(plan).toMatchObject({ scaleSet: 'vm', phase: 'listening', paused: false, steps: [], outdated: [] });
  expect(plan.reasons).toEqual(['GitHub has assigned nothing to it']);
  expect(plan.scaling).toMatchObject({ target: 2, create: 0, giveBack: 0, why: 'min_runners 2 + 0 assigned jobs = 2' });
  expect(plan.placement).toEqual([
    { provider: 'a', rank: 1, kind: 'usable', why: '2 of its runners, weight 1', taken: 2, maxRunners: 0, weight: 1 },
  ]);
  expect(w.machines()).toHaveLength(2);
});

test('each provider has its verdict, and what nobody takes is said', async () => {
  const w = await started({
    scaleSets: [
      policy({ name: 'vm', maxRunners: 9, providers: on('a', 'b', 'c') }),
      policy({ name: 'rel', priority: 5, providers: on('b') }),
    ],
    providers: [
      { name: 'a', maxRunners: 1 },
      { name: 'b', capacity: 1 },
      { name: 'c', disabled: true },
    ],
  });
  for (let job = 0; job < 2; job++) w.github.queueJob('rel', 30 * MINUTE);
  for (let job = 0; job < 4; job++) w.github.queueJob('vm', 30 * MINUTE);
  await w.clock.advance(5 * SECOND);
  const plan = await planOf(w);
  const verdicts = plan.placement.map(({ provider: name, kind, why }) => [name, kind, why.replace(/, tried.*/, '')]);
  expect(verdicts).toEqual([
    ['a', 'at_limit', 'at its limit of 1 runners'],
    ['b', expect.stringMatching(/held|full/), expect.stringMatching(/held for rel|full/)],
    ['c', 'disabled', 'disabled'],
  ]);
  expect(plan.scaling).toMatchObject({ target: 4, create: 3, placed: [] });
  expect(plan.reasons.join('\n')).toMatch(
    /no provider can take a runner: a at its limit of 1 runners; b .*; c disabled/,
  );
});

test('a target beyond max_runners is at its limit, and a paused scale set wants none', async () => {
  const w = await started({ scaleSets: [policy({ maxRunners: 2 })] });
  for (let job = 0; job < 5; job++) w.github.queueJob('vm', 30 * MINUTE);
  await w.clock.advance(SECOND);
  const full = await planOf(w);
  expect(full.reasons).toContain('it is at its limit of 2 runners (max_runners)');
  expect(full.scaling?.why).toBe('min_runners 0 + 5 assigned jobs = 5, at its limit of max_runners 2');
  w.reconciler.pause('vm');
  const paused = await planOf(w);
  expect(paused.reasons).toEqual(['it is paused: jobs wait on GitHub until it is resumed']);
  expect(paused.scaling).toMatchObject({ target: 0 });
});

test('of more runners than wanted it says which cannot go yet, and why', async () => {
  const w = await started({
    scaleSets: [policy({ maxRunners: 9 })],
    providers: [{ name: 'a', createMs: 40 * SECOND }],
  });
  for (let job = 0; job < 3; job++) w.github.queueJob('vm', 30 * MINUTE);
  await w.clock.advance(2 * MINUTE);
  w.github.queueJob('vm', 30 * MINUTE);
  await w.clock.advance(3 * SECOND);
  const scaleSet = policy({ maxRunners: 1 });
  const lowered = await planOf(w, 'vm', { scaleSet, providers: [provider('a')] });
  expect(lowered.scaling).toMatchObject({ target: 1, giveBack: 3 });
  expect(lowered.steps.filter((step) => step.do === 'give_back')).toEqual([]);
  expect(lowered.reasons).toEqual([
    'it is at its limit of 1 runner (max_runners)',
    '2 of the 3 too many have jobs and go after them',
    '1 of the 3 too many is still being created',
  ]);
});

test('a scale set that has lost its session says so, and not that it is being looked up', async () => {
  const w = await started({ scaleSets: [policy({})] });
  w.github.loseSession('vm');
  await w.clock.advance(2 * SECOND);
  const plan = await planOf(w);
  expect(plan.reasons).toEqual([
    expect.stringMatching(/^nothing is begun while its session is not held: its session was lost: /),
  ]);
});

test('under another configuration it says what goes, what comes and what becomes outdated, and changes nothing', async () => {
  const w = await started({ scaleSets: [policy({ minRunners: 3 })] });
  const before = w.machines();
  const next = policy({
    minRunners: 1,
    providers: [{ name: 'a', spec: {}, revision: 'bbbbbbbbbbbb', size: 'large' }],
  });
  const plan = await planOf(w, 'vm', { scaleSet: next, providers: [provider('a')] });
  expect(plan.steps.map((step) => step.do)).toEqual(['wait', 'give_back', 'give_back']);
  expect(plan.steps[0]?.why).toBe('there are more runners than wanted, so it goes with them');
  expect(plan.steps[1]).toMatchObject({
    what: 'give it back, its registration first',
    why: '2 too many (min_runners 1 + 0 assigned jobs = 1); it is of another revision',
    provider: 'a',
    facts: { target: '1', state: 'idle', revision: 'aaaaaaaaaaaa' },
  });
  expect(plan.outdated).toHaveLength(3);
  expect(plan.outdated[0]).toMatchObject({ state: 'idle', oldRevision: 'aaaaaaaaaaaa', newRevision: 'bbbbbbbbbbbb' });

  const more = await planOf(w, 'vm', {
    scaleSet: policy({ minRunners: 5, providers: on('a', 'new') }),
    providers: [provider('a', { maxRunners: 3 }), provider('new', { weight: 2 })],
  });
  expect(more.steps.map(({ do: kind, provider: name }) => `${kind} ${name}`)).toEqual(['create new', 'create new']);
  expect(more.placement.map(({ provider: name, kind }) => `${name} ${kind}`)).toEqual(['new usable', 'a at_limit']);

  const unknown = await planOf(w, 'other', {
    scaleSet: policy({ name: 'other', minRunners: 2 }),
    providers: [provider('a')],
  });
  expect(unknown.steps.map(({ what }) => what)).toEqual(['create a runner', 'create a runner']);
  await w.clock.advance(MINUTE);
  expect(w.machines()).toEqual(before);
});

test('a step carries the facts it rests on, in words and for programs', async () => {
  const w = await started({ scaleSets: [policy({ minRunners: 1 })] }, 50 * SECOND);
  const [name = ''] = w.machines();
  const runner = w.github.named(name);
  if (runner) w.github.runners.delete(runner.id);
  const { steps } = await planOf(w);
  expect(steps).toContainEqual({
    do: 'remove',
    runner: name,
    provider: 'a',
    what: 'remove it, its registration first',
    why: "GitHub no longer knows it: GitHub's listing lacks it; GitHub does not find it by name",
    facts: { state: 'idle', revision: 'aaaaaaaaaaaa', reason: 'unregistered', proof: 'not_listed,not_found_by_name' },
  });
  expect(steps.at(-1)).toMatchObject({ do: 'create', provider: 'a', why: expect.stringContaining('1 missing') });
});

test('where another daemon holds the session the plan says that once', async () => {
  const w = world({ scaleSets: [policy({})] });
  w.github.refuseSession = 'conflict';
  w.start();
  await w.clock.advance(5 * SECOND);
  expect((await planOf(w)).reasons).toEqual([
    expect.stringMatching(/^nothing is begun while another daemon holds its session(?!.*another)/),
  ]);
  await w.stop();
});
