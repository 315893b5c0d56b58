// The JSON Schemas of what dispat-worker-manifest reads and prints, made from its options and its types.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { load, root } from './source.mjs';

const PACKAGE = 'packages/dispat-k8s';
const PRINTED = [
  'apply',
  'check',
  'delete',
  'demand',
  'explain',
  'follow',
  'generate',
  'orchestrator',
  'problems',
  'size',
  'wait',
];

let documents;

export const dispatSchemas = [
  ...PRINTED.map((name) => ({ path: `${PACKAGE}/schemas/${name}.schema.json`, make: () => printed(name) })),
  { path: `${PACKAGE}/schemas/options.schema.json`, make: options },
];

async function printed(name) {
  documents ??= schemaOfDocuments();
  const { definitions } = await documents;
  const schema = {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: name === 'problems' ? 'What a refused input prints' : `What ${name} prints with --format json`,
    ...definitions.Documents.properties[name],
  };
  return text({ ...schema, definitions: used(schema, definitions) });
}

async function options() {
  const { optionsSchema } = await load(`${PACKAGE}/src/options/schema.ts`);
  return text(optionsSchema());
}

async function schemaOfDocuments() {
  const { resolve } = createRequire(join(root, PACKAGE, 'package.json'));
  const { createGenerator } = await import(pathToFileURL(resolve('ts-json-schema-generator')).href);
  const path = join(root, PACKAGE, 'test/documents.ts');
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

function text(schema) {
  return `${JSON.stringify(schema, null, 2)}\n`;
}
