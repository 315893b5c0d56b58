import type { Command } from './command.js';

export const PROGRAM = 'dispat-worker-manifest';
export const ABOUT = 'Makes, checks, sizes and starts pools of dispat workers on Kubernetes.';

/** What `--help` says without a command. */
export function programHelp(commands: readonly Command[]): string {
  const width = Math.max(...commands.map(({ name }) => name.length));
  const lines = commands.map(({ name, describe }) => `  ${PROGRAM} ${name.padEnd(width)}  ${describe}`);
  return [
    `${PROGRAM} <command>`,
    '',
    ABOUT,
    '',
    'Commands:',
    ...lines,
    '',
    'Options:',
    '  --version   show the version',
    `  -h, --help  show the help; ${PROGRAM} <command> --help for one command`,
    '',
  ].join('\n');
}
