import { expect, test } from 'vitest';
import { MINUTE, NOW } from '../../test/facts.js';
import { type Claimant, describeExclusions, exclusionOf, orderCandidates, type ProviderFacts } from './placement.js';

const HOLD_DOWN = MINUTE;
const claimant: Claimant = { scaleSet: 'vm', priority: 1, placement: 'spread' };

function provider(over: Partial<ProviderFacts> = {}): ProviderFacts {
  return {
    name: 'a',
    weight: 1,
    maxRunners: 0,
    disabled: false,
    unreachable: false,
    taken: 0,
    own: 0,
    claimed: 0,
    ...over,
  };
}

const backoff = (full: boolean) => ({ refusals: 1, skipUntil: NOW + 1, refusal: 'it broke', full, refusedAt: NOW });
const brake = (tryAgainAt: number, strikes = 3) => ({
  strikes,
  last: { runner: 'r', kind: 'never_connected' as const },
  raisedAt: NOW - MINUTE,
  tryAgainAt,
});

test.each<{ name: string; over: Partial<ProviderFacts>; want: string | undefined }>([
  { name: 'one that is well is tried', over: {}, want: undefined },
  { name: 'a disabled one is not', over: { disabled: true, unreachable: true }, want: 'disabled' },
  { name: 'an unreachable one is not', over: { unreachable: true, backoff: backoff(true) }, want: 'unreachable' },
  { name: 'case 61: a full one is skipped for its back-off', over: { backoff: backoff(true) }, want: 'full' },
  { name: 'a failing one says why', over: { backoff: backoff(false) }, want: 'failing: it broke' },
  {
    name: 'one is tried again when its back-off is over',
    over: { backoff: { ...backoff(true), skipUntil: NOW } },
    want: undefined,
  },
  {
    name: 'case 64: one held for a higher priority is not',
    over: { hold: { scaleSet: 'big', priority: 2, since: NOW - MINUTE } },
    want: 'held for big',
  },
  {
    name: 'case 64: an equal priority holds nobody back',
    over: { hold: { scaleSet: 'big', priority: 1, since: NOW } },
    want: undefined,
  },
  {
    name: 'case 66: a hold that lapsed holds nobody back',
    over: { hold: { scaleSet: 'big', priority: 2, since: NOW - MINUTE - 1 } },
    want: undefined,
  },
  { name: 'one below its limit is tried', over: { maxRunners: 3, taken: 2 }, want: undefined },
  { name: 'one at its limit is not', over: { maxRunners: 3, taken: 3 }, want: 'at its limit of 3 runners' },
  { name: 'two misfortunes do not slow it down', over: { brake: brake(NOW + 1, 2) }, want: undefined },
  { name: 'a slowed one lets one creation in at a time', over: { brake: brake(NOW), claimed: 1 }, want: 'slowed down' },
  { name: 'a slowed one waits between creations', over: { brake: brake(NOW + 1) }, want: 'slowed down' },
  { name: 'a slowed one never stops for good', over: { brake: brake(NOW) }, want: undefined },
])('$name', ({ over, want }) => {
  const reason = exclusionOf(provider(over), claimant, NOW, HOLD_DOWN)?.reason;
  if (want === undefined) expect(reason).toBeUndefined();
  else expect(reason).toContain(want);
});

const order = (facts: ProviderFacts[], placement: Claimant['placement']): string[] =>
  orderCandidates(facts, { ...claimant, placement }, NOW, HOLD_DOWN).usable.map(({ name }) => name);

test('case 59: spread goes by runners per weight, ties as configured', () => {
  const facts = [
    provider({ name: 'a', weight: 2, own: 2 }),
    provider({ name: 'b', own: 1 }),
    provider({ name: 'c', own: 2 }),
  ];
  expect(order(facts, 'spread')).toEqual(['a', 'b', 'c']);
});

test('case 60: pack goes by weight, ties as configured', () => {
  const facts = [provider({ name: 'a' }), provider({ name: 'b', weight: 2 }), provider({ name: 'c', weight: 2 })];
  expect(order(facts, 'pack')).toEqual(['b', 'c', 'a']);
});

test('one whose runners come to nothing is tried after all others', () => {
  const facts = [provider({ name: 'a', brake: brake(NOW) }), provider({ name: 'b', own: 9 })];
  expect(order(facts, 'spread')).toEqual(['b', 'a']);
});

test('what keeps every provider out is said of each', () => {
  const { excluded } = orderCandidates(
    [provider({ disabled: true }), provider({ name: 'b', maxRunners: 1, taken: 1 })],
    claimant,
    NOW,
    HOLD_DOWN,
  );
  expect(describeExclusions('vm', excluded)).toBe(
    'no provider can take a runner: a disabled; b at its limit of 1 runners',
  );
  expect(describeExclusions('vm', [])).toBe('scale set vm has no provider');
});
