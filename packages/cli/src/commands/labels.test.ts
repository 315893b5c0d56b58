import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { systemClock } from '@rungar/model';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import yargs from 'yargs';
import type { World } from '../command.js';
import { labelsCommand } from './labels.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rungar-labels-'));
});
afterEach(() => rm(folder, { recursive: true }));

/** Runs `rungar labels …` and gives what it printed. */
async function labels(
  args: readonly string[],
  input?: unknown,
  signal = new AbortController().signal,
): Promise<string> {
  let printed = '';
  const world: World = {
    env: {},
    stdin:
      input instanceof Readable
        ? input
        : Readable.from([typeof input === 'string' ? input : JSON.stringify(input ?? null)]),
    stdout: { write: (text) => (printed += text) },
    stderr: { write: () => true },
    signal,
    clock: systemClock,
    host: { name: 'host', nodeVersion: '20.19.0', umask: () => 0o022 },
    self: ['node', 'rungar'],
  };
  let chosen: Promise<number> | undefined;
  await yargs()
    .command(labelsCommand.name, labelsCommand.describe, labelsCommand.options, (parsed) => {
      chosen = labelsCommand.run?.(parsed, world);
    })
    .strict()
    .exitProcess(false)
    .fail((message, error) => {
      throw error ?? new Error(message);
    })
    .parse(['labels', ...args]);
  expect(await chosen).toBe(0);
  return printed;
}

const FIVE = {
  'rungar.sh/managed': 'true',
  'rungar.sh/installation': 'gh-4e3651f01be5',
  'rungar.sh/scale-set': 'rungar-c4-m8',
  'rungar.sh/runner': 'rungar-c4-m8-1ff1015a',
  'rungar.sh/revision': 'dae34f7f0a68',
};
const NAME = 'rungar-c4-m8-1ff1015a';
const TAGS = [{ Key: 'Name', Value: NAME }, ...Object.entries(FIVE).map(([Key, Value]) => ({ Key, Value }))];
const MINE = ['--scale-set', 'rungar-c4-m8', '--runner', NAME, '--revision', 'dae34f7f0a68'];

describe('installation', () => {
  test('is derived from a URL', async () => {
    expect(await labels(['installation', 'https://GitHub.com/My-Org///'])).toBe('gh-4e3651f01be5\n');
  });

  test('as JSON', async () => {
    expect(await labels(['installation', 'https://github.com/acme', '--json'])).toBe(
      '{\n  "url": "https://github.com/acme",\n  "installation": "gh-47a00949ae7d"\n}\n',
    );
  });

  test.each(['acme', 'https://github.com', 'https://github.com/', 'ssh://git@github.com/acme', ''])(
    'refuses %j',
    async (url) => {
      await expect(labels(['installation', url])).rejects.toMatchObject({
        code: 'invalid_argument',
        message: expect.stringContaining(JSON.stringify(url)),
        hint: expect.stringContaining('github.url'),
      });
    },
  );
});

describe('runner-name', () => {
  test('has the suffix asked for', async () => {
    expect(await labels(['runner-name', 'rungar-c4-m8', '--suffix', '1ff1015a'])).toBe(`${NAME}\n`);
  });

  test('has a suffix of its own otherwise', async () => {
    const [first, second] = [await labels(['runner-name', 'vm']), await labels(['runner-name', 'vm'])];
    expect(first).toMatch(/^vm-[0-9a-f]{8}\n$/);
    expect(second).not.toBe(first);
  });

  test('keeps a scale set that looks like a number', async () => {
    expect(JSON.parse(await labels(['runner-name', '007', '--suffix', '00000000', '--json']))).toStrictEqual({
      scale_set: '007',
      runner: '007-00000000',
    });
  });

  test('refuses a scale set that can have no runner', async () => {
    await expect(labels(['runner-name', 'org/set'])).rejects.toMatchObject({
      code: 'invalid_argument',
      hint: 'rename the scale set',
    });
  });
});

