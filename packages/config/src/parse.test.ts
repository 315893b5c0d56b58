import { describe, expect, test } from 'vitest';
import { boxType } from '../test/box-type.js';
import { parseConfig } from './parse.js';

const read = (text: string): ReturnType<typeof parseConfig> => parseConfig(text, { file: 'c.yaml', types: [boxType] });

/** Problems as `line:column path message`; there are settings exactly when none is an error. */
function said(text: string): string[] {
  const { settings, problems } = read(text);
  expect(settings === undefined).toBe(problems.some((problem) => problem.severity === 'error'));
  return problems.map(({ place, path, message }) => `${place.line}:${place.column} ${path} ${message}`);
}

const GITHUB = 'github: {url: https://github.com/acme, token: secret-token}';
const PROVIDERS = 'providers: [{name: p, type: box, address: one, runner: {image: i}}]';
const SCALE_SETS = 'scale_sets: [{name: s, max_runners: 2, providers: [p]}]';

/** A file that is fine but for the parts given. */
function file(parts: {
  version?: string;
  github?: string;
  providers?: string;
  scaleSets?: string;
  more?: string;
}): string {
  const { version = 'version: 1', github = GITHUB, providers = PROVIDERS, scaleSets = SCALE_SETS, more = '' } = parts;
  return [version, github, providers, scaleSets, more].join('\n');
}

const withScaleSet = (more: string): string =>
  file({ scaleSets: `scale_sets: [{name: s, max_runners: 10, providers: [p], ${more}}]` });
const withWindow = (window: string): string => withScaleSet(`schedule: {windows: [${window}]}`);
const withProvider = (more: string): string =>
  file({ providers: `providers: [{name: p, type: box, address: one, runner: {image: i}, ${more}}]` });

describe('a file that is fine', () => {
  test('has every default filled in', () => {
    const { settings, problems, deprecations } = read(file({}));
    expect([problems, deprecations]).toEqual([[], []]);
    expect(settings).toMatchObject({
      file: 'c.yaml',
      github: { url: 'https://github.com/acme', credentials: { kind: 'token' } },
      installation: 'gh-47a00949ae7d',
      providers: [{ name: 'p', type: 'box', weight: 1, maxRunners: 0, disabled: false }],
      scaleSets: [
        {
          name: 's',
          labels: ['s'],
          runnerGroup: 'Default',
          minRunners: 0,
          maxRunners: 2,
          priority: 0,
          placement: 'spread',
          startTimeoutMs: 300_000,
          paused: false,
          providers: [{ name: 'p', spec: { image: 'i' }, size: '1 CPU' }],
        },
      ],
      reconcileIntervalMs: 30_000,
      metrics: { enable: false, listen: '127.0.0.1:9102' },
      page: { enable: false, listen: '127.0.0.1:9103' },
      events: { file: '/var/log/rungar/events.jsonl', maxCount: 10_000 },
      socket: '/run/rungar/rungar.sock',
      logLevel: 'info',
      logFormat: 'text',
      holdsSecrets: true,
    });
    expect(settings?.scaleSets[0]).not.toHaveProperty('maxAgeMs');
    expect(settings?.events).not.toHaveProperty('maxAgeMs');
  });

  test('keeps what it sets', () => {
    const { settings, problems } = read(`
version: 1
installation: prod_1
github:
  url: https://ghe.example.com/enterprises/Acme/
  token_path: /etc/token
providers:
  - {name: p, type: box, address: one, weight: 0.5, max_runners: 8, disabled: yes, runner: {image: i}}
scale_sets:
  - name: big
    labels: [gpu, GPU, big, '', linux]
    runner_group: Fast
    min_runners: 1
    max_runners: 0x10
    priority: -3
    placement: pack
    start_timeout: 1m
    max_idle_age: 1m
    max_age: 24h
    paused: on
    providers: [p]
    schedule:
      timezone: Europe/Vilnius
      windows:
        - {days: [mon-fri, wed], from: 08:00, to: 22:00, min_runners: 4}
        - {days: sat, from: 22:00, to: 06:00}
reconcile_interval: 5s
metrics: {enable: true, listen: '[::1]:9102'}
page: {enable: true, listen: ':9000'}
events: {file: /e, max_count: 5, max_age: 72h}
socket: /s
log_level: WARNING
log_format: JSON
`);
    expect(problems).toEqual([]);
    expect(settings).toMatchObject({
      installation: 'prod_1',
      github: { credentials: { kind: 'token', tokenPath: '/etc/token' } },
      providers: [{ weight: 0.5, maxRunners: 8, disabled: true }],
      scaleSets: [
        {
          labels: ['big', 'gpu', 'linux'],
          runnerGroup: 'Fast',
          minRunners: 1,
          maxRunners: 16,
          priority: -3,
          placement: 'pack',
          startTimeoutMs: 60_000,
          maxIdleAgeMs: 60_000,
          maxAgeMs: 86_400_000,
          paused: true,
          schedule: {
            timeZone: 'Europe/Vilnius',
            windows: [
              { days: new Set([0, 1, 2, 3, 4]), from: 480, to: 1320, minRunners: 4 },
              { days: new Set([5]), from: 1320, to: 360, minRunners: 0 },
            ],
          },
        },
      ],
      reconcileIntervalMs: 5_000,
      metrics: { enable: true, listen: '[::1]:9102' },
      page: { enable: true, listen: ':9000' },
      events: { file: '/e', maxCount: 5, maxAgeMs: 259_200_000 },
      socket: '/s',
      logLevel: 'warn',
      logFormat: 'json',
      holdsSecrets: false,
    });
  });

  test('may have no scale sets, with a warning', () => {
    for (const none of ['', 'scale_sets:', 'scale_sets: []']) {
      expect(said(file({ scaleSets: none }))).toEqual([expect.stringContaining('scale_sets is empty')]);
    }
  });

  test('may say the same of zero, null and nothing', () => {
    for (const more of ['weight: 0', 'weight: null', 'max_runners: 0', 'disabled:']) {
      expect(read(withProvider(more)).settings?.providers[0]).toMatchObject({
        weight: 1,
        maxRunners: 0,
        disabled: false,
      });
    }
    for (const more of ['max_age: 0s', 'max_idle_age: "0"', 'start_timeout: 0s', 'schedule: null', 'schedule: {}']) {
      expect(said(withScaleSet(more))).toEqual([]);
    }
    expect(read(file({ more: 'installation: ""' })).settings?.installation).toBe('gh-47a00949ae7d');
  });
});

