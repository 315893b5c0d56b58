import {
  type JobMessage,
  type JobMessageHandler,
  type Logger,
  RungarError,
  type ScaleSetStatistics,
  silentLogger,
} from '@rungar/model';
import { type FakeClock, fakeClock, seededRandom } from '@rungar/model/testing';
import { describe, expect, test } from 'vitest';
import { GitHubError } from './errors.js';
import { contradictsItself, listen } from './listener.js';
import type { MessageQueue } from './message-queue.js';
import type { Polled } from './wire/job-message.js';

const NONE: ScaleSetStatistics = {
  availableJobs: 0,
  acquiredJobs: 0,
  assignedJobs: 0,
  runningJobs: 0,
  registeredRunners: 0,
  busyRunners: 0,
  idleRunners: 0,
};
const assigned = (count: number): ScaleSetStatistics => ({ ...NONE, assignedJobs: count });

const job = (jobId: string, runnerRequestId = 0) => ({
  jobId,
  runnerRequestId,
  owner: 'acme',
  repository: 'web',
  workflowRef: '',
  displayName: '',
  workflowRunId: 1,
  eventName: 'push',
  requestLabels: [],
});
const started = (jobId: string) => ({ ...job(jobId), runnerId: 1, runnerName: `r-${jobId}` });
const completed = (jobId: string, result = 'succeeded') => ({ ...started(jobId), result });

const message = (id: number, more: Partial<JobMessage> = {}): Polled => ({
  kind: 'jobs',
  message: { id, available: [], assigned: [], started: [], completed: [], unknownKinds: [], ...more },
});

const trouble = (retryAfterMs?: number): GitHubError =>
  new GitHubError('unavailable', 'trouble', {
    service: 'queue',
    typeName: '',
    transient: true,
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  });

/** A queue whose polls are answered in turn; after the last one the listener is stopped. */
function listening(
  polls: readonly (Polled | Error)[],
  options: {
    initial?: ScaleSetStatistics;
    capacity?: () => number;
    offers?: readonly number[];
    statistics?: () => Promise<ScaleSetStatistics | undefined>;
    acquire?: () => Promise<number>;
    acknowledge?: () => Promise<void>;
    handler?: Partial<JobMessageHandler>;
    logger?: Logger;
  } = {},
) {
  const clock: FakeClock = fakeClock();
  const stop = new AbortController();
  const log: string[] = [];
  let next = 0;
  const queue: MessageQueue = {
    async poll(last, capacity) {
      log.push(`poll ${last} capacity ${capacity}`);
      const answer = polls[next++];
      if (answer === undefined) {
        stop.abort(new Error('stopped'));
        throw stop.signal.reason;
      }
      if (answer instanceof Error) throw answer;
      return answer;
    },
    async acknowledge(id) {
      log.push(`acknowledge ${id}`);
      await options.acknowledge?.();
    },
    async acquire(ids) {
      log.push(`acquire ${ids.join()}`);
      return options.acquire ? options.acquire() : ids.length;
    },
    async readOffers() {
      log.push('read offers');
      return options.offers ?? [];
    },
    async readStatistics() {
      log.push('read statistics');
      return options.statistics?.();
    },
  };
  const handler: JobMessageHandler = {
    onStatistics: (statistics, of) => log.push(`statistics ${statistics.assignedJobs}${of ? ` of ${of.id}` : ''}`),
    onJobStarted: ({ jobId }) => log.push(`started ${jobId}`),
    onJobCompleted: ({ jobId, result }) => log.push(`completed ${jobId} ${result}`),
    ...options.handler,
  };
  const ended = listen(
    queue,
    options.initial ?? NONE,
    handler,
    { signal: stop.signal, capacity: options.capacity ?? (() => 9) },
    { clock, random: seededRandom(1), logger: options.logger ?? silentLogger },
  );
  ended.catch(() => {});
  return { log, clock, stop, ended };
}

