import fc from 'fast-check';

/** Texts that break an encoding somewhere: escapes, separators, names JavaScript objects have, cases without a pair. */
const AWKWARD = [
  '',
  ' ',
  '=',
  ';',
  ',',
  '"',
  '\\',
  '/',
  '<&>',
  "'; --",
  '\0',
  '\n',
  '\u007f',
  '\u0085',
  '\u00a0',
  '\u0130',
  '\u03a3',
  '\u212a',
  '\u2028',
  '\u2029',
  '\ufeff',
  '\ufffd',
  '\uffff',
  '\ue000',
  '😀',
  '\u{10ffff}',
  '__proto__',
  'constructor',
  'hasOwnProperty',
  'toString',
  '0',
  '10',
  '9',
  'rungar.sh/',
  'rungar_',
  'rungar.sh/managed',
  'a'.repeat(64),
  'é'.repeat(40),
];

/** Any well-formed text, awkward ones often. */
export const anyText = fc.oneof(
  fc.constantFrom(...AWKWARD),
  fc.string({ unit: 'binary', maxLength: 80 }),
  fc.string({ maxLength: 80 }),
);

/** Any text, halves of surrogate pairs included. */
export const anyUnits = fc.oneof(
  anyText,
  fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 20 }).map((units) => String.fromCharCode(...units)),
  fc.array(fc.integer({ min: 0xd7f0, max: 0xffff }), { maxLength: 20 }).map((units) => String.fromCharCode(...units)),
);

/** Labels with any keys and values, `__proto__` as a key of its own included. */
export const anyLabels = fc
  .uniqueArray(fc.tuple(anyText, anyText), { selector: ([key]) => key, maxLength: 8 })
  .map((entries): Record<string, string> => Object.fromEntries(entries));

/** Whatever might stand where a backend's JSON should. */
export const anyJson = fc.oneof(
  fc.jsonValue().map((value) => JSON.stringify(value)),
  fc.json(),
  anyUnits,
  fc.constantFrom(
    'null',
    '[]',
    '{}',
    '{"rungar":null}',
    '{"rungar":[]}',
    '{"rungar":{"labels":[]}}',
    '{"__proto__":{"rungar":{"labels":{}}}}',
    '['.repeat(20_000),
  ),
);
