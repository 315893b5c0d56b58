import { access, constants, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { revisionOf } from '@rungar/labels';
import {
  field,
  formatDurationMs,
  messageOf,
  type OnlineFinding,
  type ParsedRunner,
  type ProviderType,
  RungarError,
  type RunnerToCheck,
  readMapping,
} from '@rungar/model';
import { fileHost } from './host.js';
import { openProcesses } from './provider.js';
import type { ProcessRunner, ProcessSettings } from './settings.js';

const ABSOLUTE = { pattern: /^\//, want: 'must be an absolute path' } as const;
/** What this provider sets itself. */
const OURS = /^(ACTIONS_RUNNER_INPUT_JITCONFIG|RUNGAR_MACHINE)$/;

const ENTRY = {
  state: field.text({
    describe: 'the folder in which each process has a folder of its own',
    required: true,
    ...ABSOLUTE,
  }),
  folder: field.text({ describe: 'where the Actions runner is unpacked; each process gets a copy of it', ...ABSOLUTE }),
  starts_at_once: field.integer({ describe: 'how many copies are made at a time', default: 4, min: 1 }),
  timeout: field.duration({ describe: 'the time limit of each call', default: 60_000 }),
} as const;

const RUNNER = {
  command: field.list(field.text({ describe: 'a word of the command', keepEmpty: true }), {
    describe: 'the command that takes one job, word by word; it begins in its copy of the folder',
    default: ['./run.sh'],
  }),
  env: field.textMap({
    describe: 'environment variables of the command',
    checkKey(name) {
      if (OURS.test(name)) return 'must not be set: every process is given its own';
      return /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) ? undefined : 'must be the name of a variable';
    },
  }),
} as const;

/** `type: process`: runners that are processes of this host. Nothing keeps them apart from it, or from each other. */
export const processType: ProviderType<ProcessRunner> = {
  type: 'process',
  secretKeys: [],
  fields: { entry: ENTRY, runner: RUNNER },

  configure(entry, path, problems) {
    const { all } = readMapping(entry, ENTRY, path, problems);
    if (!all) return undefined;
    const settings: ProcessSettings = {
      state: resolve(all.state),
      ...(all.folder !== undefined && { folder: resolve(all.folder) }),
      startsAtOnce: all.starts_at_once,
      timeoutMs: all.timeout,
    };
    return {
      endpoint: `process:${settings.state}`,
      secretFiles: [],
      effective: {
        state: settings.state,
        ...(settings.folder !== undefined && { folder: settings.folder }),
        starts_at_once: settings.startsAtOnce,
        timeout: formatDurationMs(settings.timeoutMs),
      },

      parseRunner(block, at, path, problems): ParsedRunner<ProcessRunner> | undefined {
        const { all } = readMapping(block ?? { kind: 'map', entries: [], place: at }, RUNNER, path, problems);
        if (!all) return undefined;
        const spec: ProcessRunner = { command: all.command, env: all.env ?? new Map() };
        return { spec, revision: revisionOf({ Command: spec.command, Env: spec.env }), size: '' };
      },
      effectiveRunner: blockOf,

      checkRunnerName: () => undefined,

      async checkFiles() {
        await access('/proc/self/stat').catch(() => {
          throw new RungarError('invalid_argument', 'this host has no /proc', { hint: 'Run it on Linux.' });
        });
        if (settings.folder !== undefined) await checkFolder(settings.folder);
      },
      checkOnline: (runners) => checkCommands(settings, runners),
      open: (context) => openProcesses(settings, context, fileHost(settings.state, context.clock)),
    };
  },
};

/** A specification as the block it was read from, defaults filled in. */
function blockOf({ command, env }: ProcessRunner): { command: readonly string[]; env?: object } {
  return { command, ...(env.size > 0 && { env: Object.fromEntries(env) }) };
}

async function checkFolder(folder: string): Promise<void> {
  const fault = await stat(folder).then(
    (found) => (found.isDirectory() ? undefined : 'it is no folder'),
    (error: unknown) => messageOf(error),
  );
  if (fault === undefined) return;
  throw new RungarError('invalid_argument', `folder: ${folder} cannot be used: ${fault}`, {
    hint: 'Unpack the Actions runner there: https://github.com/actions/runner/releases.',
  });
}

/** Whether the host has what the blocks would run. A command without a slash is looked for when it is run. */
async function checkCommands(
  { folder }: ProcessSettings,
  runners: readonly RunnerToCheck<ProcessRunner>[],
): Promise<OnlineFinding[]> {
  const findings = await Promise.all(
    runners.map(async ({ scaleSet, spec }): Promise<OnlineFinding[]> => {
      const [program = ''] = spec.command;
      if (!program.includes('/') || (folder === undefined && !program.startsWith('/'))) return [];
      try {
        await access(resolve(folder ?? '/', program), constants.X_OK);
        return [];
      } catch (error) {
        const message = `names a program that cannot be run: ${messageOf(error)}`;
        return [{ severity: 'error', scaleSet, key: 'command', message }];
      }
    }),
  );
  return findings.flat();
}
