import { describe, expect, test } from 'vitest';
import { GceRefusal } from './errors.js';
import { parseFilter } from './filters.js';

const RESOURCE = {
  name: 'linux-1',
  status: 'RUNNING',
  labels: { team: 'ci', 'cost-centre': '42', empty: '' },
  scheduling: { automaticRestart: false },
  progress: 100,
  insertTime: '2026-01-02T04:00:00.000-08:00',
};

describe('a filter', () => {
  test.each([
    'name = "linux-1"',
    'name="linux-1"',
    "name = 'linux-1'",
    'name = linux-1',
    '(labels.team = "ci") (labels.cost-centre = "42")',
    'labels.team = "ci" AND status = RUNNING',
    'labels.team = "x" OR labels.team = "ci"',
    '(labels.team = "x") OR (labels.team = "ci") AND (status = "RUNNING")',
    'NOT labels.team = "x"',
    'labels.empty = ""',
    'labels.team:*',
    'name:nux',
    'name != "other"',
    'labels.absent != "x"',
    'scheduling.automaticRestart = false',
    'progress >= 100',
    'progress < 1000',
    'insertTime > "2026-01-02T11:59:59Z"',
    'insertTime <= "2026-01-02T12:00:00Z"',
    'name eq linux-.*',
    'name eq "linux-\\\\d"',
    'name ne other',
  ])('finds by %s', (text) => expect(parseFilter(text)(RESOURCE)).toBe(true));

  test.each([
    'name = "linux"',
    'labels.team = "ci" status = "STOPPED"',
    'labels.absent = ""',
    'labels.absent:*',
    'labels.absent > "a"',
    'progress > 100',
    'insertTime > "2026-01-02T12:00:00Z"',
    'name eq linux',
    'NOT name:linux',
    '(labels.team = "ci") AND ((status = "STOPPED") OR (status = "TERMINATED"))',
  ])('leaves out by %s', (text) => expect(parseFilter(text)(RESOURCE)).toBe(false));

  test.each(['name', 'name =', '= "x"', '(name = "x"', 'name = "x")', 'name = "x', 'name ~ "x"', 'name eq "("', '""'])(
    'cannot be %s',
    (text) => expect(() => parseFilter(text)(RESOURCE)).toThrow(GceRefusal),
  );
});
