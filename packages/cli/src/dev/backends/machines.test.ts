import { fakeClock } from '@rungar/model/testing';
import { expect, test } from 'vitest';
import { keepMachineBook, type MachineNow } from './machines.js';

function machine(id: string, given: Partial<MachineNow> = {}): MachineNow {
  return { id, name: `linux-${id}`, state: 'running', registration: undefined, ...given };
}

test('a machine is remembered as it was last, and as gone once its backend has it no more', async () => {
  const clock = fakeClock();
  let present = [machine('1', { state: 'starting' })];
  const book = keepMachineBook(clock, () => present);
  const seenAt = clock.wallNow();
  book.look();
  await clock.advance(1_000);
  present = [machine('1', { registration: 'delivered' })];
  expect(book.all()).toEqual([{ ...machine('1', { registration: 'delivered' }), seenAt, isForeign: false }]);
  present = [];
  expect(book.all()).toEqual([{ ...machine('1'), registration: 'delivered', state: 'gone', seenAt, isForeign: false }]);
});

test('an id that is used again is another machine', () => {
  let present = [machine('100', { name: 'linux-a' })];
  const book = keepMachineBook(fakeClock(), () => present);
  book.look();
  present = [];
  book.look();
  present = [machine('100', { name: 'linux-b' })];
  expect(book.all().map(({ name, state }) => [name, state])).toEqual([
    ['linux-a', 'gone'],
    ['linux-b', 'running'],
  ]);
});

test('machines of others are told apart, and do not count among those with power', () => {
  let present = [machine('1'), machine('2'), machine('theirs')];
  const book = keepMachineBook(fakeClock(), () => present);
  book.addForeign(['theirs']);
  present = [machine('1'), machine('2', { state: 'stopped' }), machine('3', { state: 'starting' }), machine('theirs')];
  expect(book.all().map(({ id, isForeign }) => [id, isForeign])).toEqual([
    ['1', false],
    ['2', false],
    ['theirs', true],
    ['3', false],
  ]);
  expect(book.mostAtOnce).toBe(2);
});
