import { locatedMap } from '@rungar/model/testing';
import { expect, test } from 'vitest';
import { effectiveProxmoxRunner } from './effective-runner.js';
import { parseProxmoxRunner } from './runner.js';

function parse(block: Parameters<typeof locatedMap>[0]): ReturnType<typeof parseProxmoxRunner> {
  const map = locatedMap(block);
  return parseProxmoxRunner(map, map.place, 'runner', { add() {} });
}

test.each([
  { template: '9000', cores: '2', memory: '1536MiB' },
  { template: '9000', cores: '2', memory: '16GiB', full_clone: 'yes', storage: 'nas', pool: 'ci', jit_path: '/x' },
])('a block with its defaults written out is the same block: %j', (block) => {
  const parsed = parse(block);
  if (parsed === undefined) throw new Error('the block has problems');
  const written = Object.entries(effectiveProxmoxRunner(parsed.spec)).filter(([, value]) => value !== undefined);
  expect(written.map(([key]) => key)).toEqual(
    expect.arrayContaining(['template', 'cores', 'memory', 'full_clone', 'jit_path']),
  );
  expect(parse(Object.fromEntries(written.map(([key, value]) => [key, String(value)])))?.revision).toBe(
    parsed.revision,
  );
});
