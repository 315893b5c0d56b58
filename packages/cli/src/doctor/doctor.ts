import type { Problem } from '@rungar/model';
import type { World } from '../command.js';
import { openSession } from '../control/session.js';
import { EXIT } from '../exit.js';
import { type FormatFlags, formatOf, jsonText } from '../output/document.js';
import { plural } from '../output/words.js';
import { checkFile } from '../read-settings.js';
import { checkDaemon } from './check-daemon.js';
import { checkSocketFolder, checkStateFile } from './check-folders.js';
import { checkEventFile, checkNode, checkProxies } from './check-host.js';
import { type DoctorDocument, type Finding, fine, warning, wrong } from './finding.js';

export interface DoctorOptions extends FormatFlags {
  readonly config: string;
  readonly socket?: unknown;
}

/**
 * Looks at everything a daemon needs, and says of each thing whether it is well, or what cures it. Changes nothing.
 * @returns 0 when there is no error, 2 when the configuration says something wrong, 6 when another check fails
 */
export async function doctor(options: DoctorOptions, world: World): Promise<number> {
  const configured = await checkConfiguration(options, world);
  const findings = [
    checkNode(world.host.nodeVersion),
    ...checkProxies(world.env),
    ...configured.findings,
    ...(await checkDaemon(openSession(options.socket ?? (world.env.RUNGAR_SOCKET || configured.socket), world))),
  ];
  const failed = findings.some(({ result }) => result === 'error');
  if (formatOf(options) === 'json')
    world.stdout.write(jsonText({ healthy: !failed, findings } satisfies DoctorDocument));
  else world.stdout.write(`${linesOf(findings).join('\n')}\n`);
  if (!failed) return EXIT.done;
  const inFile = findings.some(({ area, result }) => area === 'configuration' && result === 'error');
  return inFile ? EXIT.invalid : EXIT.partly;
}

interface Configured {
  readonly findings: readonly Finding[];
  /** Where the configuration has the daemon's socket. */
  readonly socket?: string;
}

async function checkConfiguration({ config: path }: DoctorOptions, world: World): Promise<Configured> {
  const checked = await checkFile(path, world).catch((error: unknown) => {
    world.signal.throwIfAborted();
    return error;
  });
  if (!isChecked(checked)) {
    const { message, hint = '' } = checked instanceof Error ? (checked as Error & { hint?: string }) : { message: '' };
    return { findings: [wrong('configuration', message, hint)] };
  }
  const { config, problems } = checked;
  const inFile = [...problems, ...config.deprecations].map(toFinding);
  const { settings, root } = config;
  if (!settings || inFile.some(({ result }) => result === 'error')) return { findings: inFile };
  const [{ exposedSecretFiles }, { parseState, stateFilePath }, { checkOnline }] = await Promise.all([
    import('@rungar/config'),
    import('@rungar/daemon'),
    import('./check-online.js'),
  ]);
  const exposed = await exposedSecretFiles(settings, world);
  const [events, state, socket, online] = await Promise.all([
    checkEventFile(settings.events.file),
    checkStateFile(stateFilePath(world.env), parseState),
    checkSocketFolder(settings.socket),
    checkOnline(settings, root, world),
  ]);
  const sizes = `${plural(settings.providers.length, 'provider')}, ${plural(settings.scaleSets.length, 'scale set')}`;
  return {
    socket: settings.socket,
    findings: [
      fine('configuration', `${path} is valid (${sizes})`),
      ...inFile,
      ...(exposed.length === 0 ? [fine('files', 'no file with secrets can be read by others')] : []),
      ...exposed.map((file) =>
        warning('files', `every user of this host can read ${file}, which holds secrets`, `chmod o-r ${file}`),
      ),
      ...online,
      events,
      state,
      socket,
    ],
  };
}

function isChecked(checked: unknown): checked is Awaited<ReturnType<typeof checkFile>> {
  return typeof checked === 'object' && checked !== null && 'config' in checked;
}

function toFinding({ severity, place, path, message, hint = '' }: Problem): Finding {
  const text = `${place.file}:${place.line}:${place.column}: ${path === '' ? '' : `${path}: `}${message}`;
  return (severity === 'error' ? wrong : warning)('configuration', text, hint || 'Change this key.');
}

const WORDS = { ok: 'ok', warning: 'warning', error: 'ERROR' } as const;

function linesOf(findings: readonly Finding[]): readonly string[] {
  const [errors, warnings] = (['error', 'warning'] as const).map(
    (result) => findings.filter((one) => one.result === result).length,
  );
  return [
    ...findings.flatMap(({ area, result, message, hint }) => [
      `${WORDS[result].padEnd(8)} ${area.padEnd(14)} ${message}`,
      ...(hint === '' ? [] : [`${' '.repeat(24)}${hint}`]),
    ]),
    errors || warnings ? `${plural(errors ?? 0, 'error')}, ${plural(warnings ?? 0, 'warning')}` : 'All is well',
  ];
}
