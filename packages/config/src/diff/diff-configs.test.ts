import { awsType } from '@rungar/providers/aws';
import { describe, expect, test } from 'vitest';
import { boxType } from '../../test/box-type.js';
import { checked } from '../../test/checked.js';
import type { ConfigChange } from './config-change.js';
import { diffConfigs } from './diff-configs.js';

const types = [boxType, awsType];

const BASE = `version: 1
github: {url: https://github.com/acme, token: ghs_one}
providers:
  - {name: p, type: box, address: a, password: one, runner: {image: i, env: {A: "1", B: "2"}}}
  - {name: q, type: box, address: b, runner: {image: j}}
  - {name: cloud, type: aws, region: eu-central-1, subnets: [subnet-0a1b2c3d], runner: {instance_type: m7i.large, image: ami-0a1b2c3d}}
scale_sets:
  - {name: s, labels: [gpu], max_runners: 4, providers: [p, q]}
  - name: t
    max_runners: 8
    schedule: {windows: [{days: mon, from: 08:00, to: 18:00}]}
    providers: [{name: p, runner: {cpus: 2}}, cloud]
`;

/** What changes when the one text is replaced by the other. */
function changes(...replacements: readonly (readonly [string, string])[]): readonly ConfigChange[] {
  let text = BASE;
  for (const [from, to] of replacements) {
    if (!text.includes(from)) throw new Error(`${from} is not in the text`);
    text = text.replace(from, to);
  }
  return diffConfigs(checked(BASE, types), checked(text, types));
}

/** A change less its revisions, which must not be the same. */
function shown(change: ConfigChange): unknown {
  if (change.kind !== 'runners_outdated') return change;
  const { oldRevision, newRevision, ...rest } = change;
  expect(oldRevision).not.toBe(newRevision);
  return rest;
}

describe('nothing changes', () => {
  test('when a file is written in other words', () => {
    expect(
      changes(
        [
          '{name: s, labels: [gpu], max_runners: 4',
          '{max_runners: 4, runner_group: Default, name: s, labels: [S, gpu], start_timeout: 300s',
        ],
        ['env: {A: "1", B: "2"}', 'env: {B: 2, A: 1}'],
        ['image: ami-0a1b2c3d', 'image: ami-0a1b2c3d, disk_size: 51200MiB'],
        ['version: 1', '# ours\nsocket: /run/rungar/rungar.sock'],
      ),
    ).toEqual([]);
  });
});

describe('runners become outdated', () => {
  test('on each scale set that has the changed block, with the keys that changed', () => {
    expect(changes(['image: i, env: {A: "1", B: "2"}', 'image: k, env: {A: "3", C: "4", B: "2"}']).map(shown)).toEqual([
      { kind: 'runners_outdated', scaleSet: 's', provider: 'p', keys: ['image', 'env.A', 'env.C'], applies: 'reload' },
      { kind: 'runners_outdated', scaleSet: 't', provider: 'p', keys: ['image', 'env.A', 'env.C'], applies: 'reload' },
    ]);
  });

  test('where a scale set writes over the block', () => {
    expect(changes(['cpus: 2', 'cpus: 3, env: null']).map(shown)).toEqual([
      { kind: 'runners_outdated', scaleSet: 't', provider: 'p', keys: ['env', 'cpus'], applies: 'reload' },
    ]);
  });

  test('by a default that is written out otherwise', () => {
    expect(changes(['image: ami-0a1b2c3d', 'image: ami-0a1b2c3d, disk_size: 60GiB']).map(shown)).toEqual([
      { kind: 'runners_outdated', scaleSet: 't', provider: 'cloud', keys: ['disk_size'], applies: 'reload' },
    ]);
  });

  test('but not on a provider that only then is used', () => {
    expect(changes(['providers: [p, q]', 'providers: [p, q, cloud]'])).toEqual([
      { kind: 'use_added', scaleSet: 's', provider: 'cloud', applies: 'reload' },
    ]);
  });
});

