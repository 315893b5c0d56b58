// The JSON Schemas of what commands of rungar print with --json, made from their types.
import { printedSchemas } from './printed-schemas.mjs';

const PACKAGE = 'packages/cli';

/** The document's name, and the command that prints it where that is not the same. */
const DOCUMENTS = {
  changes: 'scale-sets pause|resume and rungar providers disable|drain|enable',
  doctor: 'doctor',
  events: 'events, in each line,',
  'events-stats': 'events --stats',
  'events-timeline': 'events --timeline',
  explain: 'explain',
  plan: 'plan',
  'providers-inspect': 'providers inspect',
  'providers-ls': 'providers ls',
  reconcile: 'reconcile',
  reload: 'reload',
  replay: 'replay',
  'runners-ls': 'runners ls',
  'runners-rm': 'runners rm',
  'scale-sets-inspect': 'scale-sets inspect',
  'scale-sets-ls': 'scale-sets ls',
  'scale-sets-rm': 'scale-sets rm',
  status: 'status',
  top: 'top',
};

const schemaOf = printedSchemas(PACKAGE);

export const cliSchemas = Object.entries(DOCUMENTS).map(([name, command]) => ({
  path: `${PACKAGE}/schemas/${name}.schema.json`,
  make: () => schemaOf(name, `What rungar ${command} prints with --json`),
}));