describe('an App', () => {
  test('is read with its key, which stays a secret', () => {
    const { settings } = read(
      file({
        github:
          'github: {url: https://github.com/acme, app_client_id: c, app_installation_id: 4242, app_private_key: KEY}',
      }),
    );
    expect(settings?.github.credentials).toMatchObject({ kind: 'app', clientId: 'c', installationId: 4242 });
    expect(JSON.stringify(settings?.github)).not.toContain('KEY');
    expect(settings?.holdsSecrets).toBe(true);
  });
});

describe('github is refused', () => {
  const url = 'url: https://github.com/acme';
  const app = 'app_client_id: c, app_installation_id: 1';

  test.each<[string, string, string]>([
    ['without a URL', 'token: t', 'github.url is missing'],
    [
      'with an App without a client ID',
      `${url}, app_installation_id: 1, app_private_key_path: /k`,
      'github.app_client_id is missing',
    ],
    [
      'with an App without an installation',
      `${url}, app_client_id: c, app_private_key_path: /k`,
      'github.app_installation_id is missing',
    ],
    [
      'with installation 0',
      `${url}, app_client_id: c, app_installation_id: 0, app_private_key_path: /k`,
      'github.app_installation_id is missing',
    ],
    ['with an App without a key', `${url}, ${app}`, 'github.app_private_key_path is missing'],
    [
      'with two keys',
      `${url}, ${app}, app_private_key: k, app_private_key_path: /k`,
      'github.app_private_key_path cannot stand beside',
    ],
    [
      'with an App and a token',
      `${url}, ${app}, app_private_key_path: /k, token: t`,
      'github.token cannot stand beside an App',
    ],
    [
      'with an App and a token file',
      `${url}, ${app}, app_private_key_path: /k, token_path: /t`,
      'github.token_path cannot stand beside an App',
    ],
    [
      'with an App for an enterprise',
      `url: https://github.com/Enterprises/acme, ${app}, app_private_key_path: /k`,
      'github.url is an enterprise, where GitHub allows no App',
    ],
    ['with two tokens', `${url}, token: t, token_path: /t`, 'github.token_path cannot stand beside token'],
    ['without credentials', url, 'there are no credentials'],
    ['with an unknown key', `${url}, token: t, tokn: u`, 'github.tokn is not a known key'],
    [
      'with a fraction for an installation',
      `${url}, app_client_id: c, app_installation_id: 1.5, app_private_key_path: /k`,
      'must be a whole number, not 1.5',
    ],
  ])('%s', (_, github, want) =>
    expect(said(file({ github: `github: {${github}}` }))).toEqual([expect.stringContaining(want)]),
  );

  test('is a classic token for an enterprise accepted', () => {
    expect(said(file({ github: 'github: {url: https://github.com/enterprises/acme, token: t}' }))).toEqual([]);
  });

  test.each([
    'https://github.com',
    'https://github.com/',
    'github.com/acme',
    'ftp://github.com/acme',
    'https:///acme',
    'https://github.com/a/b/c',
    'https://github.com/a//b',
    'https://github.com/acme?x=1',
    'https://github.com/acme#x',
    'https://user:hunter2@github.com/acme',
    'nonsense',
  ])('with the address %s', (address) => {
    const problems = said(file({ github: `github: {url: '${address}', token: t}` }));
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(/github\.url must (be one of https:\/\/HOST|not hold)/);
    expect(problems.join()).not.toContain('hunter2');
  });

  test.each(['https://github.com/acme/', 'https://github.com//acme//', 'https://GHE.example.com:8443/a/b'])(
    'not with the address %s',
    (address) => expect(said(file({ github: `github: {url: '${address}', token: t}` }))).toEqual([]),
  );

  test('not for http, which is only warned of', () => {
    expect(said(file({ github: 'github: {url: http://ghe.local/acme, token: t}' }))).toEqual([
      expect.stringContaining('github.url is not encrypted'),
    ]);
    for (const host of ['127.0.0.1:8080', '[::1]', 'localhost']) {
      expect(said(file({ github: `github: {url: 'http://${host}/acme', token: t}` }))).toEqual([]);
    }
  });
});