describe('scale sets', () => {
  test('are new, or become leftovers', () => {
    expect(changes(['- name: t\n', '- name: u\n'])).toEqual([
      { kind: 'scale_set_removed', scaleSet: 't', applies: 'reload' },
      { kind: 'scale_set_added', scaleSet: 'u', applies: 'reload' },
    ]);
  });

  test('need a restart when another one is the first', () => {
    expect(changes(['{name: s,', '{name: r,'])).toEqual([
      { kind: 'value_changed', key: 'scale_sets[0].name', from: 's', to: 'r', applies: 'restart' },
      { kind: 'scale_set_removed', scaleSet: 's', applies: 'reload' },
      { kind: 'scale_set_added', scaleSet: 'r', applies: 'reload' },
    ]);
  });

  test('have other limits, labels and windows', () => {
    expect(
      changes(
        ['labels: [gpu], max_runners: 4', 'labels: [gpu, big], min_runners: 1, max_runners: 5, paused: true'],
        ['to: 18:00', 'to: 19:00'],
        ['windows: [', 'timezone: Europe/Vilnius, windows: ['],
      ),
    ).toEqual([
      { kind: 'value_changed', scaleSet: 's', key: 'labels', from: '[gpu]', to: '[gpu, big]', applies: 'reload' },
      { kind: 'value_changed', scaleSet: 's', key: 'min_runners', from: '0', to: '1', applies: 'reload' },
      { kind: 'value_changed', scaleSet: 's', key: 'max_runners', from: '4', to: '5', applies: 'reload' },
      { kind: 'value_changed', scaleSet: 's', key: 'paused', to: 'true', applies: 'reload' },
      {
        kind: 'value_changed',
        scaleSet: 't',
        key: 'schedule.timezone',
        from: 'UTC',
        to: 'Europe/Vilnius',
        applies: 'reload',
      },
      {
        kind: 'value_changed',
        scaleSet: 't',
        key: 'schedule.windows',
        from: '[{days: [mon], from: "08:00", to: "18:00", min_runners: 0}]',
        to: '[{days: [mon], from: "08:00", to: "19:00", min_runners: 0}]',
        applies: 'reload',
      },
    ]);
  });

  test('use other providers, or in another order', () => {
    expect(changes(['providers: [p, q]', 'providers: [q, p]'])).toEqual([
      { kind: 'value_changed', scaleSet: 's', key: 'providers', from: '[p, q]', to: '[q, p]', applies: 'reload' },
    ]);
    expect(changes(['providers: [p, q]', 'providers: [q]'])).toEqual([
      { kind: 'use_removed', scaleSet: 's', provider: 'p', applies: 'reload' },
    ]);
  });
});

