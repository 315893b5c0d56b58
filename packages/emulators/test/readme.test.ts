import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

test('the example of the README runs as it is written', async () => {
  const example = readFileSync(join(import.meta.dirname, 'readme-example.ts'), 'utf8');
  const readme = readFileSync(join(import.meta.dirname, '..', 'README.md'), 'utf8');
  expect(readme).toContain(`\`\`\`ts\n${example}\`\`\``);
  await import('./readme-example.js');
});
