import type { JobFacts, RungarEvent } from '@rungar/model';
import { EVENT_ACTIONS } from '@rungar/model';
import { expect, test } from 'vitest';
import { MINUTE, on, policy, SECOND, type World, type WorldOptions, world } from '../../test/world.js';
import type { ScaleSetStatus } from '../status.js';
import { whyNotMore } from './describe-scaling.js';
import { explain } from './explain.js';
import type { ExplainFacts, Subject } from './story.js';

/** A daemon whose events carry their times. */
function toldWorld(options: WorldOptions): { w: World; told: RungarEvent[] } {
  const told: RungarEvent[] = [];
  const w = world(options);
  w.reconciler.on('event', (event) => void told.push(event));
  w.start();
  return { w, told };
}

async function factsOf({ w, told }: { w: World; told: RungarEvent[] }): Promise<ExplainFacts> {
  const { reconciler, clock } = w;
  const names = reconciler.scaleSets().map(({ name }) => name);
  const asked = Promise.all([
    reconciler.listRunners({}, new AbortController().signal),
    ...names.map((name) => reconciler.plan(name)),
  ]);
  await clock.advance(2 * SECOND);
  const [{ runners }, ...plans] = await asked;
  return {
    events: told,
    present: {
      scaleSets: reconciler.scaleSets(),
      providers: reconciler.providers(),
      runners,
      plans: new Map(plans.map((plan) => [plan.scaleSet, plan])),
    },
  };
}

const lines = (subject: Subject, facts: ExplainFacts): string[] =>
  explain(subject, facts).entries.map(({ by, text }) => `${by}: ${text.replace(/vm-[0-9a-f]{8}/g, 'R')}`);

test('a job, from queued to finished, with its runner in between, in the order of time', async () => {
  const here = toldWorld({
    scaleSets: [policy({ providers: on('a', 'b') })],
    providers: [{ name: 'a' }, { name: 'b' }],
  });
  const { w, told } = here;
  await w.clock.advance(10 * SECOND);
  w.provider('a').faults.create.push('full');
  const job = w.github.queueJob('vm', 30 * SECOND);
  await w.clock.advance(3 * MINUTE);

  const past: ExplainFacts = { events: told };
  const story = lines({ kind: 'job', name: job.id, id: job.id }, past);
  expect(story).toEqual([
    expect.stringMatching(/^github: queued job \S+ of /),
    expect.stringMatching(/^github: assigned job \S+ of .* to scale set vm$/),
    'rungar: began to create it',
    'provider: refused R of vm: no room for another machine',
    'rungar: vm moved on, and skipped a for 15s',
    'provider: b made its machine (small)',
    expect.stringMatching(/^github: showed it connected, .* after its machine$/),
    expect.stringMatching(/^github: gave job \S+ of .* to R$/),
    expect.stringMatching(/^rungar: heard that R runs job .*, which had waited .*, .* of it for a runner$/),
    'rungar: removed it: its job is done (GitHub told that its job is done)',
  ]);
  const { now, entries } = explain({ kind: 'job', name: 'j', id: job.id }, past);
  expect(now).toEqual([expect.stringMatching(/^job \S+ is over \(succeeded\); it ran on vm-/)]);
  expect(entries.map(({ time }) => time)).toEqual(entries.map(({ time }) => time).sort((a, b) => a - b));

  const runner = told.find(({ action }) => action === 'created')?.name ?? '';
  expect(lines({ kind: 'runner', name: runner }, past)).toEqual(story);
  expect(explain({ kind: 'runner', name: runner }, past).now).toEqual([
    expect.stringMatching(/^it is no more: Removed from b after its job/),
  ]);
});