describe('providers', () => {
  test('are new or gone', () => {
    expect(changes(['{name: q, type: box', '{name: r, type: box'], ['providers: [p, q]', 'providers: [p]'])).toEqual([
      { kind: 'provider_removed', provider: 'q', applies: 'reload' },
      { kind: 'provider_added', provider: 'r', applies: 'reload' },
    ]);
  });

  test('have other weights and limits', () => {
    expect(changes(['address: b,', 'address: b, weight: 2, max_runners: 3, disabled: yes,'])).toEqual([
      { kind: 'value_changed', provider: 'q', key: 'weight', from: '1', to: '2', applies: 'reload' },
      { kind: 'value_changed', provider: 'q', key: 'max_runners', from: '0', to: '3', applies: 'reload' },
      { kind: 'value_changed', provider: 'q', key: 'disabled', from: 'false', to: 'true', applies: 'reload' },
    ]);
  });

  test('need a restart when they are another backend, with all that goes with it', () => {
    expect(changes(['address: a,', 'address: c,'], ['image: i,', 'image: k,']).map(shown)).toEqual([
      { kind: 'value_changed', provider: 'p', key: 'endpoint', from: 'box:a', to: 'box:c', applies: 'restart' },
      { kind: 'value_changed', provider: 'p', key: 'address', from: 'a', to: 'c', applies: 'restart' },
      { kind: 'runners_outdated', scaleSet: 's', provider: 'p', keys: ['image'], applies: 'restart' },
      { kind: 'runners_outdated', scaleSet: 't', provider: 'p', keys: ['image'], applies: 'restart' },
    ]);
  });

  test('need a restart when they are of another type', () => {
    expect(
      changes([
        '{name: q, type: box, address: b, runner: {image: j}}',
        '{name: q, type: aws, region: eu-west-1, subnets: [subnet-0a1b2c3d], runner: {instance_type: m7i.large, image: ami-0a1b2c3d}}',
      ]).map(shown),
    ).toEqual([
      { kind: 'value_changed', provider: 'q', key: 'type', from: 'box', to: 'aws', applies: 'restart' },
      {
        kind: 'value_changed',
        provider: 'q',
        key: 'endpoint',
        from: 'box:b',
        to: 'aws:eu-west-1',
        applies: 'restart',
      },
      { kind: 'runners_outdated', scaleSet: 's', provider: 'q', keys: [], applies: 'restart' },
    ]);
  });
});

describe('the rest', () => {
  test.each([
    [
      'github: {url: https://github.com/acme',
      'installation: gh-47a00949ae7d\ngithub: {url: https://github.com/Acme',
      'github.url',
      'restart',
    ],
    ['version: 1', 'version: 1\ninstallation: ci', 'installation', 'restart'],
    ['version: 1', 'version: 1\nsocket: /run/x.sock', 'socket', 'restart'],
    ['version: 1', 'version: 1\nmetrics: {enable: true}', 'metrics.enable', 'restart'],
    ['version: 1', 'version: 1\npage: {enable: true}', 'page', 'restart'],
    ['version: 1', 'version: 1\nmetrics: {listen: ":9000"}', 'metrics.listen', 'restart'],
    ['version: 1', 'version: 1\nevents: {file: /var/x}', 'events.file', 'restart'],
    ['version: 1', 'version: 1\nevents: {max_age: 72h}', 'events.max_age', 'reload'],
    ['version: 1', 'version: 1\nlog_level: debug', 'log_level', 'reload'],
    ['version: 1', 'version: 1\nlog_format: json', 'log_format', 'reload'],
    ['version: 1', 'version: 1\nreconcile_interval: 1m', 'reconcile_interval', 'reload'],
  ] as const)('%s -> %s changes %s, for which a %s is needed', (from, to, key, applies) => {
    expect(changes([from, to])).toEqual([expect.objectContaining({ kind: 'value_changed', key, applies })]);
  });

  test('credentials of another kind need a restart', () => {
    expect(
      changes(['token: ghs_one', 'app_client_id: Iv1, app_installation_id: 7, app_private_key_path: /k']).map(shown),
    ).toEqual([
      { kind: 'value_changed', key: 'github.token', from: 'REDACTED', applies: 'restart' },
      { kind: 'value_changed', key: 'github.app_client_id', to: 'Iv1', applies: 'restart' },
      { kind: 'value_changed', key: 'github.app_installation_id', to: '7', applies: 'restart' },
      { kind: 'value_changed', key: 'github.app_private_key_path', to: '/k', applies: 'restart' },
    ]);
  });

  test('another secret is told without being shown', () => {
    expect(changes(['ghs_one', 'ghs_two'], ['password: one', 'password: two'])).toEqual([
      { kind: 'value_changed', key: 'github.token', from: 'REDACTED', to: 'REDACTED', applies: 'reload' },
      { kind: 'value_changed', provider: 'p', key: 'password', from: 'REDACTED', to: 'REDACTED', applies: 'reload' },
    ]);
  });
});