describe('encode', () => {
  test('aws: the tags of the machine', async () => {
    expect(await labels(['encode', '--type', 'aws', '--url', 'https://github.com/my-org', ...MINE])).toBe(
      [
        'Name=rungar-c4-m8-1ff1015a',
        'rungar.sh/installation=gh-4e3651f01be5',
        'rungar.sh/managed=true',
        'rungar.sh/revision=dae34f7f0a68',
        'rungar.sh/runner=rungar-c4-m8-1ff1015a',
        'rungar.sh/scale-set=rungar-c4-m8',
        '',
      ].join('\n'),
    );
  });

  test('proxmox: the description and the tags', async () => {
    const args = ['encode', '--type', 'proxmox', '--installation', 'gh-4e3651f01be5', ...MINE];
    const document = JSON.parse(await labels([...args, '--created', '2026-09-29T12:15:02.5+02:00', '--json']));
    expect(document).toStrictEqual({
      type: 'proxmox',
      labels: FIVE,
      description:
        '{"rungar":{"labels":{"rungar.sh/installation":"gh-4e3651f01be5","rungar.sh/managed":"true","rungar.sh/revision":"dae34f7f0a68","rungar.sh/runner":"rungar-c4-m8-1ff1015a","rungar.sh/scale-set":"rungar-c4-m8"},"created":"2026-09-29T10:15:02Z"}}',
      tags: 'rungar-38c2f061c7e672ac;rungar-8f70a2f035d47cd2;rungar-b76b365237cc4b9a;rungar-e034adf44aa1e7c1;rungar-f18a1a6716f695c1',
    });
  });

  test('gcp: the metadata item, the labels and the filter that finds its scale set', async () => {
    const document = JSON.parse(
      await labels([
        'encode',
        '--type',
        'gcp',
        '--installation',
        'home',
        '--scale-set',
        'ci.example',
        '--runner',
        'ci.example-0badf00d',
        '--json',
      ]),
    );
    expect(document.metadata['rungar-labels']).toBe(
      '{"rungar.sh/installation":"home","rungar.sh/managed":"true","rungar.sh/revision":"","rungar.sh/runner":"ci.example-0badf00d","rungar.sh/scale-set":"ci.example"}',
    );
    expect(document.compute_labels['rungar_sh_scale-set']).toBe('h-7f0779c4d072db46');
    expect(document.filter).toBe(
      '(labels.rungar_sh_installation = "home") (labels.rungar_sh_managed = "true") (labels.rungar_sh_scale-set = "h-7f0779c4d072db46")',
    );
  });

  test('dicer: the labels', async () => {
    const printed = await labels(['encode', '--type', 'dicer', '--installation', 'home', ...MINE]);
    expect(printed).toContain('rungar.sh/installation=home\n');
    expect(printed.trimEnd().split('\n')).toHaveLength(5);
  });

  test('refuses an installation that breaks the rule, and a time that is none', async () => {
    const args = ['encode', '--type', 'proxmox', ...MINE];
    await expect(labels([...args, '--installation', 'a b'])).rejects.toMatchObject({ code: 'invalid_argument' });
    await expect(labels([...args, '--installation', 'a', '--created', 'now'])).rejects.toMatchObject({
      code: 'invalid_argument',
      message: '--created "now" is not a time',
    });
  });
});

const PROXMOX_DESCRIPTION =
  '{"rungar":{"labels":{"rungar.sh/installation":"gh-4e3651f01be5","rungar.sh/managed":"true","rungar.sh/revision":"dae34f7f0a68","rungar.sh/runner":"rungar-c4-m8-1ff1015a","rungar.sh/scale-set":"rungar-c4-m8"},"created":"2026-09-29T10:15:02Z"}}\n';

