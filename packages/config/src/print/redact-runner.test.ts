import { expect, test } from 'vitest';
import { redactRunner } from './redact-runner.js';
import { list, map, text } from './yaml-node.js';

test('an argument loses a credential that it holds, or that it is after its flag', () => {
  const command = list(['run', '--token=hunter2', '--password', 'hunter2', '--verbose', 'hunter2'].map(text));
  const shown = list(['run', '--REDACTED', '--password', 'REDACTED', '--verbose', 'hunter2'].map(text));
  expect(redactRunner(map({ command }))).toEqual(map({ command: shown }));
});

test('a tag with the name of a secret is not shown, and others are', () => {
  const tags = (password: string) => map({ tags: map({ password: text(password), team: text('hunters') }) });
  expect(redactRunner(tags('hunter2'))).toEqual(tags('REDACTED'));
});