test('a job that waits says for what: limits, holds and what each provider answers', async () => {
  const here = toldWorld({
    scaleSets: [
      policy({ name: 'vm', providers: on('a', 'b') }),
      policy({ name: 'rel', priority: 5, providers: on('b') }),
    ],
    providers: [
      { name: 'a', maxRunners: 1 },
      { name: 'b', capacity: 1 },
    ],
  });
  const { w } = here;
  await w.clock.advance(10 * SECOND);
  for (let job = 0; job < 2; job++) w.github.queueJob('rel', 30 * MINUTE);
  await w.clock.advance(5 * SECOND);
  w.github.queueJob('vm', 30 * MINUTE);
  await w.clock.advance(MINUTE);
  const late = w.github.queueJob('vm', MINUTE);
  await w.clock.advance(4 * SECOND);

  const facts = await factsOf(here);
  const { present } = facts;
  if (!present) throw new Error('nothing is known of the present');
  const queuedAt = w.clock.wallNow() - 4 * SECOND;
  const scaleSets = present.scaleSets.map((status) => ({
    ...status,
    waitingJobs: status.waitingJobs.map((job) => ({ ...job, queuedAt, assignedAt: queuedAt + 1 })),
  }));
  const subject: Subject = { kind: 'job', name: late.id, id: late.id };
  const { now, entries } = explain(subject, { ...facts, present: { ...present, scaleSets } });
  const said = now.join('\n');
  expect(said).toContain('waits for a runner of vm');
  expect(said).toContain('a: at its limit of 1 runners');
  expect(said).toContain('b: held for rel');
  expect(said).toContain('vm leaves b to rel, which waits for room there');
  expect(entries.map(({ text }) => text.replace(/ job .*/, ''))).toEqual(['queued', 'assigned']);

  const provider = explain({ kind: 'provider', name: 'b' }, facts).now.join('\n');
  expect(provider).toContain('it answers');
  expect(provider).toMatch(/it is held for rel \(priority 5\), which found no room, for another/);
  expect(provider).toMatch(/it refused rel .*\(full: no room for another machine\)/);
  expect(explain({ kind: 'provider', name: 'a' }, facts).now).toContain(
    'it has 1 of at most 1 runner: it is at its limit',
  );
});

test('a scale set without jobs says that GitHub has assigned nothing', async () => {
  const here = toldWorld({ scaleSets: [policy({ minRunners: 1, labels: ['vm', 'Quick'] })] });
  await here.w.clock.advance(MINUTE);
  const facts = await factsOf(here);
  const story = explain({ kind: 'scale_set', name: 'vm' }, facts);
  expect(story.now).toEqual([
    'it serves, with 0 busy, 1 idle, 0 starting, 0 being created',
    'its target is 1: min_runners 1 + 0 assigned jobs = 1',
    'GitHub has assigned nothing to it',
    'a: tried as number 1, 1 of its runners, weight 1',
  ]);
  expect(story.entries.map(({ by }) => by)).toEqual(['rungar', 'provider', 'github']);

  const job = (labels: string[]) => explain({ kind: 'job', name: '77', id: '77', labels }, facts).now;
  expect(job(['vm', 'gpu'])).toEqual(['no scale set carries this label: gpu; there are vm (vm, Quick)']);
  expect(job(['quick'])[0]).toBe('scale set vm carries quick, but GitHub has assigned nothing of this job to it');
  const runner = facts.present?.runners[0]?.name ?? '';
  expect(explain({ kind: 'runner', name: runner }, facts).now).toEqual([
    'it is idle; its machine on a is running; GitHub shows it idle',
  ]);
  expect(() => explain({ kind: 'runner', name: `${runner.slice(0, -1)}x` }, facts)).toThrow(
    `nothing is known of a runner "${runner.slice(0, -1)}x" (did you mean ${runner}?); there are: ${runner}`,
  );
  expect(() => explain({ kind: 'job', name: '77', id: '77' }, facts)).toThrow(
    'GitHub has assigned no job "77" to a scale set here; the scale sets carry: vm (vm, Quick)',
  );
  expect(explain({ kind: 'scale_set', name: 'vm' }, { ...facts, limit: 1 })).toMatchObject({
    leftOut: 2,
    entries: [{ by: 'github' }],
  });
});

