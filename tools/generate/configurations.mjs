// What is made of the configuration's format, and of the example configurations.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { load, read, root } from './source.mjs';

const EXAMPLES = 'examples/configurations';

export const configurationFiles = [
  { path: 'docs/reference/configuration.schema.json', make: schema },
  { path: 'examples/revisions.json', make: revisions },
];

async function schema() {
  const [{ configSchema }, { providerTypes }] = await modules();
  return text(configSchema(providerTypes));
}

/** What each example's runners are: a revision that changes here makes a user's runners outdated. */
async function revisions() {
  const [{ effectiveConfig, formatProblem, parseConfig }, { providerTypes }] = await modules();
  const files = readdirSync(join(root, EXAMPLES))
    .filter((name) => name.endsWith('.yaml'))
    .sort();
  const runnersOf = (name) => {
    const file = `${EXAMPLES}/${name}`;
    const { settings, root: tree, problems } = parseConfig(read(file), { file, types: providerTypes });
    if (settings === undefined) throw new Error(problems.map(formatProblem).join('\n'));
    return effectiveConfig({ settings, root: tree }).map(({ scaleSet, provider, endpoint, size, revision }) => ({
      scale_set: scaleSet,
      provider,
      endpoint,
      size,
      revision,
    }));
  };
  return text(Object.fromEntries(files.map((name) => [name, runnersOf(name)])));
}

function modules() {
  return Promise.all([load('packages/config/src/index.ts'), load('packages/providers/src/index.ts')]);
}

function text(value) {
  return `${JSON.stringify(value, null, 2)}\n`;
}
