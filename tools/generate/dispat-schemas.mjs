// The JSON Schemas of what dispat-worker-manifest reads and prints, made from its options and its types.
import { printedSchemas, schemaText } from './printed-schemas.mjs';
import { load } from './source.mjs';

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

const printed = printedSchemas(PACKAGE);

export const dispatSchemas = [
  ...PRINTED.map((name) => ({
    path: `${PACKAGE}/schemas/${name}.schema.json`,
    make: () =>
      printed(name, name === 'problems' ? 'What a refused input prints' : `What ${name} prints with --format json`),
  })),
  { path: `${PACKAGE}/schemas/options.schema.json`, make: options },
];

async function options() {
  const { optionsSchema } = await load(`${PACKAGE}/src/options/schema.ts`);
  return schemaText(optionsSchema());
}
