import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';

// What GitHub takes for an issue form, and that the forms ask for what there is.

const root = resolve(import.meta.dirname, '..');
const folder = join(root, '.github/ISSUE_TEMPLATE');
const FIELDS = ['checkboxes', 'dropdown', 'input', 'markdown', 'textarea'];

interface Field {
  readonly type: string;
  readonly id?: string;
  readonly attributes: { readonly label?: string; readonly value?: string; readonly options?: readonly unknown[] };
}

describe.each(readdirSync(folder).filter((name) => name !== 'config.yml'))('%s', (name) => {
  const text = readFileSync(join(folder, name), 'utf8');
  const form = parse(text) as { name?: string; description?: string; body: Field[] };

  test('is a form', () => {
    expect([form.name, form.description]).toEqual([expect.any(String), expect.any(String)]);
    expect(form.body.filter(({ type }) => !FIELDS.includes(type))).toEqual([]);
    const asked = form.body.filter(({ type }) => type !== 'markdown');
    expect(asked.length).toBeGreaterThan(0);
    for (const { id, attributes } of asked)
      expect([id, attributes.label]).toEqual([expect.any(String), expect.any(String)]);
    expect(new Set(asked.map(({ id }) => id)).size).toBe(asked.length);
  });

  test('names commands and flags that there are', () => {
    const reference = readFileSync(join(root, 'docs/reference/cli.md'), 'utf8');
    const parts = reference.split(/^### rungar /m).slice(1);
    const sections = new Map(parts.map((part) => [part.split('\n')[0]?.trim(), part]));
    const commands = [...text.matchAll(/`rungar ([a-z][^`]*)`/g)].map(([, words = '']) => words.split(' '));
    const unknown = commands.flatMap(([command, ...words]) => {
      const section = sections.get(command);
      if (section === undefined) return [command];
      return words.filter((word) => word.startsWith('--') && !section.includes(word));
    });
    expect(unknown).toEqual([]);
  });
});
