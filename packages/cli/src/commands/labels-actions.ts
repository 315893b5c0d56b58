import { installationOf, LABEL, type Labels, runnerLabels, runnerName } from '@rungar/labels';
import { RungarError, systemClock, systemRandom } from '@rungar/model';
import type { World } from '../command.js';
import { type Backend, encodeFor } from './labels-encode.js';
import { readInstances } from './labels-instances.js';
import { readInput } from './labels-read-input.js';
import { judge, type Verdict } from './labels-verdict.js';

type Args = Readonly<Record<string, unknown>>;

/** What the labels are called for people, in the order to show them. */
const SHOWN_LABELS = [
  ['Managed', LABEL.managed],
  ['Installation', LABEL.installation],
  ['Scale set', LABEL.scaleSet],
  ['Runner', LABEL.runner],
  ['Revision', LABEL.revision],
] as const;

export async function printInstallation(args: Args, world: World): Promise<number> {
  const url = String(args.subject);
  const installation = installationOf(gitHubUrl(url));
  return print(args, world, { url, installation }, [installation]);
}

export async function printRunnerName(args: Args, world: World): Promise<number> {
  const scaleSet = String(args.subject);
  const suffix = args.suffix === undefined ? Buffer.from(systemRandom.bytes(4)).toString('hex') : String(args.suffix);
  const runner = runnerName(scaleSet, suffix);
  return print(args, world, { scale_set: scaleSet, runner }, [runner]);
}

export async function printEncoded(args: Args, world: World): Promise<number> {
  const labels = runnerLabels({
    installation: args.url === undefined ? String(args.installation) : installationOf(gitHubUrl(String(args.url))),
    scaleSet: String(args['scale-set']),
    runner: String(args.runner),
    revision: String(args.revision ?? ''),
  });
  const type = args.type as Backend;
  const { document, lines } = encodeFor(type, labels, instant(args.created));
  return print(args, world, { type, labels, ...document }, lines);
}

export async function printDecoded(args: Args, world: World): Promise<number> {
  // yargs makes an empty text of a lone hyphen.
  const file = String(args.subject || '-');
  const text = await readInput(file, world);
  const instances = readInstances(args.type as Backend, text, file === '-' ? 'standard input' : file);
  const wanted = {
    ...(args.url !== undefined && { installation: installationOf(gitHubUrl(String(args.url))) }),
    ...(args['scale-set'] !== undefined && { scaleSet: String(args['scale-set']) }),
  };
  const judged = instances.map((instance) => ({ ...instance, verdict: judge(instance, wanted) }));
  const document = {
    instances: judged.map(({ name, labels, created, verdict }) => ({
      ...(name !== undefined && { name }),
      labels,
      ...(created && { created: created.toISOString().replace('.000Z', 'Z') }),
      ...verdict,
    })),
  };
  const lines = judged.flatMap(({ name, labels, created, verdict }, at) => [
    ...(at > 0 ? [''] : []),
    ...instanceLines(name, labels, created, verdict),
  ]);
  return print(args, world, document, lines);
}

function instanceLines(
  name: string | undefined,
  labels: Labels,
  created: Date | undefined,
  verdict: Verdict,
): string[] {
  const fields: [string, string][] = SHOWN_LABELS.map(([title, key]) => [title, labels[key] ?? '-']);
  if (created) fields.push(['Created', created.toISOString().replace('.000Z', 'Z')]);
  const width = Math.max(...fields.map(([title]) => title.length));
  return [
    `${printable(name ?? '(no name)')}: ${verdict.ours ? 'ours' : `not ours: ${printable(verdict.because)}`}`,
    ...fields.map(([title, value]) => `  ${title.padStart(width)}: ${printable(value)}`),
  ];
}

function print(args: Args, world: World, document: object, lines: readonly string[]): number {
  world.stdout.write(args.json === true ? `${JSON.stringify(document, null, 2)}\n` : `${lines.join('\n')}\n`);
  return 0;
}

/** @throws RungarError when it is not the address of anything on GitHub */
function gitHubUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && /^https?:$/.test(url.protocol) && url.pathname.replaceAll('/', '') !== '') return text;
  throw new RungarError(
    'invalid_argument',
    `${JSON.stringify(text)} is not the address of an organisation, a repository or an enterprise on GitHub`,
    { hint: 'give what github.url has, as in https://github.com/my-org' },
  );
}

/** @throws RungarError when it is not an RFC 3339 time */
function instant(text: unknown): Date {
  if (text === undefined) return new Date(systemClock.wallNow());
  const form = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/;
  const at = new Date(String(text));
  if (form.test(String(text)) && !Number.isNaN(at.getTime())) return at;
  throw new RungarError('invalid_argument', `--created ${JSON.stringify(text)} is not a time`, {
    hint: 'give one as in 2027-01-04T09:00:00Z',
  });
}

/** `text` with control characters spelled out: what a stranger wrote on a machine must not command a terminal. */
function printable(text: string): string {
  return text.replace(/\p{Control}/gu, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