describe('a message', () => {
  test('takes effect at once and in order, is acknowledged, its offers are acquired in one call, then polling goes on', async () => {
    const { log, ended } = listening([
      message(5, {
        available: [job('a', 17), job('b', 18)],
        started: [started('c')],
        completed: [completed('d')],
        statistics: assigned(4),
      }),
    ]);
    await expect(ended).rejects.toThrow('stopped');
    expect(log).toEqual([
      'statistics 0',
      'poll 0 capacity 9',
      'started c',
      'completed d succeeded',
      'statistics 4 of 5',
      'acknowledge 5',
      'acquire 17,18',
      'poll 5 capacity 9',
    ]);
  });

  test('counts by its statistics, not by its entries', async () => {
    const { log, ended } = listening([message(1, { assigned: [job('a')], statistics: assigned(120) })]);
    await ended.catch(() => {});
    expect(log).toContain('statistics 120 of 1');
  });

  test('without statistics leaves the last count', async () => {
    const { log, ended } = listening([message(1, { statistics: assigned(3) }), message(2)]);
    await ended.catch(() => {});
    expect(log).toContain('statistics 3 of 2');
  });

  test('that comes twice in a row is acknowledged again and changes nothing', async () => {
    const twice = message(7, { started: [started('a')], statistics: assigned(1) });
    const { log, ended } = listening([twice, twice]);
    await ended.catch(() => {});
    expect(log.filter((line) => line === 'started a')).toHaveLength(1);
    expect(log.filter((line) => line === 'acknowledge 7')).toHaveLength(2);
  });

  test('that comes again and again is asked for with pauses, once that is clear', async () => {
    const again = message(7, { statistics: assigned(1) });
    const { clock, ended } = listening(Array.from({ length: 53 }, () => again));
    const begun = clock.now();
    const passing = (async () => {
      for (let seconds = 0; seconds < 10; seconds++) await clock.advance(1_000);
    })();
    const pauses = await ended.catch(() => clock.now() - begun);
    await passing;
    // The first one is news; the fifty after it make it clear.
    expect(pauses).toBe(3_000);
  });

  test('of an unknown type is acknowledged and skipped, and the scale set asked for what it may have said', async () => {
    const { log, ended } = listening([{ kind: 'strange', id: 8, why: 'it is new' }], {
      statistics: async () => assigned(7),
    });
    await ended.catch(() => {});
    expect(log).toEqual([
      'statistics 0',
      'poll 0 capacity 9',
      'statistics 0',
      'acknowledge 8',
      'read statistics',
      'statistics 7',
      'poll 8 capacity 9',
    ]);
  });

  test('with an unknown kind inside is warned of once and handled for the rest', async () => {
    const warnings: unknown[] = [];
    const logger: Logger = { ...silentLogger, warn: (_, fields) => warnings.push(fields?.what) };
    const odd = (id: number): Polled => message(id, { unknownKinds: ['JobMoved'], completed: [completed(`j${id}`)] });
    const { log, ended } = listening([odd(1), odd(2)], { logger });
    await ended.catch(() => {});
    expect(warnings).toEqual(['a job message of the kind "JobMoved"']);
    expect(log).toContain('completed j2 succeeded');
  });

  test('whose handler throws counts as handled', async () => {
    const handler = {
      onJobStarted: () => {
        throw new Error('poison');
      },
    };
    const { log, ended } = listening([message(1, { started: [started('a')], completed: [completed('b')] })], {
      handler,
    });
    await ended.catch(() => {});
    expect(log).toContain('completed b succeeded');
    expect(log).toContain('acknowledge 1');
  });

  test('whose handler is async and rejects counts as handled, and ends nothing', async () => {
    const failed: string[] = [];
    const { ended } = listening([message(1, { started: [started('a')] })], {
      handler: {
        onJobStarted: () => Promise.reject(new Error('boom')) as unknown as undefined,
      },
      logger: { ...silentLogger, error: (text) => failed.push(text) },
    });
    await expect(ended).rejects.toThrow('stopped');
    expect(failed).toEqual(['A handler of job messages failed; the message counts as handled']);
  });

  test('that cannot be acknowledged is acknowledged once more, and keeps its effect', async () => {
    const acknowledge = () => Promise.reject(trouble());
    const { log, ended } = listening([message(1, { statistics: assigned(2) })], { acknowledge });
    await ended.catch(() => {});
    expect(log.filter((line) => line === 'acknowledge 1')).toHaveLength(2);
    expect(log.at(-1)).toBe('poll 1 capacity 9');
    expect(log).toContain('statistics 2 of 1');
  });

  test('in hand when the listener is stopped holds that up for no second try, and asks nothing more', async () => {
    const held = listening([message(3, { assigned: [job('a')], statistics: NONE })], {
      acknowledge: async () => {
        held.stop.abort(new Error('enough'));
        throw trouble();
      },
    });
    await expect(held.ended).rejects.toThrow('enough');
    expect(held.log.at(-1)).toBe('acknowledge 3');
  });

  test('in hand when the listener is stopped is finished first', async () => {
    const held = listening([message(3, { available: [job('a', 21)], statistics: assigned(1) })], {
      acknowledge: async () => held.stop.abort(new Error('enough')),
    });
    await expect(held.ended).rejects.toThrow('enough');
    expect(held.log.slice(-2)).toEqual(['acknowledge 3', 'acquire 21']);
  });
});