describe('the version', () => {
  test.each(['', 'version:'])('%j is taken as 1, which is deprecated', (version) => {
    const { settings, deprecations, problems } = read(file({ version }));
    expect(problems).toEqual([]);
    expect(settings).toBeDefined();
    expect(deprecations).toMatchObject([
      { severity: 'warning', path: '', message: 'version is not set, and taken as 1' },
    ]);
  });

  test.each([
    ['2', 'newer'],
    ['99999999999999999999', 'newer'],
    ['0', 'older'],
    ['-1', 'older'],
    ['one', 'must be a whole number, not one'],
    ['"1"', 'must be a whole number, not "1"'],
    ['1.5', 'must be a whole number, not 1.5'],
    ['01', 'must be a whole number, not 01'],
    ['{}', 'must be a whole number'],
  ])('%s is refused', (version, want) => {
    expect(said(file({ version: `version: ${version}` }))).toEqual([expect.stringContaining(want)]);
  });
});

describe('at the top is refused', () => {
  test.each<[string, string, string]>([
    ['an interval of 1ns', 'reconcile_interval: 1ns', 'must be at least 5s, not 1ns'],
    ['an interval of 1s', 'reconcile_interval: 1s', 'must be at least 5s, not 1s'],
    ['an interval without a unit', 'reconcile_interval: 30', 'must be a duration'],
    ['a relative socket', 'socket: run/x.sock', 'socket must be an absolute path'],
    ['a socket of 104 bytes', `socket: /${'x'.repeat(103)}`, 'socket must have at most 103 bytes, and has 104'],
    [
      'a socket of 103 characters and more bytes',
      `socket: /${'é'.repeat(52)}`,
      'socket must have at most 103 bytes, and has 105',
    ],
    ['a log level', 'log_level: loud', 'log_level must be debug, info, warn or error, not loud'],
    ['a log format', 'log_format: xml', 'log_format must be text or json, not xml'],
    ['an unknown key', 'scale_set: []', 'scale_set is not a known key'],
    ['a port out of range', 'metrics: {enable: true, listen: "h:65536"}', 'metrics.listen must be HOST:PORT'],
    ['an address without a port', 'metrics: {enable: true, listen: h}', 'metrics.listen must be HOST:PORT'],
    ['bare IPv6', 'metrics: {enable: true, listen: "::1:9102"}', 'metrics.listen must be HOST:PORT'],
    ['metrics that are no mapping', 'metrics: on', 'metrics must be a mapping'],
    ['a relative events file', 'events: {file: e}', 'events.file must be an absolute path'],
    ['fewer than no events', 'events: {max_count: -1}', 'events.max_count must be at least 0'],
    ['events younger than new', 'events: {max_age: -1s}', 'events.max_age must not be negative'],
    ['an unknown key of events', 'events: {fil: /e}', 'events.fil is not a known key'],
  ])('%s', (_, more, want) => expect(said(file({ more }))).toEqual([expect.stringContaining(want)]));

  test('nothing that is on the right side of the limit', () => {
    for (const more of [
      `socket: /${'x'.repeat(102)}`,
      'metrics: {enable: false, listen: nonsense}',
      'metrics: {enable: true, listen: ":0"}',
      'metrics: {enable: true, listen: "localhost:65535"}',
      'reconcile_interval: 5s',
    ]) {
      expect(said(file({ more }))).toEqual([]);
    }
  });

  test.each(['a', 'rungar.prod_1', 'A'.repeat(63)])('not the installation %s', (name) => {
    expect(read(file({ more: `installation: ${name}` })).settings?.installation).toBe(name);
  });

  test.each(['A'.repeat(64), '-a', 'a.', 'a-', 'a b', 'a/b', 'é'])('the installation %s', (name) => {
    expect(said(file({ more: `installation: '${name}'` }))).toEqual([
      expect.stringContaining('installation must be 1 to 63 letters, digits'),
    ]);
  });

  test('a file that is no mapping', () => {
    expect(said('- a\n')).toEqual([expect.stringContaining('must be a mapping')]);
    expect(said('nonsense\n')).toEqual([expect.stringContaining('must be a mapping')]);
  });

  test('an empty file, for what it lacks', () => {
    for (const text of ['', '# nothing\n', '---\n', '{}']) {
      const problems = said(text).join('\n');
      expect(problems).toContain('github.url is missing');
      expect(problems).toContain('there are no credentials');
      expect(problems).toContain('providers is missing');
    }
  });

  test('what the first document lacks, whatever a second one says', () => {
    const problems = said('version: 1\ngithub: {url: https://github.com/acme, token: t}\n---\nproviders: []\n');
    expect(problems).toEqual([
      expect.stringContaining('providers is missing'),
      expect.stringContaining('a second document begins here'),
    ]);
  });
});

