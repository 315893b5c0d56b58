// The parts of docs/ that are made from the code.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fieldTable, typeTables } from './fields.mjs';
import { code, pageWith, table } from './page.mjs';
import { documentedMembers, load, read, root } from './source.mjs';

const PROTO = 'packages/daemon/proto/rungar/v1/rungar.proto';
const ERRORS = 'packages/model/src/errors.ts';

export const referencePages = [
  pageWith('docs/reference/cli.md', { help: helpOfCommands, 'exit codes': exitCodes }),
  pageWith('docs/reference/configuration.md', configurationTables()),
  pageWith('docs/providers/aws.md', {
    entry: async () => fieldTable((await load('packages/providers/src/aws/config.ts')).AWS_ENTRY_FIELDS, await model()),
    'runner block': async () =>
      fieldTable((await load('packages/providers/src/aws/runner.ts')).AWS_RUNNER_FIELDS, await model()),
    'default script': async () =>
      `\`\`\`bash\n${(await load('packages/providers/src/aws/default-user-data.ts')).DEFAULT_USER_DATA.trimEnd()}\n\`\`\``,
  }),
  pageWith('docs/providers/dicer.md', {
    entry: () => fieldsOf('dicer/config', 'DICER_ENTRY_FIELDS'),
    tls: () => fieldsOf('dicer/config', 'DICER_TLS_FIELDS'),
    'runner block': () => fieldsOf('dicer/runner', 'DICER_RUNNER_FIELDS'),
    mounts: () => fieldsOf('dicer/runner', 'DICER_MOUNT_FIELDS'),
  }),
  pageWith('docs/providers/gcp.md', {
    entry: () => fieldsOf('gcp/config', 'GCP_ENTRY_FIELDS'),
    'runner block': () => fieldsOf('gcp/runner', 'GCP_RUNNER_FIELDS'),
    'default script': async () =>
      `\`\`\`bash\n${(await load('packages/providers/src/gcp/default-startup-script.ts')).DEFAULT_STARTUP_SCRIPT.trimEnd()}\n\`\`\``,
  }),
  pageWith('docs/providers/proxmox.md', {
    entry: () => fieldsOf('proxmox/config', 'PROXMOX_ENTRY_FIELDS'),
    tls: () => fieldsOf('proxmox/config', 'PROXMOX_TLS_FIELDS'),
    'runner block': () => fieldsOf('proxmox/runner', 'PROXMOX_RUNNER_FIELDS'),
  }),
  pageWith('docs/reference/control-api.md', { methods }),
  pageWith('docs/reference/errors.md', { codes: errorCodes }),
  pageWith('docs/reference/events.md', {
    actions: eventActions,
    'removal reasons': () => reasons('REMOVAL_REASONS'),
    'loss reasons': () => reasons('LOSS_REASONS'),
    proof: async () =>
      table(
        ['fact', 'says'],
        Object.entries((await load('packages/reconciler/src/decide/proof.ts')).PROOF_FACTS).map(([fact, says]) => [
          code(fact),
          `${says}.`.replace(/^./, (letter) => letter.toUpperCase()),
        ]),
      ),
  }),
  pageWith('docs/reference/labels.md', { labels }),
  pageWith('docs/reference/metrics.md', {
    counters: () => metrics('COUNTERS'),
    gauges: () => metrics('GAUGES'),
    histograms,
  }),
];

function model() {
  return load('packages/model/src/index.ts');
}

/** The keys that a module of the providers declares. */
async function fieldsOf(module, name) {
  return fieldTable((await load(`packages/providers/src/${module}.ts`))[name], await model());
}

/** What the built program says, on a terminal of 80 columns. */
function help(...command) {
  const { stdout, stderr, status } = spawnSync(
    process.execPath,
    [join(root, 'packages/cli/bin/rungar.js'), ...command, '--help'],
    { encoding: 'utf8' },
  );
  if (status !== 0) throw new Error(`rungar ${command.join(' ')} --help ended with ${status}: ${stderr}`);
  return `\`\`\`text\n${stdout.trimEnd()}\n\`\`\``;
}

async function helpOfCommands() {
  const { commands } = await load('packages/cli/src/commands/index.ts');
  const calls = commands.flatMap(({ name, subcommands = [] }) => {
    const [first] = name.split(' ');
    return [[first], ...subcommands.map((inner) => [first, inner.name.split(' ')[0]])];
  });
  return [help(), ...calls.map((call) => `### rungar ${call.join(' ')}\n\n${help(...call)}`)].join('\n\n');
}

