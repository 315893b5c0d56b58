import { spawn } from 'node:child_process';
import { delimiter, dirname, join } from 'node:path';
import type { Lab, Measurement } from './benchmark.js';
import { compare, type Round } from './measure.js';

/** A program to start, and what proves that it did its work. */
export interface Program {
  readonly file: string;
  readonly args: readonly string[];
  /** What its standard output must look like. */
  readonly prints?: RegExp;
  readonly env?: Readonly<Record<string, string>>;
}

const STARTS_A_ROUND = 5;

/** An executable as users get it, in `node_modules/.bin`. */
export function installed(lab: Lab, name: string): string {
  return join(lab.root, 'node_modules', '.bin', name);
}

/** Importing the ES module `specifier` and nothing else. */
export function importing(lab: Lab, specifier: string): Program {
  return evaluating(lab, `import ${JSON.stringify(specifier)};`);
}

/** Running `code` as an ES module. */
export function evaluating(lab: Lab, code: string): Program {
  return { file: lab.node, args: ['--input-type=module', '--eval', code] };
}

/**
 * Runs a program to its end and gives its output.
 * @throws when it fails, or prints something else than it should
 */
export function run(lab: Lab, program: Program): Promise<string> {
  const path = `${dirname(lab.node)}${delimiter}${lab.env.PATH ?? ''}`;
  const child = spawn(program.file, program.args, {
    cwd: join(lab.root, 'benchmarks'),
    env: { ...lab.env, PATH: path, NO_COLOR: '1', ...program.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  let errors = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text;
  });
  const shown = [program.file, ...program.args].join(' ');
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => {
      if (code !== 0) reject(new Error(`${shown} ended with ${code}: ${errors.trim().split('\n')[0] ?? ''}`));
      else if (program.prints?.test(output) === false)
        reject(new Error(`${shown} printed something else than it should`));
      else resolve(output);
    });
  });
}

/** How long a program takes from start to end, compared with Node starting and doing nothing. */
export function startOf(
  what: string,
  program: (lab: Lab) => Program,
  limits: { target?: number; bar?: number } = {},
): Measurement {
  return startAgainst(what, program, (lab) => ({ file: lab.node, args: ['--eval', '0'] }), limits);
}

/** How long a program takes from start to end, compared with another one. */
export function startAgainst(
  what: string,
  program: (lab: Lab) => Program,
  reference: (lab: Lab) => Program,
  limits: { target?: number; bar?: number } = {},
): Measurement {
  return {
    what,
    async run(lab) {
      const times = await compare(start(lab, program(lab)), start(lab, reference(lab)), STARTS_A_ROUND);
      return {
        unit: 'ms',
        ours: times.oursMs,
        reference: times.referenceMs,
        ratio: times.ratio,
        spread: { min: times.min, max: times.max },
        better: 'lower',
        ...limits,
      };
    },
  };
}

function start(lab: Lab, program: Program): Round {
  return async () => {
    const begun = lab.now();
    await run(lab, program);
    return lab.now() - begun;
  };
}