describe('an empty poll', () => {
  test('works the number wanted out again', async () => {
    const { log, ended } = listening([{ kind: 'none' }], { initial: assigned(6) });
    await ended.catch(() => {});
    expect(log).toEqual(['statistics 6', 'poll 0 capacity 9', 'statistics 6', 'poll 0 capacity 9']);
  });

  test('that was an answer without a message waits a second, so as not to spin', async () => {
    const { log, clock, ended } = listening([{ kind: 'empty' }]);
    await clock.advance(999);
    expect(log.filter((line) => line.startsWith('poll'))).toHaveLength(1);
    await clock.advance(1);
    await ended.catch(() => {});
    expect(log.filter((line) => line.startsWith('poll'))).toHaveLength(2);
  });
});

describe('jobs on offer', () => {
  const offered: ScaleSetStatistics = { ...NONE, availableJobs: 2 };

  test('when the session opens are looked up and acquired before the first poll', async () => {
    const { log, ended } = listening([], { initial: offered, offers: [31, 32] });
    await ended.catch(() => {});
    expect(log).toEqual(['statistics 0', 'read offers', 'acquire 31,32', 'poll 0 capacity 9']);
  });

  test('are left alone while the scale set is paused, and acquired when it goes on', async () => {
    let capacity = 0;
    const { log, ended } = listening([message(1, { available: [job('a', 17)] }), { kind: 'none' }], {
      capacity: () => capacity,
      offers: [17],
      handler: {
        onStatistics: (_, of) => {
          if (!of && log.length > 2) capacity = 4;
        },
      },
    });
    await ended.catch(() => {});
    expect(log).toEqual([
      'poll 0 capacity 0',
      'acknowledge 1',
      'poll 1 capacity 0',
      'read offers',
      'acquire 17',
      'poll 1 capacity 4',
    ]);
  });

  test('that could not be acquired are asked for again', async () => {
    let refused = false;
    const acquire = async (): Promise<number> => {
      if (refused) return 1;
      refused = true;
      throw trouble();
    };
    const { log, ended } = listening([message(1, { available: [job('a', 17)] })], { acquire, offers: [17] });
    await ended.catch(() => {});
    expect(log.slice(-4)).toEqual(['acquire 17', 'read offers', 'acquire 17', 'poll 1 capacity 9']);
  });

  test('that the statistics count and no message named are looked up', async () => {
    const { log, ended } = listening([message(1, { statistics: offered })], { offers: [40] });
    await ended.catch(() => {});
    expect(log.slice(-3)).toEqual(['read offers', 'acquire 40', 'poll 1 capacity 9']);
  });
});