async function exitCodes() {
  const { EXIT } = await load('packages/cli/src/exit.ts');
  return table(
    ['code', 'says'],
    documentedMembers('packages/cli/src/exit.ts', 'EXIT').map(({ name, doc }) => [EXIT[name], doc]),
  );
}

function configurationTables() {
  const sections = {
    'top level': 'TOP_FIELDS',
    github: 'GITHUB_FIELDS',
    providers: 'PROVIDER_FIELDS',
    'scale sets': 'SCALE_SET_FIELDS',
    'providers of a scale set': 'SCALE_SET_PROVIDER_FIELDS',
    schedule: 'SCHEDULE_FIELDS',
    windows: 'WINDOW_FIELDS',
    metrics: 'METRICS_FIELDS',
    page: 'PAGE_FIELDS',
    events: 'EVENTS_FIELDS',
  };
  const tables = Object.entries(sections).map(([name, fields]) => [
    name,
    async () => fieldTable((await load('packages/config/src/fields.ts'))[fields], await model()),
  ]);
  return { ...Object.fromEntries(tables), 'types of provider': tablesOfTypes };
}

async function tablesOfTypes() {
  const { providerTypes } = await load('packages/providers/src/index.ts');
  const words = await model();
  return providerTypes.map((type) => typeTables(type, words)).join('\n\n');
}

function methods() {
  const unanswered = new Set(
    [...read('packages/daemon/src/control/service.ts').matchAll(/notYet\('(\w+)'\)/g)].map(([, name]) => name),
  );
  const rows = [];
  let comment = [];
  for (const line of read(PROTO).split('\n')) {
    const [, said] = /^ {2}\/\/ (.*)$/.exec(line) ?? [];
    const [, name] = /^ {2}rpc (\w+)\(/.exec(line) ?? [];
    if (name) rows.push([code(name), unanswered.has(name) ? 'not yet' : 'yes', comment.join(' ')]);
    comment = said === undefined ? [] : [...comment, said];
  }
  return table(['method', 'answered', 'what it does'], rows);
}

async function errorCodes() {
  const [{ toConnectError }, { exitCodeFor }, { RungarError, createRedactor }] = await Promise.all([
    load('packages/daemon/src/control/errors.ts'),
    load('packages/cli/src/exit.ts'),
    model(),
  ]);
  const rows = documentedMembers(ERRORS, 'ERROR_CODES').map(({ name, doc }) => {
    const error = new RungarError(name, 'sample');
    const [, wireCode] = /^\[(\w+)\]/.exec(toConnectError(error, createRedactor()).message) ?? [];
    return [code(name), doc, code(wireCode), exitCodeFor(error)];
  });
  return table(['code', 'means', 'control API', 'exit code'], rows);
}

async function eventActions() {
  const { EVENT_ACTIONS } = await model();
  const rows = documentedMembers('packages/model/src/event.ts', 'EVENT_ACTIONS').map(({ name, doc }) => [
    code(name),
    code(EVENT_ACTIONS[name]),
    doc,
  ]);
  return table(['action', 'kind', 'what happened'], rows);
}

function reasons(list) {
  return table(
    ['reason', 'means'],
    documentedMembers('packages/model/src/runner.ts', list).map(({ name, doc }) => [code(name), doc]),
  );
}

async function labels() {
  const { LABEL } = await load('packages/labels/src/keys.ts');
  return table(
    ['key', 'value'],
    documentedMembers('packages/labels/src/keys.ts', 'LABEL').map(({ name, doc }) => [code(LABEL[name]), doc]),
  );
}

async function metrics(kind) {
  const catalogue = await load('packages/daemon/src/metrics/catalogue.ts');
  return table(
    ['metric', 'labels', 'what it counts'],
    Object.entries(catalogue[kind]).map(([name, { labels, help }]) => [code(name), labels.map(code).join(', '), help]),
  );
}

async function histograms() {
  const { HISTOGRAMS } = await load('packages/daemon/src/metrics/catalogue.ts');
  const rows = Object.entries(HISTOGRAMS).map(([name, { labels, help, buckets }]) => [
    code(name),
    labels.map(code).join(', '),
    help,
    buckets.join(' '),
  ]);
  return table(['metric', 'labels', 'what it measures', 'buckets'], rows);
}