describe('providers', () => {
  test.each<[string, string, string]>([
    ['no mapping', '[p]', 'providers[0] must be a mapping'],
    ['no name', '[{type: box, address: a}]', 'providers[0].name is missing'],
    ['no type', '[{name: p, address: a}]', 'providers[0].type is missing, on provider "p"'],
    [
      'an unknown type',
      '[{name: p, type: bxo, address: a}]',
      'providers[0].type must be one of box, not "bxo", on provider "p"',
    ],
    [
      'an unknown key',
      '[{name: p, type: box, address: a, placement: pack}]',
      'providers[0].placement is not a known key, on provider "p"',
    ],
    ['what its type requires', '[{name: p, type: box}]', 'providers[0].address is missing, on provider "p"'],
    [
      'a runner that is no mapping',
      '[{name: p, type: box, address: a, runner: [i]}]',
      'providers[0].runner must be a mapping, or null',
    ],
    [
      'a name twice',
      '[{name: p, type: box, address: a}, {name: p, type: box, address: b}]',
      'is the name of two providers: "p" stands on line 3 too',
    ],
    [
      'a backend twice',
      '[{name: p, type: box, address: a}, {name: q, type: box, address: A}]',
      'providers "p" and "q" are one backend, box:a',
    ],
  ])('refuse %s', (_, providers, want) => {
    expect(said(file({ providers: `providers: ${providers}`, scaleSets: '' })).join('\n')).toContain(want);
  });

  test.each(['-1', '.nan', '.inf', '-.inf'])('refuse weight %s', (weight) => {
    expect(said(withProvider(`weight: ${weight}`))).toEqual([
      expect.stringContaining('providers[0].weight must be more than 0'),
    ]);
  });

  test.each(['-1', '1.5', '010'])('refuse max_runners %s', (limit) => {
    expect(said(withProvider(`max_runners: ${limit}`))).toEqual([
      expect.stringContaining('providers[0].max_runners must be'),
    ]);
  });

  test('whose names differ in case are two', () => {
    expect(
      said(
        file({
          providers:
            'providers: [{name: p, type: box, address: a, runner: {image: i}}, {name: P, type: box, address: b}]',
        }),
      ),
    ).toEqual([]);
  });

  test('offer the nearest key, of the type or of all', () => {
    const hints = (more: string): (string | undefined)[] =>
      read(withProvider(more)).problems.map((problem) => problem.hint);
    expect(hints('wieght: 2')).toEqual(['did you mean weight?']);
    expect(hints('adress: x')).toEqual(['did you mean address?']);
  });

  test('know whether the file holds a secret of theirs', () => {
    const github = 'github: {url: https://github.com/acme, token_path: /t}';
    const providers = 'providers: [{name: p, type: box, address: a, password: x, runner: {image: i}}]';
    expect(read(file({ github })).settings?.holdsSecrets).toBe(false);
    expect(read(file({ github, providers })).settings?.holdsSecrets).toBe(true);
  });
});

