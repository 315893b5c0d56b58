import fc from 'fast-check';
import { expect, test } from 'vitest';
import { anyJson, anyLabels, anyUnits } from '../test/hostile.js';
import { parseProxmoxDescription, parseProxmoxTags, toProxmoxDescription, toProxmoxTags } from './proxmox-tags.js';

const instants = fc.date({
  min: new Date('0000-01-01T00:00:00Z'),
  max: new Date('9999-12-31T23:59:59.999Z'),
  noInvalidDate: true,
});

test('a description gives back the labels as they were, and the second', () => {
  fc.assert(
    fc.property(anyLabels, instants, (labels, created) => {
      const second = Math.floor(created.getTime() / 1000) * 1000;
      const text = toProxmoxDescription(labels, created);
      expect(parseProxmoxDescription(`\n${text} `)).toStrictEqual({ labels, created: new Date(second) });
    }),
  );
});

test('tags are one for each label, of one form, and read back from any separator and case', () => {
  const separators = fc.constantFrom(';', ',', ' ', '; ', ' ,; ');
  fc.assert(
    fc.property(anyLabels, separators, fc.boolean(), (labels, separator, capitals) => {
      const tags = toProxmoxTags(labels);
      expect(tags).toHaveLength(Object.keys(labels).length);
      for (const tag of tags) expect(tag).toMatch(/^rungar-[0-9a-f]{16}$/);
      const text = tags.toReversed().join(separator);
      expect(parseProxmoxTags(capitals ? text.toUpperCase() : text)).toStrictEqual(tags);
    }),
  );
});

test('whatever the tags are, they are read as a sorted set without separators', () => {
  fc.assert(
    fc.property(anyUnits, (text) => {
      const tags = parseProxmoxTags(text);
      expect(new Set(tags).size).toBe(tags.length);
      for (const tag of tags) expect(tag).toMatch(/^[^;, ]+$/);
      expect(parseProxmoxTags(tags.join(';'))).toStrictEqual(tags);
    }),
  );
});

test('whatever a description is, reading it gives texts and a time, or nothing', () => {
  fc.assert(
    fc.property(anyJson, (text) => {
      for (const described of [
        parseProxmoxDescription(text),
        parseProxmoxDescription(`{"rungar":{"labels":${text}}}`),
      ]) {
        for (const value of Object.values(described?.labels ?? {})) expect(value).toBeTypeOf('string');
      }
    }),
  );
});
