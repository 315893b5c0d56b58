import { describe, expect, test } from 'vitest';
import { expectInvalid, NOT_TEXT } from '../test/expect-error.js';
import {
  gcpLabelFilter,
  gcpLabelKey,
  gcpLabelValue,
  parseGcpMetadata,
  toGcpLabels,
  toGcpMetadata,
} from './gcp-labels.js';
import { runnerLabels } from './keys.js';
import { scaleSetSelector } from './selector.js';

const labels = runnerLabels({
  installation: 'gh-4e3651f01be5',
  scaleSet: 'CI.example',
  runner: 'CI.example-1ff1015a',
  revision: '',
});

describe('gcpLabelKey', () => {
  test.each([
    ['rungar.sh/managed', 'rungar_sh_managed'],
    ['rungar.sh/installation', 'rungar_sh_installation'],
    ['rungar.sh/scale-set', 'rungar_sh_scale-set'],
    ['rungar.sh/runner', 'rungar_sh_runner'],
    ['rungar.sh/revision', 'rungar_sh_revision'],
    ['Team/Name', 'rungar_team_name'],
    ['9lives', 'rungar_9lives'],
    ['', 'rungar_'],
    ['rungar_', 'rungar_'],
    ['RUNGAR.sh/x', 'rungar_sh_x'],
    ['rungar-x', 'rungar_rungar-x'],
    ['\u212aey', 'rungar_key'],
    ['\u0130d', 'rungar_id'],
    ['ΣΣ', 'rungar___'],
    ['a😀b', 'rungar_a_b'],
    ['a\ud83db', 'rungar_a_b'],
    ['a'.repeat(56), `rungar_${'a'.repeat(56)}`],
    ['a'.repeat(57), `rungar_${'a'.repeat(47)}_f13b2d72`],
    [`${'a'.repeat(80)}1`, 'rungar_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa_8e550e07'],
    [`rungar_${'é'.repeat(56)}`, `rungar_${'_'.repeat(56)}`],
    [`rungar_${'é'.repeat(57)}`, `rungar_${'_'.repeat(48)}e92c71e4`],
  ])('makes %j %s', (key, computeKey) => {
    expect(gcpLabelKey(key)).toBe(computeKey);
  });
});

describe('gcpLabelValue', () => {
  test.each([
    ['true', 'true'],
    ['rungar-c4-m8', 'rungar-c4-m8'],
    ['', ''],
    ['_-9', '_-9'],
    ['a'.repeat(63), 'a'.repeat(63)],
    ['a'.repeat(64), 'h-ffe054fe7ae0cb6d'],
    ['Rungar-C4', 'h-20aa4d1919d91820'],
    ['h-20aa4d1919d91820', 'h-20aa4d1919d91820'],
    ['ci.example', 'h-7f0779c4d072db46'],
    ['a b', 'h-c8687a08aa5d6ed2'],
    ['true\n', 'h-a17fcf0a2f50e2d4'],
    ['é', 'h-4a99557e4033c353'],
    ['😀', 'h-f0443a342c5ef547'],
  ])('makes %j %s', (value, computeValue) => {
    expect(gcpLabelValue(value)).toBe(computeValue);
  });
});

describe('toGcpLabels', () => {
  test('stands for each label', () => {
    expect(toGcpLabels(labels)).toStrictEqual({
      rungar_sh_installation: 'gh-4e3651f01be5',
      rungar_sh_managed: 'true',
      rungar_sh_revision: '',
      rungar_sh_runner: 'h-813de4e9d523f804',
      'rungar_sh_scale-set': 'h-af420d7953494968',
    });
  });

  test('refuses labels that could not be told apart', () => {
    expectInvalid(() => toGcpLabels({ 'a.b': '1', 'a/b': '2' }), '"a/b"', 'rungar_a_b');
  });
});

describe('gcpLabelFilter', () => {
  test('asks for every label, by its key there', () => {
    expect(gcpLabelFilter(scaleSetSelector('gh-4e3651f01be5', 'ci.example'))).toBe(
      '(labels.rungar_sh_installation = "gh-4e3651f01be5") (labels.rungar_sh_managed = "true") (labels.rungar_sh_scale-set = "h-7f0779c4d072db46")',
    );
  });

  test('is sorted by the keys there, not by the labels’ own', () => {
    expect(gcpLabelFilter({ Z: '1', a: '2' })).toBe('(labels.rungar_a = "2") (labels.rungar_z = "1")');
  });

  test('is empty for nothing asked for', () => {
    expect(gcpLabelFilter({})).toBe('');
  });
});

describe('the metadata item', () => {
  test('holds the labels exactly, sorted', () => {
    expect(toGcpMetadata(labels)).toBe(
      '{"rungar.sh/installation":"gh-4e3651f01be5","rungar.sh/managed":"true","rungar.sh/revision":"","rungar.sh/runner":"CI.example-1ff1015a","rungar.sh/scale-set":"CI.example"}',
    );
  });

  test('is read back', () => {
    expect(parseGcpMetadata(toGcpMetadata(labels))).toStrictEqual(labels);
    expect(parseGcpMetadata(' {"a" : "b"}\n')).toStrictEqual({ a: 'b' });
    expect(parseGcpMetadata('{}')).toStrictEqual({});
  });

  test.each(['', 'null', '[]', '"a"', '7', '{', '{"a":1}', '{"a":null}', '{"a":{}}', '{"a":"b"} x', '\ufeff{}'])(
    'is none of ours when it is %j',
    (text) => {
      expect(parseGcpMetadata(text)).toBeUndefined();
    },
  );

  test('is none of ours when it is not there', () => {
    for (const value of NOT_TEXT) expect(parseGcpMetadata(value as undefined)).toBeUndefined();
  });
});

test('makers refuse what is not text', () => {
  for (const value of NOT_TEXT) {
    expectInvalid(() => gcpLabelKey(value as string));
    expectInvalid(() => gcpLabelValue(value as string));
    expectInvalid(() => toGcpLabels({ team: value as string }), 'team');
    expectInvalid(() => gcpLabelFilter({ team: value as string }), 'team');
    expectInvalid(() => toGcpMetadata({ team: value as string }), 'team');
  }
});
