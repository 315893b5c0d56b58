import { describe, expect, test } from 'vitest';
import { boxType } from '../../test/box-type.js';
import type { Format } from '../format/format.js';
import { formatDeprecation, formatProblem } from '../format-problem.js';
import { parseAs } from '../parse.js';
import { type MigratedConfig, migrateConfig, migrateTo, type UnmigratedConfig } from './migrate-config.js';

const options = { file: 'f.yaml', types: [boxType] };

const BODY = `github: {url: https://github.com/acme, token: t}
providers:
  -   {name: p, type: box, address: a,  runner: {image: i}} # odd   spacing
scale_sets:
- name: s
  max_runners: 1
  providers: [p]
`;

function migrate(text: string): MigratedConfig | UnmigratedConfig {
  return migrateConfig(text, options);
}

describe('a file without a version', () => {
  test.each([
    ['gets one above its first key', BODY, `version: 1\n\n${BODY}`],
    [
      'gets one above the comment directly on the first key',
      `# who\n# we are\n${BODY}`,
      `version: 1\n\n# who\n# we are\n${BODY}`,
    ],
    [
      'gets one below a comment on the whole file',
      `# the file\n\n# who we are\n${BODY}`,
      `# the file\n\nversion: 1\n\n# who we are\n${BODY}`,
    ],
    ['gets one after the document marker', `---\n${BODY}`, `---\nversion: 1\n\n${BODY}`],
    [
      'gets one after the document marker and above a comment',
      `---\n# on it\n${BODY}`,
      `---\nversion: 1\n\n# on it\n${BODY}`,
    ],
    ['gets one after a directive', `%YAML 1.2\n---\n${BODY}`, `%YAML 1.2\n---\nversion: 1\n\n${BODY}`],
    [
      'gets one with the indentation of the first key',
      BODY.replace(/^/gm, '  ').trimEnd(),
      `  version: 1\n\n${BODY.replace(/^/gm, '  ').trimEnd()}`,
    ],
    ['keeps its line ends', BODY.replaceAll('\n', '\r\n'), `version: 1\r\n\r\n${BODY.replaceAll('\n', '\r\n')}`],
    ['keeps its byte order mark', `\ufeff${BODY}`, `\ufeffversion: 1\n\n${BODY}`],
    ['keeps its missing last line end', BODY.trimEnd(), `version: 1\n\n${BODY.trimEnd()}`],
    ['has it put where a null stands', `version:   # later\n${BODY}`, `version: 1   # later\n${BODY}`],
    ['has it put in the place of a null', `${BODY}version:  ~  # later\n`, `${BODY}version:  1  # later\n`],
    ['has it put in quotes of the key', `"version" : null\n${BODY}`, `"version" : 1\n${BODY}`],
  ])('%s', (_, before, after) => {
    expect(migrate(before)).toEqual({ text: after, version: 1, changes: ['version is set to 1'] });
  });

  test.each([
    [
      'in flow style',
      '{github: {url: https://github.com/acme, token: t}, # who\n providers: [{name: p, type: box, address: a}]}\n',
    ],
    ['with an explicit key', BODY.replace('github: {', '? github\n: {')],
    ['with lone carriage returns', BODY.replaceAll('\n', '\r')],
    ['with an anchor on the whole of it', `&all\n${BODY}`],
  ])('is written afresh %s, and means the same', (_, before) => {
    const migrated = migrate(before);
    if (!('text' in migrated)) throw new Error(migrated.problems.map(formatProblem).join('\n'));
    expect(migrated.changes).toEqual(['version is set to 1']);
    expect(migrate(migrated.text)).toEqual({ text: migrated.text, version: 1, changes: [] });
    expect(migrated.text).toMatch(/^(?:&all\n)?(?:\{\s*)?version: 1/);
    expect(migrated.text).toContain(before.includes('# who') ? '# who' : '# odd   spacing');
  });
});

test.each([
  ['a file of today', `version: 1\n${BODY}`],
  ['one with everything odd', `\ufeff--- # x\r\nversion:   1  #  y\r\n\r\n${BODY.replaceAll('\n', '\r\n')}\r\n\r\n`],
])('%s stays as it is, byte for byte', (_, text) => {
  expect(migrate(text)).toEqual({ text, version: 1, changes: [] });
});

test.each([
  ['with a misspelled key', `${BODY}sockett: /x\n`, 'did you mean socket?'],
  ['of a newer version', `version: 2\n${BODY}`, 'newer than the 1 this release reads'],
  ['of an older version', `version: 0\n${BODY}`, 'older than anything this release reads'],
  ['that is no YAML', `a: [\n`, 'f.yaml:'],
  ['that is empty', '', 'github'],
])('a file %s is refused with what is wrong', (_, text, words) => {
  const refused = migrate(text);
  if (!('problems' in refused)) throw new Error('it was migrated');
  expect(refused.refused).toBe('file');
  expect(refused.problems.map(formatProblem).join('\n')).toContain(words);
});

describe('when the format changes', () => {
  /** A made-up version 2, which calls two keys and a word by other names. */
  const two: Format = {
    current: 2,
    oldest: 1,
    migrations: [
      { lastVersion: 1, within: [], key: 'interval', becomes: 'reconcile_interval' },
      { lastVersion: 1, within: ['scale_sets', '[]'], key: 'max', becomes: 'max_runners' },
      { lastVersion: 1, within: ['scale_sets', '[]'], key: 'placement', becomes: 'placement', words: { fill: 'pack' } },
    ],
  };

  const OLD = `# ours
version: 1 # for now
interval: 1m

github: {url: https://github.com/acme, token: t} # one organisation
providers:
    - {name: p, type: box, address: a, runner: &r {image: i}}
# what is served
scale_sets:
    - &small
      name: s
      max: 3     # three
      placement: fill
      providers: [{name: p, runner: *r}]
    - <<: *small
      name: t
`;

  const NEW = `# ours
version: 2 # for now
reconcile_interval: 1m

github: {url: https://github.com/acme, token: t} # one organisation
providers:
  - {name: p, type: box, address: a, runner: &r {image: i}}
# what is served
scale_sets:
  - &small
    name: s
    max_runners: 3 # three
    placement: pack
    providers: [{name: p, runner: *r}]
  - <<: *small
    name: t
`;

  test('an old file loads as what it means now, with what is deprecated at its line', () => {
    const { settings, problems, deprecations } = parseAs(two, OLD, options);
    expect(problems).toEqual([]);
    expect(settings?.reconcileIntervalMs).toBe(60_000);
    expect(settings?.scaleSets.map(({ maxRunners, placement }) => [maxRunners, placement])).toEqual([
      [3, 'pack'],
      [3, 'pack'],
    ]);
    expect(deprecations.map(formatDeprecation)).toEqual([
      'line 2: version is 1, and the newest is 2 (run `rungar config migrate`)',
      'line 3: interval is called reconcile_interval now (run `rungar config migrate`)',
      'line 12: scale_sets[0].max is called max_runners now (run `rungar config migrate`)',
      'line 13: scale_sets[0].placement: "fill" is "pack" now (run `rungar config migrate`)',
    ]);
  });

  test('it is written afresh with an indent of two, its comments and its anchors', () => {
    expect(migrateTo(two, OLD, options)).toEqual({
      text: NEW,
      version: 2,
      changes: [
        'version 1 is 2 now',
        'line 3: interval is called reconcile_interval now',
        'line 12: scale_sets[0].max is called max_runners now',
        'line 13: scale_sets[0].placement: "fill" is "pack" now',
      ],
    });
  });

  test('what was migrated is left alone', () => {
    expect(migrateTo(two, NEW, options)).toEqual({ text: NEW, version: 2, changes: [] });
  });

  test('only the version is touched when nothing else is old', () => {
    const odd = `version:  1  # one\n${BODY}`;
    expect(migrateTo(two, odd, options)).toEqual({
      text: `version:  2  # one\n${BODY}`,
      version: 2,
      changes: ['version 1 is 2 now'],
    });
  });

  test('without a version it is taken for the first', () => {
    const text = OLD.replace('version: 1 # for now\n', '');
    expect(migrateTo(two, text, options)).toMatchObject({
      text: NEW.replace('# ours\nversion: 2 # for now\n', 'version: 2\n\n# ours\n'),
      version: 2,
    });
  });

  test('the line ends stay', () => {
    expect(migrateTo(two, OLD.replaceAll('\n', '\r\n'), options)).toMatchObject({ text: NEW.replaceAll('\n', '\r\n') });
  });

  test('in a file of the new version the old form is an unknown key', () => {
    const { problems } = parseAs(two, NEW.replace('max_runners: 3', 'max: 3'), options);
    expect(problems.map(formatProblem)).toContainEqual(
      expect.stringContaining('scale_sets[0].max: is not a known key'),
    );
  });

  test('the old form beside the new one is refused', () => {
    const refused = migrateTo(two, OLD.replace('max: 3', 'max: 3\n      max_runners: 4'), options);
    expect(refused).toMatchObject({ refused: 'file' });
  });

  test('a file with an error is not touched, whatever is old in it', () => {
    expect(migrateTo(two, `${OLD}sockett: /x\n`, options)).toMatchObject({ refused: 'file' });
  });

  test('a file that would not load afterwards is not touched', () => {
    const wrong: Format = {
      ...two,
      migrations: [
        { lastVersion: 1, within: [], key: 'interval', becomes: 'interval', words: { '1m': '2m' } },
        ...two.migrations,
        {
          lastVersion: 2,
          within: [],
          key: 'reconcile_interval',
          becomes: 'reconcile_interval',
          words: { '2m': '3m', '3m': '2m' },
        },
      ],
    };
    expect(migrateTo(wrong, OLD, options)).toMatchObject({ refused: 'result' });
  });

  test('a version that is not read any more is refused', () => {
    const later: Format = { current: 3, oldest: 2, migrations: [] };
    const said = (text: string): string => parseAs(later, text, options).problems.map(formatProblem).join('\n');
    expect(said(`version: 1\n${BODY}`)).toContain('f.yaml:1:10: version: is 1, older than anything this release reads');
    expect(said(BODY)).toContain('version is not set, and taken as 1 (migrate it with a release that reads both)');
    expect(said(`version: 4\n${BODY}`)).toContain('is 4, newer than the 3 this release reads');
    expect(said(`version: 2\n${BODY}`)).toBe('');
  });
});