describe('decode', () => {
  test.each<[string, string, unknown]>([
    ['a whole answer of EC2', 'aws', { Reservations: [{ Instances: [{ InstanceId: 'i-1', Tags: TAGS }] }] }],
    ['one reservation', 'aws', { Instances: [{ InstanceId: 'i-1', Tags: TAGS }] }],
    ['one EC2 instance', 'aws', { InstanceId: 'i-1', Tags: TAGS }],
    ['a list made with --query', 'aws', [[{ InstanceId: 'i-1', Tags: TAGS }]]],
    [
      'a Compute Engine instance',
      'gcp',
      {
        name: NAME,
        metadata: {
          items: [
            { key: 'startup-script', value: '' },
            { key: 'rungar-labels', value: JSON.stringify(FIVE) },
          ],
        },
      },
    ],
    [
      'a Compute Engine listing',
      'gcp',
      [{ name: NAME, metadata: { items: [{ key: 'rungar-labels', value: JSON.stringify(FIVE) }] } }],
    ],
    ['a VM configuration', 'proxmox', { name: NAME, description: PROXMOX_DESCRIPTION, tags: 'x' }],
    ['a VM configuration as the API wraps it', 'proxmox', { data: { name: NAME, description: PROXMOX_DESCRIPTION } }],
    ['a Dicer instance', 'dicer', { name: NAME, labels: FIVE }],
    ['a Dicer listing', 'dicer', { instances: [{ name: NAME, labels: FIVE }] }],
  ])('%s', async (_, type, answer) => {
    const args = [
      'decode',
      '--type',
      type,
      '--url',
      'https://github.com/my-org',
      '--scale-set',
      'rungar-c4-m8',
      '--json',
    ];
    expect(JSON.parse(await labels(args, answer))).toStrictEqual({
      instances: [
        { name: NAME, labels: FIVE, ...(type === 'proxmox' && { created: '2026-09-29T10:15:02Z' }), ours: true },
      ],
    });
  });

  test('shows the labels to a person, from a file', async () => {
    const file = join(folder, 'vm.json');
    await writeFile(file, JSON.stringify({ name: NAME, description: PROXMOX_DESCRIPTION }));
    expect(await labels(['decode', '--type', 'proxmox', file])).toBe(
      [
        'rungar-c4-m8-1ff1015a: ours',
        '       Managed: true',
        '  Installation: gh-4e3651f01be5',
        '     Scale set: rungar-c4-m8',
        '        Runner: rungar-c4-m8-1ff1015a',
        '      Revision: dae34f7f0a68',
        '       Created: 2026-09-29T10:15:02Z',
        '',
      ].join('\n'),
    );
  });

  test.each<[string, Record<string, string>, string, string]>([
    ['no label', {}, 'not_managed', 'it has no label rungar.sh/managed'],
    ['managed by hand', { ...FIVE, 'rungar.sh/managed': 'yes' }, 'not_managed', 'rungar.sh/managed is not true'],
    [
      'another installation',
      { ...FIVE, 'rungar.sh/installation': 'away' },
      'other_installation',
      'it belongs to installation "away", not "gh-4e3651f01be5"',
    ],
    [
      'another scale set',
      { ...FIVE, 'rungar.sh/scale-set': 'arm' },
      'other_scale_set',
      'it belongs to scale set "arm", not "rungar-c4-m8"',
    ],
    [
      'another runner',
      { ...FIVE, 'rungar.sh/runner': 'x-00000000' },
      'name_disagrees',
      'its name is not "x-00000000" of rungar.sh/runner',
    ],
  ])('is not ours with %s', async (_, own, reason, because) => {
    const args = ['decode', '--type', 'dicer', '--url', 'https://github.com/my-org', '--scale-set', 'rungar-c4-m8'];
    const answer = { name: NAME, labels: own };
    expect(JSON.parse(await labels([...args, '--json'], answer)).instances[0]).toMatchObject({
      ours: false,
      reason,
      because,
    });
    expect(await labels(args, answer)).toContain(`${NAME}: not ours: ${because}\n`);
  });

  test('several machines are told apart', async () => {
    const printed = await labels(['decode', '--type', 'dicer'], [{ name: NAME, labels: FIVE }, { name: 'web' }]);
    expect(printed).toContain('\n\nweb: not ours: it has no label rungar.sh/managed\n');
  });

  test('what a stranger wrote does not reach the terminal as it is', async () => {
    const answer = { name: 'a\u001b[2Jb', labels: { ...FIVE, 'rungar.sh/revision': '\u0007\u009b' } };
    const printed = await labels(['decode', '--type', 'dicer'], answer);
    expect(printed).toContain('a\\u001b[2Jb');
    expect(printed).toMatch(/^[\x20-\x7e\n]*$/);
  });

  test.each<[string, unknown, string]>([
    ['what is not JSON', 'ARN  i-1', 'standard input is not JSON'],
    ['nothing', '', 'standard input is not JSON'],
    ['null', null, 'standard input holds no aws instance'],
    ['an empty answer', { Reservations: [] }, 'standard input holds no aws instance'],
    ['something else', { name: NAME }, 'standard input holds no aws instance'],
  ])('refuses %s and says what it wants', async (_, input, message) => {
    await expect(labels(['decode', '--type', 'aws', '-'], input)).rejects.toMatchObject({
      code: 'invalid_argument',
      message: expect.stringContaining(message),
      hint: expect.stringContaining('aws ec2 describe-instances'),
    });
  });

  test('names a file that is not there', async () => {
    await expect(labels(['decode', '--type', 'aws', join(folder, 'none')])).rejects.toMatchObject({
      code: 'invalid_argument',
      message: expect.stringContaining('there is no such file'),
    });
  });

  test('ends when it is interrupted while it waits for standard input', async () => {
    const stop = new AbortController();
    const silent = new Readable({ read() {} });
    const decoding = labels(['decode', '--type', 'aws'], silent, stop.signal);
    setImmediate(() => stop.abort(new Error('ended by SIGINT')));
    await expect(decoding).rejects.toThrow('ended by SIGINT');
    expect(silent.destroyed).toBe(true);
  });
});

describe('wrong usage', () => {
  test.each([
    [['installation'], 'labels installation needs a URL'],
    [['runner-name'], 'labels runner-name needs a SCALE_SET'],
    [['encode', '--scale-set', 'a', '--runner', 'a-0', '--url', 'x'], 'labels encode needs --type'],
    [['encode', '--type', 'aws', ...MINE], 'labels encode needs either --installation or --url'],
    [
      ['encode', '--type', 'aws', ...MINE, '--url', 'x', '--installation', 'y'],
      'labels encode needs either --installation or --url',
    ],
    [['encode', 'x', '--type', 'aws', ...MINE, '--url', 'x'], 'labels encode takes no argument'],
    [['decode'], 'labels decode needs --type'],
    [['decode', '--type', 'aws', '--suffix', '00000000'], 'labels decode takes no --suffix'],
    [['runner-name', 'a', '--suffix', '00000000', '--suffix', '11111111'], '--suffix is given more than once'],
  ])('%j', async (args, message) => {
    await expect(labels(args)).rejects.toMatchObject({ exitCode: 64, message });
  });
});