describe('scale sets', () => {
  test.each<[string, string, string]>([
    ['min_runners 11', 'min_runners: 11', '11 is more than max_runners 10, in scale set "s"'],
    ['negative min_runners', 'min_runners: -1', 'min_runners must be at least 0, not -1, in scale set "s"'],
    [
      'a short start_timeout',
      'start_timeout: 29.9s',
      'start_timeout must be at least 30s, not 29.9s, in scale set "s"',
    ],
    ['a short max_idle_age', 'max_idle_age: 4m59s', '4m59s is less than start_timeout 5m0s'],
    ['a short max_age', 'max_age: 299s', '4m59s is less than start_timeout 5m0s'],
    ['a negative age', 'max_age: -1s', 'max_age must not be negative'],
    ['another placement', 'placement: random', 'placement must be spread or pack, not random, in scale set "s"'],
    ['placement in capitals', 'placement: Pack', 'placement must be spread or pack, not Pack'],
    ['a label with a comma', 'labels: ["a,b"]', 'labels[0] must not hold commas'],
    ['a label with a space around it', 'labels: [" a"]', 'labels[0] must not begin or end with a space'],
    ['a label of 257', `labels: [${'a'.repeat(257)}]`, 'labels[0] must have at most 256 characters'],
    ['labels that are no list', 'labels: gpu', 'labels must be a list, not gpu'],
    ['a schedule that is no mapping', 'schedule: []', 'schedule must be a mapping'],
    ['an unknown key', 'min_runner: 1', 'min_runner is not a known key, in scale set "s"'],
  ])('refuse %s', (_, more, want) => expect(said(withScaleSet(more))).toEqual([expect.stringContaining(want)]));

  test.each([
    'min_runners: 10',
    'start_timeout: 30s',
    'max_age: 5m',
    'max_idle_age: 5m',
    `labels: [${'a'.repeat(256)}]`,
  ])('accept %s', (more) => expect(said(withScaleSet(more))).toEqual([]));

  test.each<[string, string]>([
    ['', 'name is missing'],
    ['"a b"', 'name must not hold a space or a tab'],
    ['"a\\tb"', 'name must not hold a space or a tab'],
    ['a_b', "name cannot be part of a runner's name"],
    ['a/b', "name cannot be part of a runner's name"],
    ['-a', "name cannot be part of a runner's name"],
    ['ci.', "name cannot be part of a runner's name"],
    ['a'.repeat(129), 'name must have at most 128 characters'],
    ['Big', 'must have a name in small letters, on provider "p", in scale set "Big"'],
  ])('refuse the name %s', (name, want) => {
    const problems = said(file({ scaleSets: `scale_sets: [{name: ${name}, max_runners: 1, providers: [p]}]` }));
    expect(problems).toEqual([expect.stringContaining(want)]);
  });

  test.each([
    'a',
    'a-',
    '0',
    'ci.example',
    'a'.repeat(128),
    `${'a'.repeat(53)}--${'b'.repeat(20)}`,
    `${'a'.repeat(54)}_`,
  ])('accept the name %s', (name) =>
    expect(said(file({ scaleSets: `scale_sets: [{name: ${name}, max_runners: 1, providers: [p]}]` }))).toEqual([]),
  );

  test.each<[string, string, string]>([
    ['no max_runners', 'name: s, providers: [p]', 'max_runners is missing, in scale set "s"'],
    ['max_runners 0', 'name: s, max_runners: 0, providers: [p]', 'max_runners must be at least 1, not 0'],
    ['no providers', 'name: s, max_runners: 1', 'providers is missing, in scale set "s"'],
    ['an empty list of providers', 'name: s, max_runners: 1, providers: []', 'providers is missing, in scale set "s"'],
    [
      'an unknown provider',
      'name: s, max_runners: 1, providers: [q]',
      'providers[0] names no provider of this file: "q", in scale set "s"',
    ],
    [
      'a provider twice',
      'name: s, max_runners: 1, providers: [p, {name: p}]',
      'lists the provider "p" a second time, in scale set "s"',
    ],
    ['a provider without a name', 'name: s, max_runners: 1, providers: [{runner: {}}]', 'providers[0].name is missing'],
    [
      'an unknown key of a provider',
      'name: s, max_runners: 1, providers: [{name: p, runer: {}}]',
      'providers[0].runer is not a known key',
    ],
    [
      'a runner that is no mapping',
      'name: s, max_runners: 1, providers: [{name: p, runner: i}]',
      'providers[0].runner must be a mapping',
    ],
    [
      'a provider that is a list',
      'name: s, max_runners: 1, providers: [[p]]',
      'providers[0] must be the name of a provider',
    ],
    ['a null for a provider', 'name: s, max_runners: 1, providers: [~]', 'providers[0] must be the name of a provider'],
  ])('refuse %s', (_, scaleSet, want) => {
    expect(said(file({ scaleSets: `scale_sets: [{${scaleSet}}]` }))).toEqual([expect.stringContaining(want)]);
  });

  test.each([
    ['x', 'is the name of two scale sets: "x" stands on line 5 too'],
    ['X', 'differs from "x" on line 5 in case only'],
  ])('refuse x beside %s', (second, want) => {
    const each = (name: string): string => `  - {name: ${name}, max_runners: 1, providers: [{name: box}]}`;
    const providers = 'providers: [{name: box, type: box, address: a, runner: {image: i}}]';
    const problems = said(file({ providers, scaleSets: ['scale_sets:', each('x'), each(second)].join('\n') }));
    expect(problems).toContainEqual(expect.stringContaining(want));
  });

  test('that are no mappings are refused', () => {
    expect(said(file({ scaleSets: 'scale_sets: [s]' }))).toEqual([
      expect.stringContaining('scale_sets[0] must be a mapping'),
    ]);
  });
});

