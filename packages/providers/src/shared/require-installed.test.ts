import { expect, test } from 'vitest';
import { requireInstalled } from './require-installed.js';

test('a package that is not installed is named first, before who wanted it', () => {
  const load = () => requireInstalled('@rungar/no-such-package');
  expect(load).toThrow(/^Cannot find module '@rungar\/no-such-package'/);
  expect(load).toThrow(expect.objectContaining({ code: 'MODULE_NOT_FOUND' }));
});
