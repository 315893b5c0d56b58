import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { MINIMAL } from '../../test/documented.js';
import { ScriptWorld, SHELLS } from '../../test/shells.js';
import { generate } from '../generate/generate.js';
import type { PoolInput } from '../options/table.js';
import { escapeForKubelet } from './start-script.js';

interface Variable {
  readonly name: string;
  readonly value?: string;
}

/** A pool's script, and the variables the kubelet would give it. */
function startOf(input: PoolInput): { script: string; env: Record<string, string> } {
  const { objects } = generate(input);
  const { spec } = objects.at(-1) as unknown as {
    spec: { template: { spec: { containers: [{ args: [string]; env: Variable[] }] } } };
  };
  const [{ args, env }] = spec.template.spec.containers;
  const literals = env.flatMap(({ name, value }) => (value === undefined ? [] : [[name, asKubelet(value)] as const]));
  return { script: asKubelet(args[0]), env: Object.fromEntries(literals) };
}

/** What the kubelet makes of a value in which no `$(NAME)` names a variable: `$$` becomes `$`, all else stays. */
function asKubelet(value: string): string {
  return value.replace(/\$\$/g, '$');
}

let world: ScriptWorld;

beforeAll(() => {
  world = new ScriptWorld();
});

afterAll(() => world[Symbol.dispose]());

/** Folders that exist in the test's world stand for the pod's. */
function inWorld(input: PoolInput): PoolInput {
  return { ...MINIMAL, workDir: world.workDir, stateDir: `${world.root}/state`, ...input };
}

const letters = (characters: string, min: number, max: number): fc.Arbitrary<string> =>
  fc.string({ unit: fc.constantFrom(...characters), minLength: min, maxLength: max });

const ALNUM = 'abcXYZ019';

/** Endpoints, prefixes and the like, over all characters that are accepted. */
const accepted = fc.record({
  endpoint: fc
    .tuple(letters(ALNUM, 1, 5), letters(`${ALNUM}._`, 1, 10), letters(`${ALNUM}./~[]@%+=,_-:`, 1, 30))
    .map(([user, host, path]) => `${user}@${host}:${path.replace(/::+/g, ':')}`)
    .filter((text) => !text.includes('::') && !text.includes(':-')),
  prefix: fc
    .tuple(letters(ALNUM, 1, 1), letters(`${ALNUM}_-`, 0, 8), fc.constantFrom('-', '_', '.'))
    .map((parts) => parts.join('')),
  secretEnv: letters('ABC_', 1, 12).map((name) => `S_${name}`),
  concurrency: fc.integer({ min: 1, max: 8 }),
  idleTimeout: fc.integer({ min: 1, max: 100_000 }),
  logFormat: fc.constantFrom('json', 'pretty'),
  transfer: fc.option(
    fc.record({ maxFiles: fc.integer({ min: 1 }), timeout: fc.integer({ min: 1 }) }, { noNullPrototype: true }),
    {
      nil: undefined,
    },
  ),
});

function inputOf({ transfer, ...drawn }: typeof accepted extends fc.Arbitrary<infer Drawn> ? Drawn : never): PoolInput {
  return inWorld({
    ...drawn,
    logFormat: drawn.logFormat === 'json' ? 'json' : 'pretty',
    ...(transfer && { transfer }),
  });
}

/** What dispat must find: stated here once more, from the input alone. */
function workerFile(input: PoolInput, index: string): unknown {
  return {
    execution: {
      role: 'worker',
      name: `${input.prefix ?? 'w-'}${index}`,
      endpoint: input.endpoint,
      secretEnv: input.secretEnv ?? 'DISPAT_EXECUTION_SECRET',
      concurrency: input.concurrency ?? 1,
      ...(input.transfer && { transfer: input.transfer }),
    },
    logFormat: input.logFormat ?? 'json',
  };
}

