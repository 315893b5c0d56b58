import fc from 'fast-check';
import { expect, test } from 'vitest';
import { documentedExecutionText, documentedPoolText } from '../../test/documented.js';
import { isInputError } from '../problems.js';
import { type CheckInput, check } from './check.js';
import { checkSarif } from './report/sarif.js';
import { checkText } from './report/text.js';
import { rules } from './rules/index.js';
import { commandsOf } from './shell/commands.js';
import { interpret } from './shell/interpret.js';

/** Hundreds of checks, in milliseconds: a machine that does other work too gets through them later. */
const LONG = 60_000;

/** A check ends with a report that can be written, or with problems of the input; it never fails in another way. */
function ends(input: CheckInput): boolean {
  try {
    const report = check(input);
    checkText(report, { width: 80, colour: true, quiet: false });
    JSON.parse(checkSarif(report, rules, '1.0.0'));
    return true;
  } catch (error) {
    if (isInputError(error) && error.problems.length > 0) return false;
    throw error;
  }
}

const named = (text: string) => ({ name: 'f.yaml', text });

test('any text is checked or refused', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => void ends({ manifests: [named(text)] })),
  );
});

test(
  'the documented manifest with any piece replaced is checked or refused',
  () => {
    const pieces = fc.oneof(
      fc.string({ maxLength: 10 }),
      fc.constantFrom(
        '{}',
        '[]',
        'null',
        '0',
        '-1',
        '"',
        "'",
        '$(',
        '`',
        '<<EOF',
        '\n---\n',
        '&a',
        '*a',
        '1e309',
        '.nan',
        'yes',
      ),
    );
    const at = fc.nat({ max: documentedPoolText.length });
    fc.assert(
      fc.property(at, fc.nat({ max: 40 }), pieces, (from, length, piece) => {
        const text = documentedPoolText.slice(0, from) + piece + documentedPoolText.slice(from + length);
        ends({ manifests: [named(text)], dispatConfig: named(documentedExecutionText) });
      }),
      { numRuns: 300 },
    );
  },
  LONG,
);

/** Mappings with the keys rules look for, and anything at all below them. */
const KEYS = [
  'spec',
  'template',
  'metadata',
  'annotations',
  'labels',
  'containers',
  'volumes',
  'env',
  'volumeMounts',
  'securityContext',
  'resources',
  'nodeSelector',
  'affinity',
  'tolerations',
  'egress',
  'ports',
  'name',
  'namespace',
  'valueFrom',
  'secret',
  'defaultMode',
  'completions',
  'replicas',
  'args',
  'command',
  '__proto__',
  'constructor',
  'toString',
];
const { value: anything } = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.jsonValue({ maxDepth: 1 }),
    fc.array(tie('value'), { maxLength: 3 }),
    tie('map'),
  ),
  map: fc.dictionary(fc.constantFrom(...KEYS), tie('value'), { maxKeys: 5 }),
}));

test(
  'any values at all in the place of the ones that rules read are checked',
  () => {
    const kinds = fc.constantFrom(
      'Job',
      'StatefulSet',
      'CronJob',
      'ScaledJob',
      'Deployment',
      'NetworkPolicy',
      'ResourceQuota',
      'Secret',
      'Service',
      'HorizontalPodAutoscaler',
      'LimitRange',
      'PodDisruptionBudget',
    );
    const worker = { name: 'w', command: ['sh', '-c', 'exec dispat worker --root /work'] };
    fc.assert(
      fc.property(fc.array(fc.tuple(kinds, anything), { maxLength: 4 }), anything, anything, (others, pod, spec) => {
        const objects = [
          {
            apiVersion: 'batch/v1',
            kind: 'Job',
            metadata: { name: 'p' },
            spec: { ...asMap(spec), template: { spec: { ...asMap(pod), containers: [{ ...asMap(pod), ...worker }] } } },
          },
          ...others.map(([kind, each]) => ({ apiVersion: 'x/v1', ...asMap(each), kind })),
        ];
        expect(ends({ manifests: [named(JSON.stringify({ kind: 'List', items: objects }))] })).toBe(true);
      }),
      { numRuns: 300 },
    );
  },
  LONG,
);

function asMap(value: unknown): object {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};
}

test('any script is followed to its end', () => {
  const words = fc.constantFrom(
    'cat',
    'printf',
    '%s',
    'if',
    'fi',
    'case',
    'esac',
    '<<EOF',
    'EOF',
    "'",
    '"',
    '$(',
    ')',
    '${X##*-}',
    '${',
    '`',
    '>',
    '>>',
    '|',
    '&&',
    ';',
    '\n',
    '\\',
    '$',
    'exec',
    'dispat',
    'worker',
    'A=b',
    '/w/f',
    '#',
    '((',
    '<<<',
  );
  const script = fc.oneof(
    fc.array(words, { maxLength: 40 }).map((each) => each.join(' ')),
    fc.array(words, { maxLength: 40 }).map((each) => each.join('')),
    fc.string({ maxLength: 100 }),
  );
  fc.assert(
    fc.property(script, (text) => {
      commandsOf(text);
      interpret(text, new Map([['X', 'a-1']]));
    }),
    { numRuns: 1000 },
  );
});

test.each([
  ['quotes', '"'.repeat(200_000)],
  ['dollars', '$'.repeat(200_000)],
  ['braces', '${'.repeat(100_000)],
  ['brackets', '$('.repeat(100_000)],
  ['backticks', '`'.repeat(200_000)],
  ['heredocs', 'cat <<A\n'.repeat(20_000)],
  ['backslashes', '\\'.repeat(200_000)],
  ['separators', ';'.repeat(200_000)],
  ['blanks', `${' '.repeat(200_000)}x`],
  ['words', 'dispat '.repeat(50_000)],
])('a script of %s ends soon', (_, text) => {
  expect(interpret(text, new Map()).start).toBeUndefined();
});
