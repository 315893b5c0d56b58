import type { RunnerVersionLife } from '@rungar/github';
import type { EventSink } from '@rungar/model';
import { type FakeClock, fakeClock } from '@rungar/model/testing';
import { expect, onTestFinished, test } from 'vitest';
import { recordingLogger } from '../test/recording-logger.js';
import { createRunnerVersions, type RunnerVersions } from './runner-versions.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

type Draft = Parameters<EventSink['record']>[0];

interface Opened {
  readonly versions: RunnerVersions;
  readonly clock: FakeClock;
  readonly recorded: Draft[];
  readonly asked: string[];
}

/** @param lives what GitHub says of each version; an error for one it does not answer about */
function open(lives: Readonly<Record<string, RunnerVersionLife | Error>>): Opened {
  const clock = fakeClock();
  const recorded: Draft[] = [];
  const asked: string[] = [];
  const versions = createRunnerVersions({
    github: {
      runnerVersionLife: async (version) => {
        asked.push(version);
        const life = lives[version];
        if (life instanceof Error) throw life;
        return life;
      },
    },
    events: { record: (event) => void recorded.push(event) },
    clock,
    logger: recordingLogger(),
  });
  const stopping = new AbortController();
  onTestFinished(() => stopping.abort());
  versions.watch(stopping.signal).catch(() => {});
  return { versions, clock, recorded, asked };
}

const linux = (runnerVersions: Record<string, number>) => [{ name: 'linux', runnerVersions }];
const actions = ({ recorded }: Opened): string[] =>
  recorded.map(({ action, attributes }) => `${action} ${attributes?.version}`);

test('GitHub is asked about each version once a day, and again in an hour where it did not answer', async () => {
  const opened = open({ '2.337.0': {}, '2.336.0': new Error('no answer') });
  opened.versions.note(linux({ '2.337.0': 1, '2.336.0': 2 }));
  await opened.clock.advance(30 * MINUTE_MS);
  expect(opened.asked.sort()).toEqual(['2.336.0', '2.337.0']);
  await opened.clock.advance(HOUR_MS);
  expect(opened.asked).toHaveLength(3);
  await opened.clock.advance(DAY_MS);
  expect(opened.asked.filter((version) => version === '2.337.0')).toHaveLength(2);
  expect(opened.recorded).toEqual([]);
});

test('an end is told once when it is near and once when it has come', async () => {
  const start = fakeClock().wallNow();
  const endsAt = start + 16 * DAY_MS;
  const opened = open({ '2.335.1': { jobsEndAt: endsAt } });
  opened.versions.note(linux({ '2.335.1': 4 }));
  await opened.clock.advance(DAY_MS);
  expect(actions(opened)).toEqual([]);
  expect(opened.versions.ofScaleSet('linux')).toEqual([{ version: '2.335.1', runners: 4, endsAt, refused: false }]);
  await opened.clock.advance(2 * DAY_MS);
  expect(actions(opened)).toEqual(['runner_version_ending 2.335.1']);
  expect(opened.recorded[0]?.attributes?.ends).toBe(new Date(endsAt).toISOString());
  await opened.clock.advance(14 * DAY_MS);
  expect(actions(opened)).toEqual(['runner_version_ending 2.335.1', 'runner_version_refused 2.335.1']);
  expect(opened.versions.ofScaleSet('linux')[0]?.refused).toBe(true);
});

test('the versions of the runners there are count, by their numbers, and without runners those seen last', async () => {
  const { versions } = open({});
  versions.note(linux({ '2.337.0': 1, '2.99.0': 2 }));
  expect(versions.ofScaleSet('linux').map(({ version, runners }) => [version, runners])).toEqual([
    ['2.99.0', 2],
    ['2.337.0', 1],
  ]);
  versions.note(linux({ '2.337.0': 3 }));
  expect(versions.ofScaleSet('linux')).toHaveLength(1);
  versions.note(linux({}));
  expect(versions.ofScaleSet('linux')).toEqual([{ version: '2.337.0', runners: 0, refused: false }]);
  versions.note([]);
  expect(versions.ofScaleSet('linux')).toEqual([]);
});

test('a runner that came and went between two looks is known by its event, which is recorded all the same', async () => {
  const opened = open({});
  const event = {
    name: 'linux-0a',
    action: 'connected',
    scaleSet: 'linux',
    attributes: { version: '2.337.0' },
  } as const;
  opened.versions.events.record(event);
  expect(opened.versions.ofScaleSet('linux')).toEqual([{ version: '2.337.0', runners: 0, refused: false }]);
  expect(opened.recorded).toEqual([event]);
});

test('a runner that GitHub turned away says so on its console, until another one connects', async () => {
  const opened = open({});
  const console = 'An error occurred: Runner version v2.320.0 is deprecated and cannot receive messages.';
  opened.versions.events.record({
    ...{ name: 'linux-0a', action: 'removed', scaleSet: 'linux' },
    attributes: { reason: 'never_connected', console },
  });
  opened.versions.note(linux({}));
  expect(opened.versions.ofScaleSet('linux')).toEqual([{ version: '2.320.0', runners: 0, refused: true }]);
  await opened.clock.advance(2 * MINUTE_MS);
  expect(actions(opened)).toEqual(['removed undefined', 'runner_version_refused 2.320.0']);
  opened.versions.events.record({ name: 'linux-0b', action: 'connected', scaleSet: 'linux' });
  opened.versions.note(linux({ '2.337.0': 1 }));
  expect(opened.versions.ofScaleSet('linux').map(({ refused }) => refused)).toEqual([false]);
});