describe('statistics that contradict the message', () => {
  const contradiction = message(2, { assigned: [job('a')], statistics: assigned(0) });

  test('are held back, and the scale set itself is asked', async () => {
    const { log, ended } = listening([message(1, { statistics: assigned(3) }), contradiction], {
      statistics: async () => assigned(4),
    });
    await ended.catch(() => {});
    expect(log.slice(-5)).toEqual([
      'statistics 3 of 2',
      'acknowledge 2',
      'read statistics',
      'statistics 4',
      'poll 2 capacity 9',
    ]);
  });

  test('hold from the next poll on when the scale set does not answer', async () => {
    const { log, ended } = listening([message(1, { statistics: assigned(3) }), contradiction, { kind: 'none' }], {
      statistics: () => Promise.reject(trouble()),
    });
    await ended.catch(() => {});
    expect(log).toContain('statistics 3 of 2');
    expect(log.slice(-2)).toEqual(['statistics 0', 'poll 2 capacity 9']);
  });

  test.each([
    ['an assignment and none counted', { assigned: [job('a')], statistics: NONE }, true],
    ['a start and none counted', { started: [started('a')], statistics: NONE }, true],
    [
      'an assignment taken back in the same message',
      { assigned: [job('a')], completed: [completed('a', 'canceled')], statistics: NONE },
      false,
    ],
    ['an assignment that is counted', { assigned: [job('a')], statistics: assigned(1) }, false],
    ['no statistics', { assigned: [job('a')] }, false],
    ['only a completion', { completed: [completed('a')], statistics: NONE }, false],
    [
      'old jobs without ids, of different requests',
      { assigned: [job('', 1)], completed: [{ ...completed(''), runnerRequestId: 2 }], statistics: NONE },
      true,
    ],
  ])('%s', (_, more, want) => {
    const polled = message(1, more);
    expect(polled.kind === 'jobs' && contradictsItself(polled.message)).toBe(want);
  });
});

describe('a failed poll', () => {
  const pollsOf = (log: readonly string[]): number => log.filter((line) => line.startsWith('poll')).length;

  test('is repeated after 1, 2, 4 and 8 s, each a little longer by chance', async () => {
    const { log, clock } = listening(Array.from({ length: 9 }, () => trouble()));
    const times: number[] = [];
    for (const at of [999, 1_200, 2_900, 3_400, 6_900, 7_800, 14_800, 16_600]) {
      await clock.advance(at - (times.at(-1) ?? 0));
      times.push(at);
      log.push(`at ${at}: ${pollsOf(log)}`);
    }
    expect(log.filter((line) => line.startsWith('at'))).toEqual([
      'at 999: 1',
      'at 1200: 2',
      'at 2900: 2',
      'at 3400: 3',
      'at 6900: 3',
      'at 7800: 4',
      'at 14800: 4',
      'at 16600: 5',
    ]);
  });

  test('loses the session after 45 s of silence, and not before', async () => {
    const { clock, ended } = listening(Array.from({ length: 50 }, () => trouble()));
    let lost = false;
    ended.catch(() => {
      lost = true;
    });
    await clock.advance(44_999);
    expect(lost).toBe(false);
    await clock.advance(1);
    expect(lost).toBe(true);
    await expect(ended).rejects.toMatchObject({ code: 'unavailable' });
  });

  test('is forgotten with the next answer', async () => {
    const { clock, log, ended } = listening([
      ...Array.from({ length: 4 }, () => trouble()),
      { kind: 'none' },
      ...Array.from({ length: 4 }, () => trouble()),
      { kind: 'none' },
    ]);
    await clock.advance(60_000);
    await expect(ended).rejects.toThrow('stopped');
    expect(pollsOf(log)).toBe(11);
  });

  test('waits as long as GitHub says', async () => {
    const { clock, log } = listening([trouble(20_000), { kind: 'none' }]);
    await clock.advance(19_999);
    expect(pollsOf(log)).toBe(1);
    await clock.advance(1);
    expect(pollsOf(log)).toBe(3);
  });

  test('loses the session at once when GitHub wants more time than it keeps one', async () => {
    const { ended } = listening([trouble(600_000)]);
    await expect(ended).rejects.toMatchObject({ code: 'unavailable' });
  });

  test('that was refused loses the session at once', async () => {
    const gone = new GitHubError('not_found', 'gone', {
      service: 'queue',
      status: 404,
      typeName: '',
      transient: false,
    });
    await expect(listening([gone]).ended).rejects.toBe(gone);
  });

  test('ends at once when the client is closed', async () => {
    const closed = new RungarError('unavailable', 'the client is closed');
    await expect(listening([closed]).ended).rejects.toBe(closed);
  });
});
