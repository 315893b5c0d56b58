import { awsType } from '@rungar/providers/aws';
import { describe, expect, test } from 'vitest';
import { boxType } from '../../test/box-type.js';
import { checked } from '../../test/checked.js';
import { type EffectiveRunner, effectiveConfig } from './effective-config.js';

const types = [boxType, awsType];

/** What `s` is on the provider `p`, whose own block has `base`, when `over` is written over it. */
function merged(base: string, over: string): Readonly<Record<string, unknown>> | undefined {
  const text = `version: 1
github: {url: https://github.com/acme, token: x}
providers: [{name: p, type: box, address: a, runner: ${base}}]
scale_sets:
  - {name: s, max_runners: 1, providers: [{name: p${over}}]}
  - {name: t, max_runners: 1, providers: [p]}
`;
  const [first, second] = effectiveConfig(checked(text, types));
  expect(second?.runner).toEqual({ image: 'i', cpus: 4, env: { A: '1', B: '2' } });
  return first?.runner;
}

describe('a block written over that of a provider', () => {
  const base = '{image: i, cpus: 4, env: {A: "1", B: "2"}}';

  test.each([
    ['replaces a single value', ', runner: {image: j}', { image: 'j', cpus: 4, env: { A: '1', B: '2' } }],
    ['merges a mapping', ', runner: {env: {B: "3", C: "4"}}', { image: 'i', cpus: 4, env: { A: '1', B: '3', C: '4' } }],
    ['clears with a null', ', runner: {cpus: null, env: ~}', { image: 'i' }],
    ['changes nothing when it is empty', ', runner: {}', { image: 'i', cpus: 4, env: { A: '1', B: '2' } }],
    ['changes nothing when it is absent', '', { image: 'i', cpus: 4, env: { A: '1', B: '2' } }],
    ['changes nothing with an empty mapping', ', runner: {env: {}}', { image: 'i', cpus: 4, env: { A: '1', B: '2' } }],
  ])('%s, and leaves the block below as it is', (_, over, wanted) => {
    expect(merged(base, over)).toEqual(wanted);
  });

  const awsOn = (over: string): readonly EffectiveRunner[] =>
    effectiveConfig(
      checked(
        `version: 1
github: {url: https://github.com/acme, token: x}
providers:
  - &aws
    name: p
    type: aws
    region: eu-central-1
    subnets: [subnet-0a1b2c3d]
    runner: {instance_type: [m7i.large, m6i.large], image: ami-0a1b2c3d}
  - {<<: *aws, name: q, region: eu-west-1}
scale_sets: [{name: s, max_runners: 1, providers: [p, {name: q${over}}]}]
`,
        types,
      ),
    );

  test('replaces a list whole', () => {
    expect(awsOn(', runner: {instance_type: [c7i.large]}').map(({ runner }) => runner.instance_type)).toEqual([
      ['m7i.large', 'm6i.large'],
      'c7i.large',
    ]);
  });

  test('clears the whole block with a null, and brings one of its own', () => {
    expect(() => awsOn(', runner: null')).toThrow('instance_type: is missing');
  });

  test('keeps each provider its own keys where both come from one anchor, and equal blocks their revision', () => {
    const [p, q] = awsOn('');
    expect([p?.endpoint, q?.endpoint]).toEqual(['aws:eu-central-1', 'aws:eu-west-1']);
    expect(p?.revision).toBe(q?.revision);
    expect(p?.runner).toEqual(q?.runner);
    const [, other] = awsOn(', runner: {spot: true}');
    expect(other?.revision).not.toBe(p?.revision);
    expect(other?.size).toBe('m7i.large or m6i.large (spot)');
  });
});

test('values that look like credentials are shown on request only', () => {
  const text = `version: 1
github: {url: https://github.com/acme, token: x}
providers: [{name: p, type: box, address: a, runner: {image: i, env: {DB_PASSWORD: hunter2, LEVEL: "3"}}}]
scale_sets: [{name: s, max_runners: 1, providers: [p]}]
`;
  const config = checked(text, types);
  expect(effectiveConfig(config)[0]?.runner.env).toEqual({ DB_PASSWORD: 'REDACTED', LEVEL: '3' });
  expect(effectiveConfig(config, { showValues: true })[0]?.runner.env).toEqual({ DB_PASSWORD: 'hunter2', LEVEL: '3' });
});
