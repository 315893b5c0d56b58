import { fakeClock } from '@rungar/model/testing';
import { expect, test } from 'vitest';
import { rememberFor } from './recent.js';

test('remembers for exactly as long as it was told', async () => {
  const clock = fakeClock();
  const recent = rememberFor(60_000, clock);
  recent.add('a');
  await clock.advance(59_999);
  expect(recent.has('a')).toBe(true);
  await clock.advance(1);
  expect(recent.has('a')).toBe(false);
});

test('adding again begins anew, and forgets no other too early', async () => {
  const clock = fakeClock();
  const recent = rememberFor(100, clock);
  recent.add('a');
  await clock.advance(50);
  recent.add('b');
  recent.add('a');
  await clock.advance(99);
  recent.add('c');
  expect(['a', 'b', 'c'].map((key) => recent.has(key))).toEqual([true, true, true]);
  await clock.advance(1);
  expect(['a', 'b', 'c'].map((key) => recent.has(key))).toEqual([false, false, true]);
});

test('forgets at once what it is told to', () => {
  const recent = rememberFor(100, fakeClock());
  recent.add('a');
  recent.delete('a');
  expect(recent.has('a')).toBe(false);
  expect(recent.has('never')).toBe(false);
});

test('tells what it remembers, the oldest first', async () => {
  const clock = fakeClock();
  const recent = rememberFor(100, clock);
  recent.add('a');
  await clock.advance(50);
  recent.add('b');
  recent.add('c');
  recent.delete('c');
  expect(recent.keys()).toEqual(['a', 'b']);
  recent.add('a');
  expect(recent.keys()).toEqual(['b', 'a']);
  await clock.advance(100);
  expect(recent.keys()).toEqual([]);
});