describe('a schedule', () => {
  test.each<[string, string, string]>([
    [
      'no days',
      '{from: "08:00", to: "09:00"}',
      'windows[0].days is missing, in window 1 of the schedule, in scale set "s"',
    ],
    [
      'days by their full name',
      '{days: monday, from: "08:00", to: "09:00"}',
      'must be a day like mon, or days like mon-fri, not monday',
    ],
    ['days with commas', '{days: "mon,tue", from: "08:00", to: "09:00"}', 'must be a day like mon'],
    ['mon-fry', '{days: [mon-fry], from: "08:00", to: "09:00"}', 'windows[0].days[0] must be a day'],
    ['from 24:00', '{days: mon, from: "24:00", to: "09:00"}', 'windows[0].from must be before 24:00'],
    ['8:00', '{days: mon, from: 8:00, to: "09:00"}', 'windows[0].from must be a time like "08:00"'],
    ['a number', '{days: mon, from: 8, to: "09:00"}', 'windows[0].from must be a time like "08:00"'],
    ['25:00', '{days: mon, from: "08:00", to: "25:00"}', 'windows[0].to must be a time'],
    ['equal times', '{days: mon, from: "08:00", to: "08:00"}', 'windows[0].to must differ from from'],
    ['no times', '{days: mon}', 'windows[0] is missing its from and to'],
    [
      'a minimum over max_runners',
      '{days: mon, from: "08:00", to: "09:00"}, {days: tue, from: "08:00", to: "09:00", min_runners: 11}',
      'windows[1].min_runners 11 is more than max_runners 10, in window 2 of the schedule, in scale set "s"',
    ],
    [
      'a negative minimum',
      '{days: mon, from: "08:00", to: "09:00", min_runners: -1}',
      'windows[0].min_runners must be at least 0',
    ],
    ['an unknown key', '{days: mon, from: "08:00", to: "09:00", min: 1}', 'windows[0].min is not a known key'],
    ['no mapping', 'mon', 'windows[0] must be a mapping'],
  ])('refuses %s', (_, window, want) => expect(said(withWindow(window))).toEqual([expect.stringContaining(want)]));

  test.each([
    '{days: mon, from: 22:00, to: 06:00}',
    '{days: [sun-sat], from: "00:00", to: "24:00"}',
    '{days: mon, from: "08:00", to: "09:00", min_runners: 10}',
  ])('accepts %s', (window) => expect(said(withWindow(window))).toEqual([]));

  test('takes a missing end for midnight, with a warning', () => {
    expect(said(withWindow('{days: mon, from: "08:00"}'))).toEqual([
      expect.stringContaining('windows[0].to is not set, and taken as 00:00'),
    ]);
    expect(read(withWindow('{days: mon, to: "08:00"}')).settings?.scaleSets[0]?.schedule?.windows).toMatchObject([
      { from: 0, to: 480 },
    ]);
  });

  test('refuses a zone without windows', () => {
    for (const schedule of ['{timezone: UTC}', '{timezone: UTC, windows: []}']) {
      expect(said(withScaleSet(`schedule: ${schedule}`))).toEqual([
        expect.stringContaining('schedule.windows is missing'),
      ]);
    }
  });

  test.each(['""', 'Local', 'CET', 'Mars/Olympus', '"+03:00"'])('refuses the zone %s', (zone) => {
    const window = '{days: mon, from: "08:00", to: "09:00"}';
    expect(said(withScaleSet(`schedule: {timezone: ${zone}, windows: [${window}]}`))).toEqual([
      expect.stringContaining('schedule.timezone must be an IANA time zone'),
    ]);
  });
});

