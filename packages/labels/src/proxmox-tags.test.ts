import { describe, expect, test } from 'vitest';
import { expectInvalid, NOT_TEXT } from '../test/expect-error.js';
import { runnerLabels } from './keys.js';
import {
  createProxmoxTagger,
  parseProxmoxDescription,
  parseProxmoxTags,
  proxmoxTag,
  toProxmoxDescription,
  toProxmoxTags,
} from './proxmox-tags.js';

const labels = runnerLabels({
  installation: 'gh-4e3651f01be5',
  scaleSet: 'rungar-c4-m8',
  runner: 'rungar-c4-m8-1ff1015a',
  revision: 'dae34f7f0a68',
});

const TAGS =
  'rungar-38c2f061c7e672ac;rungar-8f70a2f035d47cd2;rungar-b76b365237cc4b9a;rungar-e034adf44aa1e7c1;rungar-f18a1a6716f695c1';

const DESCRIPTION =
  '{"rungar":{"labels":{"rungar.sh/installation":"gh-4e3651f01be5","rungar.sh/managed":"true","rungar.sh/revision":"dae34f7f0a68","rungar.sh/runner":"rungar-c4-m8-1ff1015a","rungar.sh/scale-set":"rungar-c4-m8"},"created":"2026-09-29T10:15:02Z"}}';

describe('tags', () => {
  test.each([
    ['rungar.sh/managed', 'true', 'rungar-f18a1a6716f695c1'],
    ['rungar.sh/installation', 'gh-4e3651f01be5', 'rungar-8f70a2f035d47cd2'],
    ['rungar.sh/scale-set', 'rungar-c4-m8', 'rungar-b76b365237cc4b9a'],
    ['rungar.sh/runner', 'rungar-c4-m8-1ff1015a', 'rungar-38c2f061c7e672ac'],
    ['rungar.sh/revision', 'dae34f7f0a68', 'rungar-e034adf44aa1e7c1'],
    ['a', 'b=c', 'rungar-7986b7a514f6eafc'],
    ['', '', 'rungar-380918b946a52664'],
    ['k', 'é😀', 'rungar-588bbcd8e4e958eb'],
  ])('%s=%s is %s', (key, value, tag) => {
    expect(proxmoxTag(key, value)).toBe(tag);
  });

  test('of a VM are sorted', () => {
    expect(toProxmoxTags(labels)).toStrictEqual(TAGS.split(';'));
  });

  test.each([
    ['as they were set', TAGS],
    ['in capitals', TAGS.toUpperCase()],
    ['in another order, with commas', TAGS.split(';').reverse().join(',')],
    ['with spaces, some twice', `  ${TAGS.replaceAll(';', '  ')} rungar-f18a1a6716f695c1 `],
    ['with every separator at once', `;${TAGS.replaceAll(';', '; ,')},`],
  ])('are read %s', (_, text) => {
    expect(parseProxmoxTags(text)).toStrictEqual(TAGS.split(';'));
  });

  test('are read among those of others', () => {
    expect(parseProxmoxTags('Production;rungar-f18a1a6716f695c1;a_b')).toStrictEqual([
      'a_b',
      'production',
      'rungar-f18a1a6716f695c1',
    ]);
  });

  test('are none where there is no text', () => {
    expect(parseProxmoxTags('')).toStrictEqual([]);
    expect(parseProxmoxTags(' ;, ')).toStrictEqual([]);
    for (const value of NOT_TEXT) expect(parseProxmoxTags(value as undefined)).toStrictEqual([]);
  });
});

