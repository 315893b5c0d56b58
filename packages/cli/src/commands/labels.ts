import type { Argv } from 'yargs';
import type { Command } from '../command.js';
import { EXIT, ExitError } from '../exit.js';

/** What each sub-command takes beside its argument. */
const ACTIONS = {
  installation: { subject: 'URL', required: ['subject'], optional: [] },
  'runner-name': { subject: 'SCALE_SET', required: ['subject'], optional: ['suffix'] },
  encode: {
    subject: undefined,
    required: ['type', 'scale-set', 'runner'],
    optional: ['installation', 'url', 'revision', 'created'],
  },
  decode: { subject: 'FILE', required: ['type'], optional: ['subject', 'url', 'scale-set'] },
} as const satisfies Record<string, { subject: string | undefined; required: string[]; optional: string[] }>;

const ACTION_OPTIONS = ['type', 'installation', 'url', 'scale-set', 'runner', 'revision', 'created', 'suffix'];

export const BACKENDS = ['aws', 'dicer', 'gcp', 'proxmox'] as const;

export const labelsCommand: Command = {
  name: 'labels <action> [subject]',
  describe: 'Work out installations, runner names and labels, and read them from a machine',
  options: (yargs): Argv =>
    yargs
      .usage(
        [
          '$0 labels installation URL',
          '$0 labels runner-name SCALE_SET [--suffix HEX]',
          '$0 labels encode --type TYPE (--installation I | --url URL)',
          '    --scale-set S --runner R [--revision V] [--created TIME]',
          '$0 labels decode --type TYPE [--url URL] [--scale-set S] [FILE|-]',
          '',
          'Works out installations, runner names and labels as the daemon does, and',
          'reads them from a machine as its backend prints it. Asks nobody.',
        ].join('\n'),
      )
      .positional('action', { choices: Object.keys(ACTIONS), describe: 'what to do' })
      .positional('subject', { type: 'string', describe: 'URL, SCALE_SET or FILE; FILE - is standard input' })
      .option('type', { choices: BACKENDS, describe: 'the backend', requiresArg: true })
      .option('installation', { type: 'string', describe: 'the installation', requiresArg: true })
      .option('url', { type: 'string', describe: 'github.url, to derive the installation from', requiresArg: true })
      .option('scale-set', { type: 'string', describe: "the scale set's name", requiresArg: true })
      .option('runner', { type: 'string', describe: "the runner's name", requiresArg: true })
      .option('revision', { type: 'string', describe: "the runner's revision; empty if absent", requiresArg: true })
      .option('created', { type: 'string', describe: 'when the machine was created; now if absent', requiresArg: true })
      .option('suffix', { type: 'string', describe: '8 hex digits; drawn at random if absent', requiresArg: true })
      .option('json', { type: 'boolean', default: false, describe: 'print a JSON document' })
      .check(checkUsage),
  async run(args, world) {
    const actions = await import('./labels-actions.js');
    switch (args.action as keyof typeof ACTIONS) {
      case 'installation':
        return actions.printInstallation(args, world);
      case 'runner-name':
        return actions.printRunnerName(args, world);
      case 'encode':
        return actions.printEncoded(args, world);
      case 'decode':
        return actions.printDecoded(args, world);
    }
  },
};

function checkUsage(args: Record<string, unknown>): true {
  const action = String(args.action) as keyof typeof ACTIONS;
  const { subject, required, optional } = ACTIONS[action];
  const given = (name: string): boolean => args[name] !== undefined;
  const allowed: readonly string[] = [...required, ...optional];

  const missing = required.find((name) => !given(name));
  if (missing) throw usage(`labels ${action} needs ${missing === 'subject' ? `a ${subject}` : `--${missing}`}`);
  const extra = ACTION_OPTIONS.find((name) => given(name) && !allowed.includes(name));
  if (extra) throw usage(`labels ${action} takes no --${extra}`);
  if (given('subject') && !allowed.includes('subject')) throw usage(`labels ${action} takes no argument`);
  const twice = ACTION_OPTIONS.find((name) => Array.isArray(args[name]));
  if (twice) throw usage(`--${twice} is given more than once`);
  if (action === 'encode' && given('installation') === given('url')) {
    throw usage('labels encode needs either --installation or --url');
  }
  return true;
}

function usage(message: string): ExitError {
  return new ExitError(EXIT.usage, message, 'see `rungar labels --help`');
}