describe('runner blocks', () => {
  const FLEET = `
version: 1
${GITHUB}
providers:
  - &p
    name: p
    type: box
    address: a
    runner:
      image: base
      cpus: 2
      env: {A: "1", B: "2"}
  - <<: *p
    name: q
    address: b
  - name: bare
    type: box
    address: c
scale_sets:
`;
  const specs = (providers: string): unknown =>
    read(`${FLEET}  - {name: s, max_runners: 1, providers: [${providers}]}\n`).settings?.scaleSets[0]?.providers.map(
      ({ spec }) => spec,
    );

  test('of provider and scale set are one', () => {
    expect(
      specs('p, {name: q, runner: {cpus: 4, env: {B: null, C: "3"}}}, {name: bare, runner: {image: own}}'),
    ).toEqual([
      {
        image: 'base',
        cpus: 2,
        env: new Map([
          ['A', '1'],
          ['B', '2'],
        ]),
      },
      {
        image: 'base',
        cpus: 4,
        env: new Map([
          ['A', '1'],
          ['B', ''],
          ['C', '3'],
        ]),
      },
      { image: 'own', cpus: undefined, env: undefined },
    ]);
    expect(specs('{name: p, runner: {cpus: null, env: null}}')).toEqual([
      { image: 'base', cpus: undefined, env: undefined },
    ]);
    expect(specs('{name: p, runner: {}}')).toEqual(specs('p'));
  });

  test('that are equal have equal revisions', () => {
    const { settings } = read(
      `${FLEET}  - {name: s, max_runners: 1, providers: [p, q, {name: bare, runner: {cpus: 0x2, env: {B: 2, A: 1}, image: base}}]}\n`,
    );
    const revisions = settings?.scaleSets[0]?.providers.map(({ revision }) => revision) ?? [];
    expect(revisions).toHaveLength(3);
    expect(new Set(revisions).size).toBe(1);
  });

  test('that are cleared lack what their type requires', () => {
    expect(said(`${FLEET}  - {name: s, max_runners: 1, providers: [{name: p, runner: null}]}\n`)).toEqual([
      '20:43 scale_sets[0].providers[0].runner.image is missing, on provider "p", in scale set "s"',
    ]);
  });

  test('that lack something name every scale set and provider they lack it for', () => {
    const scaleSets =
      '  - {name: s, max_runners: 1, providers: [bare]}\n  - {name: t, max_runners: 1, providers: [bare]}\n';
    expect(said(`${FLEET}${scaleSets}`)).toEqual([
      '20:43 scale_sets[0].providers[0].runner.image is missing, on provider "bare", in scale set "s"',
      '21:43 scale_sets[1].providers[0].runner.image is missing, on provider "bare", in scale set "t"',
    ]);
  });

  test('point to the mistake in a shared block once, and to where it is used', () => {
    const { problems } = read(
      `${FLEET.replace('cpus: 2', 'cpus: two')}  - {name: s, max_runners: 1, providers: [q, p]}\n  - {name: t, max_runners: 1, providers: [q]}\n`,
    );
    expect(problems).toMatchObject([
      {
        place: { line: 11, column: 13, usedAt: { line: 13, column: 9 } },
        path: 'scale_sets[0].providers[0].runner.cpus',
        value: 'two',
        message: 'must be a whole number, not two, on provider "q", in scale set "s"',
      },
    ]);
  });

  test('of a provider with a mistake of its own are not held against the scale set', () => {
    const text = `${FLEET.replace('address: a', 'adress: a')}  - {name: s, max_runners: 1, providers: [p]}\n`;
    expect(said(text).map((each) => each.split(' ', 2).join(' '))).toEqual([
      '6:5 providers[0].address',
      '8:5 providers[0].adress',
    ]);
  });
});