describe('the description', () => {
  test('holds the labels exactly, and when the VM was created, cut to the second', () => {
    expect(toProxmoxDescription(labels, new Date('2026-09-29T10:15:02.500Z'))).toBe(DESCRIPTION);
    expect(toProxmoxDescription(labels, new Date('2026-09-29T10:15:02.999Z'))).toBe(DESCRIPTION);
  });

  test('cuts, and does not round, before 1970 too', () => {
    expect(toProxmoxDescription({}, new Date(-1))).toBe('{"rungar":{"labels":{},"created":"1969-12-31T23:59:59Z"}}');
  });

  test('is read back', () => {
    expect(parseProxmoxDescription(DESCRIPTION)).toStrictEqual({ labels, created: new Date('2026-09-29T10:15:02Z') });
  });

  test('is read with white space around it', () => {
    expect(parseProxmoxDescription(`\u0085\n ${DESCRIPTION}\u00a0\n`)?.labels).toStrictEqual(labels);
  });

  test('is read with members nobody knows', () => {
    const text = '{"x":[],"rungar":{"version":2,"labels":{"a":"b"},"created":"2026-09-29T10:15:02Z"}}';
    expect(parseProxmoxDescription(text)).toStrictEqual({
      labels: { a: 'b' },
      created: new Date('2026-09-29T10:15:02Z'),
    });
  });

  test.each(['{"rungar":{"labels":{"a":"b"}}}', '{"rungar":{"labels":{"a":"b"},"created":null}}'])(
    'is read without the time: %s',
    (text) => {
      expect(parseProxmoxDescription(text)).toStrictEqual({ labels: { a: 'b' } });
    },
  );

  test.each([
    ['2026-09-29T12:15:02+02:00', '2026-09-29T10:15:02.000Z'],
    ['2026-09-29T10:15:02.25Z', '2026-09-29T10:15:02.250Z'],
    ['2028-02-29T23:59:59-00:30', '2028-03-01T00:29:59.000Z'],
    ['0000-01-01T00:00:00Z', '0000-01-01T00:00:00.000Z'],
  ])('reads the time %s', (created, utc) => {
    expect(parseProxmoxDescription(`{"rungar":{"labels":{},"created":"${created}"}}`)?.created?.toISOString()).toBe(
      utc,
    );
  });

  test.each([
    '"2026-09-29"',
    '"2026-09-29T10:15:02"',
    '"2026-02-30T10:15:02Z"',
    '"2027-02-29T10:15:02Z"',
    '"2026-13-01T10:15:02Z"',
    '"2026-00-01T10:15:02Z"',
    '"2026-09-00T10:15:02Z"',
    '"2026-09-29T24:00:00Z"',
    '"2026-09-29T10:60:00Z"',
    '"2026-09-29T10:15:02+24:00"',
    '" 2026-09-29T10:15:02Z"',
    '"yesterday"',
    '""',
    '1790000000',
    '{}',
  ])('is not of our shape when it was created at %s', (created) => {
    expect(parseProxmoxDescription(`{"rungar":{"labels":{},"created":${created}}}`)).toBeUndefined();
  });

  test.each([
    '',
    'A template. Do not delete.',
    ' qmclone temporary file',
    'null',
    '[]',
    '7',
    '{}',
    '{"rungar":null}',
    '{"rungar":"x"}',
    '{"rungar":[]}',
    '{"rungar":{}}',
    '{"rungar":{"labels":null}}',
    '{"rungar":{"labels":[]}}',
    '{"rungar":{"labels":"x"}}',
    '{"rungar":{"labels":{"a":1}}}',
    '{"rungar":{"labels":{"a":null}}}',
    '{"__proto__":{"rungar":{"labels":{}}}}',
    '\ufeff{"rungar":{"labels":{}}}',
    `${DESCRIPTION} `.repeat(2),
  ])('is none of ours when it is %j', (text) => {
    expect(parseProxmoxDescription(text)).toBeUndefined();
  });

  test('is none of ours when it is not there', () => {
    for (const value of NOT_TEXT) expect(parseProxmoxDescription(value as undefined)).toBeUndefined();
  });
});

describe('makers', () => {
  test('refuse what is not text', () => {
    for (const value of NOT_TEXT) {
      expectInvalid(() => proxmoxTag(value as string, 'a'));
      expectInvalid(() => proxmoxTag('a', value as string));
      expectInvalid(() => toProxmoxTags({ team: value as string }));
      expectInvalid(() => toProxmoxDescription({ team: value as string }, new Date(0)), 'team');
    }
  });

  test('refuse a time that has no four-digit year', () => {
    for (const at of [
      new Date(Number.NaN),
      new Date('+010000-01-01T00:00:00Z'),
      new Date('-000001-12-31T00:00:00Z'),
      0,
      undefined,
    ]) {
      expectInvalid(() => toProxmoxDescription({}, at as Date), 'years 0 to 9999');
    }
  });
});

describe('createProxmoxTagger', () => {
  test('gives the documented tags, the first time and when it remembers them', () => {
    const tagger = createProxmoxTagger();
    expect([tagger(labels).join(';'), tagger(labels).join(';')]).toEqual([TAGS, TAGS]);
  });

  test('tells neighbours apart by the labels in which they differ', () => {
    const tagger = createProxmoxTagger();
    tagger(labels);
    const neighbour = tagger({ ...labels, 'rungar.sh/runner': 'rungar-c4-m8-00000000' });
    // printf 'rungar.sh/runner=rungar-c4-m8-00000000' | sha256sum
    expect(neighbour).toContain('rungar-37810baaf6eaa1d0');
    expect(neighbour).not.toContain('rungar-38c2f061c7e672ac');
    expect(neighbour).toHaveLength(5);
  });

  test('stays right after more labels than it remembers', () => {
    const tagger = createProxmoxTagger();
    for (let index = 0; index < 5000; index++) tagger({ 'rungar.sh/scale-set': `set-${index}` });
    expect(tagger(labels).join(';')).toBe(TAGS);
  });

  test('refuses what is no text, remembered or not', () => {
    const tagger = createProxmoxTagger();
    for (const value of NOT_TEXT) expectInvalid(() => tagger({ team: value as string }));
  });
});
