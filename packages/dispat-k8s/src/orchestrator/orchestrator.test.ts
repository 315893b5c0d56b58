import { execFileSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { DOCUMENTED, documentedExecutionText, MINIMAL } from '../../test/documented.js';
import { SHELLS } from '../../test/shells.js';
import { readPoolOptions } from '../options/read-options.js';
import type { PoolInput } from '../options/table.js';
import type { PoolOptions } from '../pool.js';
import { orchestratorBlock, orchestratorYaml, reducedBlock } from './block.js';
import { workerFlagLines, workerFlags } from './flags.js';
import { refuseListedWorkers } from './listed.js';

const optionsOf = (input: PoolInput): PoolOptions => readPoolOptions({ flags: input }).options;

describe('the block', () => {
  test('A02: is the documented one', () => {
    expect(orchestratorBlock(optionsOf(DOCUMENTED))).toStrictEqual(parse(documentedExecutionText));
  });

  test('A02: reads back as the documented one, with a line for each worker', () => {
    const options = optionsOf(DOCUMENTED);
    const text = orchestratorYaml(orchestratorBlock(options), options);
    expect(parse(text)).toStrictEqual(parse(documentedExecutionText));
    expect(text).toContain('    - {name: w-3, endpoint: git@github.com:acme/release-mailbox.git}\n');
  });

  test('recommends a build budget as a comment, and never writes one', () => {
    const options = optionsOf({ ...MINIMAL, count: 3, concurrency: 2 });
    expect(orchestratorYaml(orchestratorBlock(options), options)).toContain('# concurrency: [6, 1]\n');
    expect(orchestratorBlock(options)).not.toHaveProperty('concurrency');
  });

  test('lists the union of all pools, in the order given', () => {
    const options = optionsOf({ ...MINIMAL, platform: ['linux/arm64=2', 'linux/amd64=1'] });
    expect(orchestratorBlock(options).execution.workers?.map(({ name }) => name)).toEqual([
      'w-arm64-0',
      'w-arm64-1',
      'w-amd64-0',
    ]);
  });

  test('states the ceilings that the workers have too', () => {
    expect(orchestratorBlock(optionsOf({ ...MINIMAL, transfer: { maxFiles: 9 } })).execution.transfer).toEqual({
      maxFiles: 9,
    });
  });

  test('leaves endpoints out when the mailbox is the release remote', () => {
    const options = optionsOf({ ...MINIMAL, mailbox: 'release-remote', count: 1 });
    expect(orchestratorBlock(options).execution.workers).toEqual([{ name: 'w-0' }]);
    expect(orchestratorYaml(orchestratorBlock(options), options)).toContain('    - {name: w-0}\n');
    expect(workerFlags(options)).toEqual(['--worker', 'w-0']);
  });

  test('beside flags says all but the workers', () => {
    expect(reducedBlock(optionsOf(MINIMAL))).toEqual({
      execution: {
        role: 'orchestrator',
        secretEnv: 'DISPAT_EXECUTION_SECRET',
        timeouts: { preflight: 600, task: 3600, cancel: 60 },
      },
    });
  });
});

describe('the flags', () => {
  test.each<[string, string]>([
    ['git@github.com:acme/m.git', '--worker w-0=git@github.com:acme/m.git'],
    ['git@h:~me/m.git', "--worker 'w-0=git@h:~me/m.git'"],
    ['git@h:[x]%20/m.git', "--worker 'w-0=git@h:[x]%20/m.git'"],
  ])('A20: %s is safe to paste into a POSIX shell', (endpoint, line) => {
    const options = optionsOf({ ...MINIMAL, endpoint, count: 1 });
    expect(workerFlagLines(options, 'posix')).toEqual([line]);
    for (const { command } of SHELLS) {
      if (command === undefined) continue;
      const [file, ...args] = command;
      const printed = execFileSync(file, [...args, '-c', `printf '%s\\n' ${line}`], {
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      expect(printed).toBe(`--worker\nw-0=${endpoint}\n`);
    }
  });

  test('quotes as PowerShell does, or not at all', () => {
    const options = optionsOf({ ...MINIMAL, count: 1 });
    expect(workerFlagLines(options, 'powershell')).toEqual(["--worker 'w-0=git@github.com:acme/release-mailbox.git'"]);
    expect(workerFlagLines(optionsOf({ ...MINIMAL, endpoint: 'git@h:~r', count: 1 }), 'none')).toEqual([
      '--worker w-0=git@h:~r',
    ]);
  });

  test.each(['w-0', 'W-0'])('A20: a file that lists %s already is refused', (name) => {
    const text = `execution:\n  workers:\n    - {name: ${name}, endpoint: "git@h:r"}\n`;
    expect(() => refuseListedWorkers(optionsOf(MINIMAL), { name: 'dispat.yaml', text })).toThrow(
      /LINKS_LISTED_TWICE dispat.yaml \(dispat.yaml:3:/,
    );
  });

  test('a file that lists others is not', () => {
    const text = 'execution:\n  workers:\n    - {name: v-0, endpoint: "git@h:r"}\n';
    expect(() => refuseListedWorkers(optionsOf(MINIMAL), { name: 'dispat.yaml', text })).not.toThrow();
  });
});
