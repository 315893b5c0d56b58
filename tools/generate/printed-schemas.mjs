// JSON Schemas of the documents a package prints, from the types that its test/documents.ts lists.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from './source.mjs';

/** @returns what gives the schema of one document as text: `(name, title) => Promise<string>` */
export function printedSchemas(folder) {
  let documents;
  return async (name, title) => {
    documents ??= schemaOfDocuments(folder);
    const { definitions } = await documents;
    const schema = {
      $schema: 'http://json-schema.org/draft-07/schema#',
      title,
      ...definitions.Documents.properties[name],
    };
    return schemaText({ ...schema, definitions: used(schema, definitions) });
  };
}

export function schemaText(schema) {
  return `${JSON.stringify(schema, null, 2)}\n`;
}

async function schemaOfDocuments(folder) {
  const { resolve } = createRequire(join(root, folder, 'package.json'));
  const { createGenerator } = await import(pathToFileURL(resolve('ts-json-schema-generator')).href);
  const path = join(root, folder, 'test/documents.ts');
  const config = { path, tsconfig: join(root, 'tsconfig.json'), type: 'Documents', skipTypeCheck: true };
  return createGenerator(config).createSchema('Documents');
}

/** The definitions that a schema refers to, and those that these refer to. */
function used(schema, definitions) {
  const found = new Set();
  const visit = (node) => {
    for (const [, name] of JSON.stringify(node).matchAll(/"#\/definitions\/([^"]+)"/g)) {
      const key = decodeURIComponent(name);
      if (found.has(key)) continue;
      found.add(key);
      visit(definitions[key]);
    }
  };
  visit(schema);
  return Object.fromEntries([...found].sort().map((key) => [key, definitions[key]]));
}
