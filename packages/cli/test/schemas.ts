import { readFile } from 'node:fs/promises';
import { Ajv } from 'ajv';
import type { Documents } from './documents.js';

/** Gives what of a document is not as the schema says that is kept for it. */
export async function schemaFaults(name: keyof Documents): Promise<(document: unknown) => unknown> {
  const text = await readFile(new URL(`../schemas/${name}.schema.json`, import.meta.url), 'utf8');
  const check = new Ajv({ allowUnionTypes: true }).compile(JSON.parse(text) as object);
  return (document) => (check(document) ? [] : check.errors);
}