test('words agree with numbers, and with the phase of a scale set', async () => {
  const here = toldWorld({ scaleSets: [policy({ minRunners: 1 })] });
  await here.w.clock.advance(MINUTE);
  const facts = await factsOf(here);
  const { present } = facts;
  const [own] = present?.scaleSets ?? [];
  if (!present || !own) throw new Error('nothing is known of the present');
  const said = (change: Partial<ScaleSetStatus>): string => {
    const scaleSets = [{ ...own, ...change }];
    return explain({ kind: 'scale_set', name: 'vm' }, { ...facts, present: { ...present, scaleSets } }).now.join('\n');
  };
  const job = (jobId: string): JobFacts => ({
    ...{ jobId, runnerRequestId: 0, owner: 'my-org', repository: 'web', workflowRef: '', displayName: '' },
    ...{ workflowRunId: 1, eventName: 'push', requestLabels: ['vm'] },
  });
  expect(said({ waitingJobs: [job('j1')] })).toContain('1 of its jobs waits for a runner: j1');
  expect(said({ waitingJobs: [job('j1'), job('j2')] })).toContain('2 of its jobs wait for a runner, first j1');
  expect(said({ phase: 'failed', phaseReason: 'no such group' })).toContain('it has failed: no such group, with');
  expect(said({ phase: 'github_unreachable' })).toContain('it does not reach GitHub, with');
  expect(said({ phase: 'waiting_for_session' })).toContain('it waits for its session, with');
  expect(explain({ kind: 'provider', name: 'a' }, facts).now).toContain('it has 1 runner');
  expect(explain({ kind: 'job', name: '7', labels: ['linux', 'gpu'] }, facts).now).toEqual([
    'no scale set carries any of these labels: linux, gpu; there are vm (vm)',
  ]);
  expect(() => explain({ kind: 'job', name: '7' }, facts)).toThrow(
    expect.objectContaining({ hint: expect.stringContaining('with --labels,') }),
  );
});

test('runners that no provider lists are not said to be on a provider the scale set may not even use', () => {
  const counts = { alive: 0, able: 0, removing: 0, unseen: 1 };
  const scaling = {
    paused: false,
    minRunners: 0,
    maxRunners: 3,
    assignedJobs: 1,
    doubted: false,
    spare: false,
    counts,
  };
  const plan = { target: 1, create: 0, giveBack: 0, placed: [], cancel: [], remove: [] };
  const claimant = { scaleSet: 'vm', priority: 0, placement: 'spread' } as const;
  expect(whyNotMore('vm', scaling, plan, { providers: [], claimant, holdDown: 0 }, 0)).toEqual([
    'GitHub has 1 runner of it that no provider lists; while a provider does not answer, nothing is created instead',
  ]);
});

test("the end of a job is told by GitHub's clock, before the removal of its runner", () => {
  const attributes = { reason: 'job_completed', job_id: '7', result: 'failed', finished: '2027-01-04T09:00:00.000Z' };
  const time = Date.UTC(2027, 0, 4, 9, 0, 3);
  const event: RungarEvent = { time, kind: 'runner', name: 'vm-1', action: 'removed', attributes };
  expect(explain({ kind: 'runner', name: 'vm-1' }, { events: [event] }).entries).toMatchObject([
    { time: time - 3000, by: 'github', text: 'finished job 7 on vm-1: failed' },
    { time, by: 'rungar', text: 'removed it: its job is done' },
  ]);
});

test('every action of an event can be told, with what it carries or without', () => {
  for (const action of Object.keys(EVENT_ACTIONS) as (keyof typeof EVENT_ACTIONS)[]) {
    const event: RungarEvent = {
      time: 1,
      kind: EVENT_ACTIONS[action],
      name: 'x',
      action,
      scaleSet: 'x',
      provider: 'x',
    };
    if (event.kind === 'daemon') continue;
    const { kind } = event;
    const { entries } = explain({ kind, name: 'x' }, { events: [event] });
    expect(entries.length, action).toBeGreaterThan(0);
    for (const { text } of entries) expect(text, action).not.toMatch(/undefined|NaN/);
  }
});