describe('all mistakes of a file', () => {
  test('are found at once, in order', () => {
    const text = `version: 3
github:
  url: https://github.com
  tokn: x
providers:
  - name: p
    type: box
    addres: a
    weight: -1
scale_sets:
  - name: a b
    max_runners: 0
    providers: [q]
    schedule:
      windows:
        - {days: [monday], from: 8:00, to: "25:00"}
socket: relative
socket: again
`;
    expect(said(text).map((each) => each.split(' ', 2).join(' '))).toEqual([
      '1:10 version',
      '3:3 github.app_client_id',
      '3:8 github.url',
      '4:3 github.tokn',
      '6:5 providers[0].address',
      '8:5 providers[0].addres',
      '9:13 providers[0].weight',
      '11:11 scale_sets[0].name',
      '12:18 scale_sets[0].max_runners',
      '13:17 scale_sets[0].providers[0]',
      '16:19 scale_sets[0].schedule.windows[0].days[0]',
      '16:34 scale_sets[0].schedule.windows[0].from',
      '16:44 scale_sets[0].schedule.windows[0].to',
      '17:9 socket',
      '18:1 socket',
    ]);
  });

  test('are found in runner blocks, whatever is wrong around them', () => {
    const text = `version: 1
${GITHUB}
providers:
  - {name: p, type: box, adress: a, runner: {cpus: x}}
  - {name: q, type: box, address: b, weight: -1, runner: {image: i, cpus: y}}
  - {name: r, type: box, address: c}
  - {name: t, type: box, addres: d, runner: 5}
scale_sets:
  - name: s
    max_runners: 1
    providers: [p, q, {name: r, tokne: x, runner: {cpus: z, imge: i}}, t]
  - name: u
`;
    expect(said(text).map((each) => each.split(' ', 2).join(' '))).toEqual([
      '4:5 providers[0].address',
      '4:26 providers[0].adress',
      '4:45 scale_sets[0].providers[0].runner.image',
      '4:52 scale_sets[0].providers[0].runner.cpus',
      '5:46 providers[1].weight',
      '5:75 scale_sets[0].providers[1].runner.cpus',
      '7:5 providers[3].address',
      '7:26 providers[3].addres',
      '7:45 providers[3].runner',
      '11:33 scale_sets[0].providers[2].tokne',
      '11:51 scale_sets[0].providers[2].runner.image',
      '11:58 scale_sets[0].providers[2].runner.cpus',
      '11:61 scale_sets[0].providers[2].runner.imge',
      '12:5 scale_sets[1].max_runners',
      '12:5 scale_sets[1].providers',
    ]);
  });

  test('before a syntax error are found too, but nothing is called missing', () => {
    const problems = said(
      'version: 1\ngithub: {url: https://github.com, token: t}\nlog_level: loud\nproviders: [\nsocket: x\n',
    );
    expect(problems.map((each) => each.split(' ', 2).join(' '))).toEqual([
      '2:15 github.url',
      '3:12 log_level',
      expect.stringMatching(/^[45]:\d+ $/),
    ]);
  });

  test('never show a secret', () => {
    const { problems } = read(
      'github: {url: x, token: [hunter2], app_private_key: {a: hunter2}, token_pth: hunter2}\nproviders: [{name: p, type: box, password: [hunter2]}]\n',
    );
    expect(problems.length).toBeGreaterThan(3);
    expect(JSON.stringify(problems)).not.toContain('hunter2');
  });
});
