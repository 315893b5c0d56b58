// The JSON Schemas of what commands of rungar print with --json, made from their types.
import { printedSchemas } from './printed-schemas.mjs';

const PACKAGE = 'packages/cli';
const COMMANDS = ['explain', 'plan', 'replay'];

const schemaOf = printedSchemas(PACKAGE);

export const cliSchemas = COMMANDS.map((name) => ({
  path: `${PACKAGE}/schemas/${name}.schema.json`,
  make: () => schemaOf(name, `What rungar ${name} prints with --json`),
}));
