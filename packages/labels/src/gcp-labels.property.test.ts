import fc from 'fast-check';
import { expect, test } from 'vitest';
import { anyJson, anyLabels, anyText, anyUnits } from '../test/hostile.js';
import { gcpLabelKey, gcpLabelValue, parseGcpMetadata, toGcpMetadata } from './gcp-labels.js';

test('every key is one that Compute Engine allows', () => {
  fc.assert(
    fc.property(anyUnits, (key) => {
      expect(gcpLabelKey(key)).toMatch(/^rungar_[a-z0-9_-]{0,56}$/);
    }),
  );
});

test('every value is one that Compute Engine allows, and its own stand-in', () => {
  fc.assert(
    fc.property(anyUnits, (value) => {
      const computeValue = gcpLabelValue(value);
      expect(computeValue).toMatch(/^[a-z0-9_-]{0,63}$/);
      expect(gcpLabelValue(computeValue)).toBe(computeValue);
    }),
  );
});

test('different values that are not allowed have different stand-ins', () => {
  fc.assert(
    fc.property(anyText, anyText, (a, b) => {
      fc.pre(a !== b);
      expect(gcpLabelValue(`A${a}`)).not.toBe(gcpLabelValue(`A${b}`));
    }),
  );
});

test('labels come back from the metadata item as they were', () => {
  fc.assert(
    fc.property(anyLabels, (labels) => {
      expect(parseGcpMetadata(toGcpMetadata(labels))).toStrictEqual(labels);
    }),
  );
});

test('whatever the metadata item holds, reading it gives texts or nothing', () => {
  fc.assert(
    fc.property(anyJson, (text) => {
      for (const value of Object.values(parseGcpMetadata(text) ?? {})) expect(value).toBeTypeOf('string');
    }),
  );
});