describe.each(SHELLS)('in $name', ({ name, command }) => {
  if (command === undefined) {
    test.skip(`nothing: this machine has no ${name}`, () => {});
    return;
  }

  test('A51: pod 7 becomes node w-7', () => {
    const { script, env } = startOf(inWorld({}));
    const run = world.run(command, script, { ...env, JOB_COMPLETION_INDEX: '7' });
    expect(run).toMatchObject({ code: 0, stderr: '', mode: 0o600 });
    expect(JSON.parse(run.file ?? '')).toStrictEqual(workerFile(inWorld({}), '7'));
    expect(run.calledWith).toEqual([
      'worker',
      '--root',
      world.workDir,
      '--state-dir',
      `${world.root}/state`,
      '--idle-timeout',
      '900',
    ]);
  });

  test.each(['', '1;id', '$(id)', '`id`', '7\n8', '-1', ' 7', '7.0', '٧'])(
    'A52: the index %j stops it before dispat',
    (index) => {
      const { script, env } = startOf(inWorld({}));
      const run = world.run(command, script, { ...env, JOB_COMPLETION_INDEX: index });
      expect(run.code).not.toBe(0);
      expect(run).toMatchObject({ calledWith: undefined, file: undefined });
      expect(run.stderr).toContain('the index of this pod is not a number');
    },
  );

  test('A52: no index at all stops it', () => {
    const { script, env } = startOf(inWorld({}));
    expect(world.run(command, script, env)).toMatchObject({ code: 64, calledWith: undefined, file: undefined });
  });

  test('A53: 200 accepted inputs, each in the safe script', { timeout: 120_000 }, () => {
    fc.assert(
      fc.property(accepted, fc.nat({ max: 999 }), (drawn, index) => {
        const input = inputOf(drawn);
        const { script, env } = startOf(input);
        const run = world.run(command, script, { ...env, JOB_COMPLETION_INDEX: `${index}` });
        expect(run).toMatchObject({ code: 0, stderr: '' });
        expect(JSON.parse(run.file ?? '')).toStrictEqual(workerFile(input, `${index}`));
        expect(run.calledWith).toEqual([
          'worker',
          '--root',
          world.workDir,
          '--state-dir',
          `${world.root}/state`,
          '--idle-timeout',
          `${drawn.idleTimeout}`,
        ]);
      }),
      { numRuns: 200 },
    );
  });

  test('the safe script is the same text for all inputs', () => {
    fc.assert(
      fc.property(accepted, (drawn) => {
        expect(startOf(inputOf(drawn)).script).toBe(startOf(MINIMAL).script);
      }),
    );
  });

  test('reads the index of a StatefulSet from its label, or off the name of the pod', () => {
    const input = inWorld({ variation: 'statefulset' });
    const newer = startOf({ ...input, kube: '1.30' });
    expect(world.run(command, newer.script, { ...newer.env, DWM_INDEX: '3' }).file).toContain('"w-3"');
    const older = startOf(input);
    expect(world.run(command, older.script, { ...older.env, DWM_POD_NAME: 'dispat-workers-12' }).file).toContain(
      '"w-12"',
    );
    expect(world.run(command, older.script, { ...older.env, DWM_POD_NAME: 'dispat-workers' })).toMatchObject({
      code: 64,
      file: undefined,
    });
    expect(world.run(command, older.script, older.env)).toMatchObject({ code: 64, file: undefined });
  });

  test('starts the worker through tini when told to', () => {
    const { script, env } = startOf(inWorld({ init: 'tini' }));
    expect(world.run(command, script, { ...env, JOB_COMPLETION_INDEX: '0' }).calledWith?.[0]).toBe('worker');
  });

  test('the documented script leaves the same file', () => {
    const input = inWorld({ script: 'documented', endpoint: 'git@h:~me/a,b=c+d.git', transfer: { maxFiles: 5 } });
    const { script } = startOf(input);
    const withCat = `cat() { while IFS= read -r line; do printf '%s\\n' "$line"; done; }\n${script}`;
    const run = world.run(command, withCat, { JOB_COMPLETION_INDEX: '2' });
    expect(run).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(run.file ?? '')).toStrictEqual(workerFile(input, '2'));
    expect(run.calledWith).toEqual([
      'worker',
      '--root',
      world.workDir,
      '--state-dir',
      `${world.root}/state`,
      '--idle-timeout',
      '900',
    ]);
  });
});

describe('what dispat would accept and a shell would act on', () => {
  test.each([
    'git@h:$(id)',
    'git@h:`id`',
    'git@h:a;id',
    'git@h:a"b',
    "git@h:a'b",
    'git@h:a\\b',
    'git@h:a\nEOF',
    'git@h:a|b',
    'git@h:a&b',
    'git@h:a>b',
  ])('%j is refused before any text is made', (endpoint) => {
    for (const script of ['safe', 'documented'] as const)
      expect(() => generate({ ...MINIMAL, endpoint, script })).toThrow('ENDPOINT_INVALID');
  });
});

test.each([
  ['a$(BAR)b', 'a$$(BAR)b'],
  ['$$(x)', '$$$$(x)'],
  ['$$x', '$$$x'],
  ['$x $', '$x $'],
  [`\${x}`, `\${x}`],
])('%s is escaped as %s', (value, escaped) => {
  expect(escapeForKubelet(value)).toBe(escaped);
  expect(asKubelet(escaped)).toBe(value);
});
