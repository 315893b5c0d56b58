import { expect, test } from 'vitest';
import { type Column, displayWidth, table } from './table.js';

const COLUMNS: readonly Column[] = [
  { title: 'NAME' },
  { title: 'PLACE', expendable: 1 },
  { title: 'NOTE', expendable: 3 },
  { title: 'JOB', expendable: 2 },
];
const ROWS = [
  ['birch-s-1', 'rack-a', 'x', 'unit tests'],
  ['b', '-', 'longer', '-'],
];

test('columns are left-aligned with three spaces between, the last one unpadded', () => {
  expect(table(COLUMNS, ROWS)).toEqual([
    'NAME        PLACE    NOTE     JOB',
    'birch-s-1   rack-a   x        unit tests',
    'b           -        longer   -',
  ]);
});

test('colour takes no room', () => {
  const green = '\u001b[32mok\u001b[39m';
  expect(displayWidth(green)).toBe(2);
  expect(table([{ title: 'A' }, { title: 'B' }], [[green, 'x']])).toEqual(['A    B', `${green}   x`]);
});

test('the header can be painted, and everything indented', () => {
  expect(table([{ title: 'A' }, { title: 'B' }], [['1', '2']], { indent: 2, header: (text) => `*${text}*` })).toEqual([
    '  *A*   *B*',
    '  1   2',
  ]);
});

test.each([
  [40, ['NAME', 'PLACE', 'NOTE', 'JOB']],
  [39, ['NAME', 'PLACE', 'JOB']],
  [31, ['NAME', 'PLACE', 'JOB']],
  [30, ['NAME', 'PLACE']],
  [17, ['NAME']],
  [5, ['NAME']],
])('at %i columns the most expendable ones go first', (width, titles) => {
  expect(table(COLUMNS, ROWS, { width })[0]?.split(/ +/)).toEqual(titles);
});

test('the indentation counts as well', () => {
  expect(table(COLUMNS, ROWS, { width: 41, indent: 2 })[0]?.trim().split(/ +/)).toEqual(['NAME', 'PLACE', 'JOB']);
});

test('without rows the header stands alone', () => {
  expect(table(COLUMNS, [])).toEqual(['NAME   PLACE   NOTE   JOB']);
});
