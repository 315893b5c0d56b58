import { describe, expect, test } from 'vitest';
import { aRunner, HOUR, MINUTE, NOW } from '../../test/facts.js';
import type { RunnerFacts } from './facts.js';
import { type Answer, decideRemoval, type RemovalQuestion } from './removal.js';

const START = 5 * MINUTE;
const limits = { startTimeoutMs: START, maxAgeMs: 10 * HOUR, maxIdleAgeMs: 2 * HOUR };

interface Row {
  name: string;
  runner?: Parameters<typeof aRunner>[0];
  answer?: Answer;
  found?: boolean;
  lookedUpAt?: number;
  revision?: string | undefined;
  limits?: RemovalQuestion['limits'];
  want: string | undefined;
}

const decide = (row: Row): string | undefined => {
  const removal = decideRemoval({
    runner: aRunner(row.runner),
    ...(row.answer && { answer: row.answer }),
    ...(row.found !== undefined && {
      lookUp: {
        at: row.lookedUpAt ?? NOW,
        ...(row.found && { registration: { id: 1, name: 'vm-00000001', scaleSetId: 1 } }),
      },
    }),
    ...('revision' in row
      ? row.revision !== undefined && { currentRevision: row.revision }
      : { currentRevision: 'current' }),
    limits: row.limits ?? limits,
    now: NOW,
  });
  if (!removal) return undefined;
  return [removal.reason, removal.force ? 'forced' : '', removal.replacement ? 'replaced' : '']
    .filter(Boolean)
    .join(' ');
};

const offline = (at = NOW): Answer => ({ status: 'offline', at });
const gone = (at = NOW): Answer => ({ status: 'not_registered', at });

describe('a runner with a job', () => {
  const busy = { state: 'busy' as const };
  test.each<Row>([
    { name: 'A1: stays at exactly max_age', runner: { ...busy, createdAt: NOW - 10 * HOUR }, want: undefined },
    {
      name: 'A1: goes by force a millisecond later',
      runner: { ...busy, createdAt: NOW - 10 * HOUR - 1 },
      want: 'expired forced',
    },
    { name: 'A1: case 37, stays when its age is unknown', runner: { ...busy, createdAt: undefined }, want: undefined },
    {
      name: 'A1: stays for ever without max_age',
      runner: { ...busy, createdAt: 0 },
      limits: { startTimeoutMs: START },
      want: undefined,
    },
    { name: 'A1: never by max_idle_age', runner: { ...busy, createdAt: NOW - 3 * HOUR }, want: undefined },
    {
      name: 'A2: case 32, stays while offline no longer than start_timeout',
      runner: { ...busy, offlineSince: NOW - START },
      answer: offline(),
      want: undefined,
    },
    {
      name: 'A2: case 32, is stuck a millisecond later',
      runner: { ...busy, offlineSince: NOW - START - 1 },
      answer: offline(),
      want: 'stuck forced',
    },
    {
      name: 'A2: stays when GitHub does not list it, until a look-up by name agrees',
      runner: { ...busy, offlineSince: NOW - START - 1 },
      answer: gone(),
      want: undefined,
    },
    {
      name: 'A2: is stuck when the look-up by name does not find it either',
      runner: { ...busy, offlineSince: NOW - START - 1 },
      answer: gone(),
      found: false,
      want: 'stuck forced',
    },
    {
      name: 'A2: stays when the look-up by name finds it',
      runner: { ...busy, offlineSince: NOW - START - 1 },
      answer: gone(),
      found: true,
      want: undefined,
    },
    {
      name: 'A2: stays when the look-up by name is older than the listing',
      runner: { ...busy, offlineSince: NOW - START - 1 },
      answer: gone(),
      found: false,
      lookedUpAt: NOW - 1,
      want: undefined,
    },
    {
      name: 'A2: one answer alone proves nothing, however old its clock',
      runner: { ...busy, offlineSince: NOW - HOUR },
      answer: offline(NOW - HOUR),
      want: undefined,
    },
    {
      name: 'A2: the second answer has to be begun after the limit',
      runner: { ...busy, offlineSince: NOW - HOUR },
      answer: offline(NOW - HOUR + START),
      want: undefined,
    },
    { name: 'A2: stays when GitHub was not asked', runner: { ...busy, offlineSince: NOW - HOUR }, want: undefined },
    {
      name: 'A2: stays when GitHub shows it at rest',
      runner: { ...busy, offlineSince: NOW - HOUR },
      answer: { status: 'idle', at: NOW },
      want: undefined,
    },
    { name: 'A3: case 33, stays with an old revision', runner: { ...busy, revision: 'old' }, want: undefined },
    {
      name: 'A3: an idle runner GitHub calls busy counts as one',
      runner: { state: 'idle', revision: 'old' },
      answer: { status: 'busy', at: NOW },
      want: undefined,
    },
    {
      name: 'A3: stays though its registration cannot be found',
      runner: busy,
      answer: gone(),
      found: false,
      want: undefined,
    },
  ])('$name', (row) => expect(decide(row)).toBe(row.want));
});

