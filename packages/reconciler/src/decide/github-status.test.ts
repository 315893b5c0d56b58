import type { ScaleSetStatistics } from '@rungar/model';
import { expect, test } from 'vitest';
import { aFleet, aRunner, aSeenMachine, MINUTE, NOW, named } from '../../test/facts.js';
import { answerFor, type ListingQuestion, listingNeeded } from './github-status.js';

const START = 5 * MINUTE;
const statistics = (registered: number, busy: number, idle: number): ScaleSetStatistics => ({
  availableJobs: 0,
  acquiredJobs: 0,
  assignedJobs: 0,
  runningJobs: busy,
  registeredRunners: registered,
  busyRunners: busy,
  idleRunners: idle,
});

const known = aRunner({ githubStatus: 'idle' });
const question: ListingQuestion = {
  runners: named(known),
  isKnown: () => true,
  orphans: new Map(),
  fleet: aFleet([aSeenMachine()]),
  statistics: statistics(1, 0, 1),
  last: { begunAt: NOW - MINUTE, pages: 1 },
  startTimeoutMs: START,
  now: NOW,
};

test.each<{ name: string; over: Partial<ListingQuestion>; want: ReturnType<typeof listingNeeded> }>([
  { name: 'none while the numbers agree and nobody is under suspicion', over: {}, want: undefined },
  { name: 'one when they disagree', over: { statistics: statistics(2, 0, 2) }, want: {} },
  {
    name: 'one when a machine is unknown',
    over: { fleet: aFleet([aSeenMachine(), aSeenMachine({ name: 'vm-ffffffff' })]), isKnown: () => false },
    want: {},
  },
  {
    name: 'none when a further machine is one that leaves',
    over: { fleet: aFleet([aSeenMachine(), aSeenMachine({ name: 'vm-ffffffff' })]) },
    want: undefined,
  },
  { name: 'one when a machine is missing', over: { fleet: aFleet([]) }, want: {} },
  {
    name: 'one while a runner starts',
    over: { runners: named({ ...known, state: 'starting' }), statistics: statistics(1, 0, 0) },
    want: {},
  },
  { name: 'one for a runner never heard of', over: { runners: named(aRunner()) }, want: {} },
  {
    name: 'one while a runner is offline',
    over: { runners: named({ ...known, offlineSince: NOW - START }) },
    want: {},
  },
  {
    name: 'one begun after the limit, once that has passed',
    over: { runners: named({ ...known, offlineSince: NOW - START - 9 }) },
    want: { begunAfter: NOW - 9 },
  },
  {
    name: 'the same for an orphan',
    over: { orphans: new Map([['x', NOW - START - 9]]) },
    want: { begunAfter: NOW - 9 },
  },
  { name: 'one every two minutes all the same', over: { last: { begunAt: NOW - 2 * MINUTE, pages: 1 } }, want: {} },
  {
    name: 'of a hundred pages, none before ten minutes',
    over: { last: { begunAt: NOW - 10 * MINUTE + 1, pages: 100 } },
    want: undefined,
  },
  {
    name: 'nor without any runner',
    over: { runners: new Map(), statistics: statistics(0, 0, 0), last: { begunAt: NOW - 10 * MINUTE + 1, pages: 1 } },
    want: undefined,
  },
])('a pass asks for $name', ({ over, want }) => expect(listingNeeded({ ...question, ...over })).toEqual(want));

test.each<{ begunAt: number; want: ReturnType<typeof answerFor> }>([
  { begunAt: NOW - 1, want: undefined },
  { begunAt: NOW, want: undefined },
  { begunAt: NOW + 1, want: { status: 'offline', at: NOW + 1 } },
])('a listing begun at $begunAt tells nothing that a message of then has overtaken', ({ begunAt, want }) => {
  const statuses = { begunAt, pages: 1, runners: new Map([[known.name, { id: 1, status: 'offline' as const }]]) };
  expect(answerFor({ ...known, toldAt: NOW }, statuses)).toEqual(want);
});
