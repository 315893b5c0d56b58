import { afterAll } from 'vitest';

const tasks: (() => unknown)[] = [];

afterAll(async () => {
  for (const task of tasks.reverse()) await task();
});

/** Runs `task` when the tests of this file are over, the latest first. Unlike a test's own hooks it knows no order of tests. */
export function atEnd(task: () => unknown): void {
  tasks.push(task);
}