describe('a runner without a job', () => {
  const starting = (ageMs: number): Partial<RunnerFacts> => ({
    state: 'starting',
    createdAt: NOW - ageMs,
    countedAt: NOW - ageMs,
    offlineSince: NOW - 1_000,
  });
  test.each<Row>([
    { name: 'B1: a listing alone is a suspicion', answer: gone(), want: undefined },
    {
      name: 'B1: goes when the look-up after it finds nothing',
      answer: gone(NOW - 5),
      found: false,
      want: 'unregistered',
    },
    { name: 'B1: stays when the look-up finds it', answer: gone(NOW - 5), found: true, want: undefined },
    {
      name: 'B1: a look-up begun before the listing does not count',
      answer: gone(NOW),
      found: false,
      lookedUpAt: NOW - 1,
      want: undefined,
    },
    {
      name: 'B1: a young starting runner stays',
      runner: starting(START),
      answer: gone(),
      found: false,
      want: undefined,
    },
    {
      name: 'B1: a starting one goes once it is not young',
      runner: starting(START + 1),
      answer: gone(),
      found: false,
      want: 'unregistered',
    },
    { name: 'B2: case 27, has all of start_timeout', runner: starting(START), answer: offline(), want: undefined },
    {
      name: 'B2: case 28, never connected a millisecond later',
      runner: starting(START + 1),
      answer: offline(),
      want: 'never_connected',
    },
    {
      name: 'B2: an answer begun at the limit does not prove it',
      runner: starting(START + 1_000),
      answer: offline(NOW - 1_000),
      want: undefined,
    },
    {
      name: 'B2: the first answer of all does not prove it',
      runner: { ...starting(START + 1), offlineSince: NOW },
      answer: offline(),
      want: undefined,
    },
    { name: 'B2: case 31, stays when GitHub does not answer', runner: starting(HOUR), want: undefined },
    {
      name: 'B2: stays once connected',
      runner: starting(START + 1),
      answer: { status: 'idle', at: NOW },
      want: undefined,
    },
    {
      name: 'B3: case 29, stays while offline no longer than start_timeout',
      runner: { offlineSince: NOW - START },
      answer: offline(),
      want: undefined,
    },
    {
      name: 'B3: case 29, is disconnected a millisecond later',
      runner: { offlineSince: NOW - START - 1 },
      answer: offline(),
      want: 'disconnected',
    },
    { name: 'B3: stays when GitHub was not asked', runner: { offlineSince: NOW - HOUR }, want: undefined },
    { name: 'B4: is outdated with another revision', runner: { revision: 'old' }, want: 'outdated replaced' },
    { name: 'B4: is outdated without a label', runner: { revision: '' }, want: 'outdated replaced' },
    {
      name: 'B4: is outdated on a provider its scale set does not use',
      revision: undefined,
      want: 'outdated replaced',
    },
    {
      name: 'B4: offline comes before outdated',
      runner: { revision: 'old', offlineSince: NOW - START - 1 },
      answer: offline(),
      want: 'disconnected',
    },
    { name: 'B5: stays at exactly max_idle_age', runner: { createdAt: NOW - 2 * HOUR }, want: undefined },
    { name: 'B5: expires a millisecond later', runner: { createdAt: NOW - 2 * HOUR - 1 }, want: 'expired replaced' },
    {
      name: 'B5: stays at exactly max_age',
      runner: { createdAt: NOW - HOUR },
      limits: { startTimeoutMs: START, maxAgeMs: HOUR },
      want: undefined,
    },
    {
      name: 'B5: expires by max_age, not by force',
      runner: { createdAt: NOW - HOUR - 1 },
      limits: { startTimeoutMs: START, maxAgeMs: HOUR },
      want: 'expired replaced',
    },
    { name: 'B5: case 37, stays when its age is unknown', runner: { createdAt: undefined }, want: undefined },
    {
      name: 'B6: case 30, stays online for hours without age limits',
      runner: { createdAt: 0 },
      limits: { startTimeoutMs: START },
      answer: { status: 'idle', at: NOW },
      want: undefined,
    },
  ])('$name', (row) => expect(decide(row)).toBe(row.want));
});
