import { awsType } from '@rungar/providers/aws';
import { expect, test } from 'vitest';
import { parseConfig } from './parse.js';
import { spotAt, spotOfFinding } from './places.js';

const { root } = parseConfig(
  `github: {url: https://github.com/acme}
providers:
  - &p
    name: p
    region: eu-central-1
    subnets: [subnet-1, subnet-2]
    runner: &r
      image: ami-1
      tags: {a: b}
  - {<<: *p, name: q}
scale_sets:
  - name: s
    providers:
      - name: p
        runner: {image: ami-2, spot: null}
      - q
  - {name: t, providers: [p, {name: q, runner: *r}]}
`,
  { file: 'c.yaml', types: [awsType] },
);

const spot = ({ place, path }: ReturnType<typeof spotAt>): string =>
  `${place.line}:${place.column}${place.usedAt === undefined ? '' : ` (${place.usedAt.line})`} ${path}`;

test.each([
  [['github', 'url'], '1:15 github.url'],
  [['github', 'token'], '1:9 github'],
  [['scale_sets', 0, 'labels'], '12:5 scale_sets[0]'],
  [['scale_sets', 7], '12:3 scale_sets'],
  [['events', 'file'], '1:1 '],
] as const)('a path leads as far as there is something: %j', (keys, want) =>
  expect(spot(spotAt(root, keys))).toBe(want),
);

test.each([
  ['p', {}, '4:11 providers[0]'],
  ['p', { key: 'region' }, '5:13 providers[0].region'],
  ['p', { key: 'subnets.1' }, '6:25 providers[0].subnets[1]'],
  ['p', { key: 'subnets.9' }, '4:11 providers[0]'],
  ['p', { key: 'nothing' }, '4:11 providers[0]'],
  ['q', { key: 'region' }, '5:13 (10) providers[1].region'],
  ['p', { scaleSet: 's', key: 'image' }, '15:25 scale_sets[0].providers[0].runner.image'],
  ['p', { scaleSet: 's', key: 'tags.a' }, '9:17 providers[0].runner.tags.a'],
  ['p', { scaleSet: 's', key: 'spot' }, '15:17 scale_sets[0].providers[0].runner'],
  ['p', { scaleSet: 's' }, '15:17 scale_sets[0].providers[0].runner'],
  ['p', { scaleSet: 's', key: 'region' }, '5:13 providers[0].region'],
  ['q', { scaleSet: 's', key: 'image' }, '8:14 (10) providers[1].runner.image'],
  ['p', { scaleSet: 't' }, '8:7 providers[0].runner'],
  ['q', { scaleSet: 't', key: 'image' }, '8:14 (17) scale_sets[1].providers[1].runner.image'],
  ['nobody', {}, '1:1 '],
] as const)('what is said of provider %s and %j belongs to a place', (provider, about, want) =>
  expect(spot(spotOfFinding(root, provider, about))).toBe(want),
);
