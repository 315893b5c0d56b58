import { locatedMap } from '@rungar/model/testing';
import { expect, test } from 'vitest';
import { effectiveAwsRunner } from './effective-runner.js';
import { parseAwsRunner } from './runner.js';

function parse(block: Parameters<typeof locatedMap>[0]): ReturnType<typeof parseAwsRunner> {
  const map = locatedMap(block);
  return parseAwsRunner(map, map.place, 'runner', { add() {} });
}

test.each([
  { instance_type: 'm7i.large', image: 'ami-0a1b2c3d' },
  { instance_type: ['m7i.large', 'm6i.large'], launch_template: 'runners:7', spot: 'yes' },
  {
    instance_type: 'm7i.large',
    image: 'ami-0a1b2c3d',
    launch_template: 'runners',
    disk_size: '1536GiB',
    disk_type: 'gp3',
    disk_iops: '6000',
    disk_throughput: '500',
    tags: { team: 'builds' },
    user_data: '#!/bin/sh\nexec run\n',
  },
])('a block with its defaults written out is the same block: %j', (block) => {
  const parsed = parse(block);
  if (parsed === undefined) throw new Error('the block has problems');
  const { tags, ...effective } = effectiveAwsRunner(parsed.spec);
  const written = Object.entries({ ...effective, ...(tags instanceof Map && { tags: Object.fromEntries(tags) }) })
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => [key, typeof value === 'object' ? value : String(value)]);
  expect(parse(Object.fromEntries(written))?.revision).toBe(parsed.revision);
});

test('what is left to the launch template is left out', () => {
  const spec = parse({ launch_template: 'runners' })?.spec;
  expect(spec && Object.keys(JSON.parse(JSON.stringify(effectiveAwsRunner(spec))))).toEqual([
    'launch_template',
    'spot',
    'user_data',
  ]);
});
