import { awsType } from '@rungar/providers/aws';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { boxType } from '../../test/box-type.js';
import { checked } from '../../test/checked.js';
import type { CheckedConfig } from './checked-config.js';
import { printConfig } from './print-config.js';

const types = [boxType, awsType];

/** Text that may stand in a value of one line. */
const words = fc
  .oneof(
    fc.string({ unit: 'grapheme', minLength: 1 }),
    fc.constantFrom('yes', '12', '1e3', '22:00', '~', 'null', '<<', 'a: b', '#x'),
  )
  .filter((word) => !/\p{Cc}/u.test(word));
const maybe = <T>(of: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(of, { nil: undefined });
const durations = fc.constantFrom('10m', '1h30m', '390.5s', '600000ms', '24h', '0s');
const times = fc
  .integer({ min: 0, max: 47 })
  .map((half) => `${`${half >> 1}`.padStart(2, '0')}:${half % 2 ? '30' : '00'}`);

const boxRunner = fc.record(
  {
    image: words,
    cpus: fc.option(fc.integer({ min: 1, max: 64 })),
    env: fc.dictionary(words, fc.option(fc.string({ unit: 'grapheme' })), { maxKeys: 3, noNullPrototype: true }),
  },
  { requiredKeys: ['image'] },
);
const awsRunner = fc.record(
  {
    instance_type: fc.constantFrom('m7i.large', ['m7i.large', 'm6i.large']),
    image: fc.constant('ami-0a1b2c3d'),
    disk_size: fc.constantFrom('20GiB', '1024 GB', 21474836480),
    spot: fc.boolean(),
    user_data: fc.string({ unit: 'grapheme', maxLength: 40 }).map((line) => `#!/bin/sh\n${line}\nexec run\n`),
  },
  { requiredKeys: ['instance_type', 'image'] },
);

const windows = fc
  .record({
    days: fc.constantFrom('mon', ['fri-mon', 'wed'], ['sun-sat'], 'Tue-thu'),
    from: times,
    to: fc.oneof(times, fc.constant('24:00')),
    min_runners: fc.integer({ min: 0, max: 5 }),
  })
  .filter(({ from, to }) => from !== to);

const scaleSets = fc.record(
  {
    labels: fc.array(
      words.map((word) => word.replaceAll(',', '').trim()),
      { maxLength: 4 },
    ),
    runner_group: words,
    min_runners: fc.integer({ min: 0, max: 5 }),
    max_runners: fc.integer({ min: 5, max: 50 }),
    schedule: fc.record({
      timezone: fc.constantFrom('UTC', 'Europe/Vilnius'),
      windows: fc.array(windows, { minLength: 1, maxLength: 3 }),
    }),
    priority: fc.integer({ min: -9, max: 9 }),
    placement: fc.constantFrom('spread', 'pack'),
    start_timeout: fc.constantFrom('30s', '2m', '5m0s'),
    max_idle_age: durations,
    max_age: durations,
    paused: fc.boolean(),
  },
  { requiredKeys: ['max_runners'] },
);

const configurations = fc
  .record({
    boxes: fc.uniqueArray(
      fc.record({
        name: words,
        weight: maybe(fc.double({ min: 0, noNaN: true, noDefaultInfinity: true })),
        runner: boxRunner,
        password: maybe(words),
      }),
      {
        minLength: 1,
        maxLength: 3,
        selector: ({ name }) => name,
      },
    ),
    aws: maybe(awsRunner),
    sets: fc.array(scaleSets, { maxLength: 3 }),
    over: fc.record(
      {
        cpus: fc.option(fc.integer({ min: 1, max: 9 })),
        env: fc.option(fc.dictionary(words, words, { maxKeys: 2, noNullPrototype: true })),
      },
      { requiredKeys: [] },
    ),
    top: fc.record(
      {
        installation: fc.constantFrom('ci', 'a.b_c-1'),
        reconcile_interval: durations,
        metrics: fc.record({ enable: fc.boolean(), listen: fc.constantFrom(':9102', '[::1]:1') }),
        events: fc.record({ file: words.map((word) => `/${word}`), max_count: fc.nat(), max_age: durations }),
        socket: fc.constantFrom('/run/x.sock', '/tmp/a b'),
        log_level: fc.constantFrom('warning', 'DEBUG', 'info'),
        log_format: fc.constantFrom('text', 'JSON'),
      },
      { requiredKeys: [] },
    ),
  })
  .map(({ boxes, aws, sets, over, top }) => ({
    version: 1,
    github: { url: 'https://github.com/acme', token: 'ghs_x' },
    providers: [
      ...boxes.map((box, index) => ({ ...box, type: 'box', address: `host${index}` })),
      ...(aws
        ? [{ name: 'zz aws zz', type: 'aws', region: 'eu-central-1', subnets: ['subnet-0a1b2c3d'], runner: aws }]
        : []),
    ],
    scale_sets: sets.map((set, index) => ({
      ...set,
      name: `set-${index}`,
      providers: [
        ...boxes.map(({ name }, at) => (at % 2 === 0 ? { name, runner: over } : name)),
        ...(aws ? ['zz aws zz'] : []),
      ],
    })),
    ...top,
  }));

/** All that a configuration says, without what was found out while it was read. */
function meaningOf({ settings }: CheckedConfig): unknown {
  const { github, providers, ...rest } = settings;
  return {
    ...rest,
    url: github.url,
    providers: providers.map(({ configured, ...provider }) => ({
      ...provider,
      effective: configured.effective,
      endpoint: configured.endpoint,
    })),
  };
}

test('a valid configuration means the same when it is printed and loaded again, and prints the same', () => {
  fc.assert(
    fc.property(configurations, (configuration) => {
      const config = checked(JSON.stringify(configuration), types);
      const printed = printConfig(config, { showValues: true });
      const again = checked(printed, types);
      expect(meaningOf(again)).toEqual(meaningOf(config));
      expect(printConfig(again, { showValues: true })).toBe(printed);
    }),
    { numRuns: 80 },
  );
});

test('what is printed without its secrets still loads, and prints the same', () => {
  fc.assert(
    fc.property(configurations, (configuration) => {
      const printed = printConfig(checked(JSON.stringify(configuration), types));
      expect(printConfig(checked(printed, types))).toBe(printed);
    }),
    { numRuns: 60 },
  );
});
