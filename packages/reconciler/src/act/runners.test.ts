import { expect, test } from 'vitest';
import { aSeenMachine, NOW } from '../../test/facts.js';
import { ListedFleet, ListedGroup } from './listed-fleet.js';
import { newRunner, RunnerBook } from './runners.js';

const add = (book: RunnerBook, name: string): void =>
  book.add(
    newRunner({
      name,
      place: { provider: 'a' },
      state: 'idle',
      size: '',
      adopted: true,
      revision: '',
      countedAt: NOW,
      listed: true,
    }),
  );

const listed = (...names: string[]): ListedFleet => {
  const group = new ListedGroup('a', 'zone', NOW);
  for (const name of names) group.add(aSeenMachine({ name }).machine);
  return new ListedFleet(new Map(), [group]);
};

const matched = (book: RunnerBook, fleet: ListedFleet): unknown => {
  const { machines, others } = book.match(fleet);
  const runners = [...book.runners.keys()].map((name, at) => [name, machines[at]?.name]);
  return { runners, others: others.map(({ machine, twins }) => [machine.name, twins.length]) };
};

test('each runner has the machine of its name, whoever left before it and came after it', () => {
  const book = new RunnerBook();
  for (const name of ['vm-1', 'vm-2', 'vm-3']) add(book, name);
  book.drop('vm-1');
  add(book, 'vm-4');
  expect(matched(book, listed('vm-4', 'vm-1', 'vm-2'))).toEqual({
    runners: [
      ['vm-2', 'vm-2'],
      ['vm-3', undefined],
      ['vm-4', 'vm-4'],
    ],
    others: [['vm-1', 0]],
  });
  add(book, 'vm-1');
  expect(matched(book, listed('vm-1', 'vm-3'))).toEqual({
    runners: [
      ['vm-2', undefined],
      ['vm-3', 'vm-3'],
      ['vm-4', undefined],
      ['vm-1', 'vm-1'],
    ],
    others: [],
  });
});

test('machines of one name stand together, those of a runner and those of none', () => {
  const book = new RunnerBook();
  add(book, 'vm-1');
  const fleet = listed('vm-1', 'vm-2', 'vm-2', 'vm-1');
  expect(matched(book, fleet)).toEqual({ runners: [['vm-1', 'vm-1']], others: [['vm-2', 1]] });
  expect(book.match(fleet).sightings[0]?.twins).toHaveLength(1);
  expect(matched(book, listed('vm-2', 'vm-2'))).toEqual({ runners: [['vm-1', undefined]], others: [['vm-2', 1]] });
});
