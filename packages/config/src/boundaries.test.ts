import type { Fields } from '@rungar/model';
import { describe, expect, test } from 'vitest';
import { boxType } from '../test/box-type.js';
import {
  EVENTS_FIELDS,
  GITHUB_FIELDS,
  METRICS_FIELDS,
  PAGE_FIELDS,
  PROVIDER_FIELDS,
  SCALE_SET_FIELDS,
  SCALE_SET_PROVIDER_FIELDS,
  SCHEDULE_FIELDS,
  TOP_FIELDS,
  WINDOW_FIELDS,
} from './fields.js';
import { parseConfig } from './parse.js';

/** Values on the right side of a key's limits, and values on the wrong side with what is said of them. */
interface Limits {
  readonly takes: readonly string[];
  readonly refuses: readonly (readonly [value: string, want: string])[];
  /** Other keys of the same mapping that a value needs. */
  readonly beside?: string;
}

interface Mapping {
  readonly fields: Fields;
  /** Its path in the file. */
  readonly path: string;
  /** A file with the given keys in that mapping. */
  readonly file: (keys: string) => string;
  readonly limits: Readonly<Record<string, Limits>>;
}

const P = '{name: p, type: box, address: a, runner: {image: i}}';
const S = '{name: s, max_runners: 10, providers: [p]}';
const G = 'url: https://github.com/acme';
const REST = { version: '1', github: `{${G}, token: t}`, providers: `[${P}]`, scale_sets: `[${S}]` };

/** A file with the given parts, and fine ones in place of the others. */
function fileOf(parts: Readonly<Record<string, string>>): string {
  return Object.entries({ ...REST, ...parts })
    .map(([key, value]) => `${key}: ${value}\n`)
    .join('');
}

const scaleSet = (keys: string): string => {
  const has = (key: string): boolean => new RegExp(`(?:^|, )${key}:`).test(keys);
  const rest = [
    has('name') ? '' : 'name: s, ',
    has('max_runners') ? '' : 'max_runners: 10, ',
    has('providers') ? '' : 'providers: [p], ',
  ];
  return fileOf({ scale_sets: `[{${rest.join('')}${keys}}]` });
};

const flag: Limits = {
  takes: ['true', 'false', 'yes', 'no', 'on', 'off', 'y', 'N', 'True', 'OFF', 'null'],
  refuses: [
    ['1', 'must be true or false, not 1'],
    ['"yes"', 'must be true or false, not "yes"'],
    ['tRUE', 'must be true or false, not tRUE'],
  ],
};

const MAPPINGS: readonly Mapping[] = [
  {
    fields: TOP_FIELDS,
    path: '',
    file: (keys) => {
      const [, key = '', value = ''] = /^(\w+): ([\s\S]*)$/.exec(keys) ?? [];
      return fileOf({ [key]: value });
    },
    limits: {
      version: {
        takes: ['1'],
        refuses: [
          ['0', 'is 0, older'],
          ['2', 'is 2, newer'],
          ['1.0', 'must be a whole number'],
        ],
      },
      github: { takes: [REST.github], refuses: [['[]', 'must be a mapping']] },
      installation: {
        takes: ['a', `${'a'.repeat(63)}`, '0', 'a-._b', '""', 'null'],
        refuses: ['a'.repeat(64), '"-"', '.a', 'a.'].map((name) => [name, 'must be 1 to 63 letters'] as const),
      },
      providers: {
        takes: [`[${P}]`],
        refuses: [
          ['[]', 'is missing'],
          ['null', 'is missing'],
          ['p', 'must be a list'],
        ],
      },
      scale_sets: {
        takes: [`[${S}]`],
        refuses: [
          ['s', 'must be a list'],
          ['{}', 'must be a list'],
        ],
      },
      reconcile_interval: {
        takes: ['5s', '5000ms', '0s', '"0"', '2562047h47m16.854775807s'],
        refuses: [
          ['4.999999999s', 'must be at least 5s, not 4.999999999s'],
          ['-5s', 'must not be negative'],
          ['0', 'must be a duration'],
          ['2562047h47m16.854775808s', 'must be a duration'],
        ],
      },
      metrics: { takes: ['{}', 'null'], refuses: [['true', 'must be a mapping']] },
      page: { takes: ['{}', 'null'], refuses: [['8080', 'must be a mapping']] },
      events: { takes: ['{}', 'null'], refuses: [['[]', 'must be a mapping']] },
      socket: {
        takes: [`/${'x'.repeat(102)}`, `/${'é'.repeat(51)}`, '/', '""'],
        refuses: [
          [`/${'x'.repeat(103)}`, 'must have at most 103 bytes, and has 104'],
          [`/é${'x'.repeat(101)}`, 'must have at most 103 bytes, and has 104'],
          ['./x', 'must be an absolute path'],
        ],
      },
      log_level: {
        takes: ['debug', 'INFO', 'warn', 'Warning', 'error'],
        refuses: [
          ['trace', 'must be debug, info, warn or error'],
          ['1', 'must be debug'],
        ],
      },
      log_format: { takes: ['text', 'JSON'], refuses: [['logfmt', 'must be text or json']] },
    },
  },
  {
    fields: GITHUB_FIELDS,
    path: 'github',
    file: (keys) => {
      const rest = /(?:^|, )url:/.test(keys) ? '' : `${G}, `;
      const credentials = /token|app_/.test(keys) ? '' : 'token: t, ';
      return fileOf({ github: `{${rest}${credentials}${keys}}` });
    },
    limits: {
      url: {
        takes: [
          'https://h/a',
          'https://h/a/b',
          'https://h/Enterprises/e',
          'HTTPS://H/a/',
          '"/https://h/a"',
          '" https://h/a "',
        ],
        refuses: [
          ['https://h', 'must be one of'],
          ['https://h/a/b/c', 'must be one of'],
          ['https://h/%zz', 'must be one of'],
          ['""', 'is missing'],
        ],
      },
      app_client_id: {
        beside: 'app_installation_id: 1, app_private_key_path: /k',
        takes: ['x', '1'],
        refuses: [
          ['""', 'is missing'],
          ['null', 'is missing'],
        ],
      },
      app_installation_id: {
        beside: 'app_client_id: c, app_private_key_path: /k',
        takes: ['1', '0x1', '9007199254740991'],
        refuses: [
          ['0', 'is missing'],
          ['-1', 'must be at least 1, not -1'],
          ['9007199254740992', 'must be at most 9007199254740991'],
          ['1.5', 'must be a whole number'],
        ],
      },
      app_private_key: {
        beside: 'app_client_id: c, app_installation_id: 1',
        takes: ['x'],
        refuses: [
          ['""', 'is missing'],
          ['[x]', 'must be text'],
        ],
      },
      app_private_key_path: {
        beside: 'app_client_id: c, app_installation_id: 1',
        takes: ['/k'],
        refuses: [
          ['""', 'is missing'],
          ['{}', 'must be text'],
        ],
      },
      token: {
        takes: ['t', '" t "'],
        refuses: [
          ['""', 'there are no credentials'],
          ['[t]', 'must be text'],
        ],
      },
      token_path: {
        takes: ['/t', 't'],
        refuses: [
          ['null', 'there are no credentials'],
          ['{}', 'must be text'],
        ],
      },
    },
  },
  {
    fields: PROVIDER_FIELDS,
    path: 'providers[0]',
    file: (keys) => {
      const rest = [
        /(?:^|, )name:/.test(keys) ? '' : 'name: p, ',
        /(?:^|, )type:/.test(keys) ? '' : 'type: box, ',
        /(?:^|, )runner:/.test(keys) ? '' : 'runner: {image: i}, ',
      ];
      return fileOf({ providers: `[{address: a, ${rest.join('')}${keys}}]`, scale_sets: '[]' });
    },
    limits: {
      name: {
        takes: ['p', '" "', '1', 'ü/Ü'],
        refuses: [
          ['""', 'is missing'],
          ['[p]', 'must be text'],
        ],
      },
      type: {
        takes: ['box'],
        refuses: [
          ['Box', 'must be one of box'],
          ['""', 'is missing'],
        ],
      },
      weight: {
        takes: ['0.000000001', '1', '1e308', '0', '0.0', 'null'],
        refuses: [
          ['-0.000000001', 'must be more than 0'],
          ['.inf', 'must be more than 0, and not infinite'],
          ['-.inf', 'must be more than 0'],
          ['.nan', 'must be more than 0'],
          ['1e309', 'must be more than 0, and not infinite'],
          ['"1"', 'must be a number'],
        ],
      },
      max_runners: {
        takes: ['0', '1', '0b1'],
        refuses: [
          ['-1', 'must be at least 0, not -1'],
          ['1.0', 'must be a whole'],
        ],
      },
      disabled: flag,
      runner: {
        takes: ['{image: i}', '{}', 'null'],
        refuses: [
          ['i', 'must be a mapping'],
          ['[]', 'must be a mapping'],
        ],
      },
    },
  },
  {
    fields: SCALE_SET_FIELDS,
    path: 'scale_sets[0]',
    file: scaleSet,
    limits: {
      name: {
        takes: ['a', 'a'.repeat(128), 'a-', '1', `${'a'.repeat(54)}_`],
        refuses: [
          ['""', 'is missing'],
          ['a'.repeat(129), 'must have at most 128 characters'],
          ['"a\\tb"', 'must not hold a space or a tab'],
          [`${'a'.repeat(53)}_`, "cannot be part of a runner's name"],
        ],
      },
      labels: {
        takes: ['[]', `[${'a'.repeat(256)}]`, '["", null, a]', 'null'],
        refuses: [
          [`[${'a'.repeat(257)}]`, 'must have at most 256 characters'],
          ['["a,"]', 'must not hold commas'],
          ['[" a"]', 'must not begin or end with a space'],
          ['["a\\u0007"]', 'must not hold commas or control characters'],
          ['gpu', 'must be a list'],
        ],
      },
      runner_group: { takes: ['Default', '""', 'a b', '1'], refuses: [['[Default]', 'must be text, not a list']] },
      min_runners: {
        takes: ['0', '10'],
        refuses: [
          ['-1', 'must be at least 0, not -1'],
          ['11', '11 is more than max_runners 10'],
          ['1.9', 'must be a whole number'],
        ],
      },
      max_runners: {
        takes: ['1', '9007199254740991'],
        refuses: [
          ['0', 'must be at least 1, not 0'],
          ['null', 'is missing'],
          ['"1"', 'must be a whole number'],
        ],
      },
      schedule: { takes: ['{}', 'null'], refuses: [['[]', 'must be a mapping with windows']] },
      priority: {
        takes: ['-9007199254740991', '0', '9007199254740991'],
        refuses: [
          ['9007199254740992', 'must be at most 9007199254740991'],
          ['-9223372036854775808', 'must be at least -9007199254740991'],
          ['high', 'must be a whole number'],
        ],
      },
      providers: {
        takes: ['[p]', '[{name: p}]'],
        refuses: [
          ['[]', 'is missing'],
          ['[p, p]', 'lists the provider "p" a second time'],
          ['p', 'must be a list'],
        ],
      },
      placement: {
        takes: ['spread', 'pack', 'null'],
        refuses: [
          ['Spread', 'must be spread or pack'],
          ['""', 'must be spread or pack'],
        ],
      },
      start_timeout: {
        takes: ['30s', '0s', '30000000000ns'],
        refuses: [
          ['29.999999999s', 'must be at least 30s, not 29.999999999s'],
          ['30', 'must be a duration'],
        ],
      },
      max_idle_age: {
        takes: ['5m', '0s', '"0"'],
        refuses: [
          ['4m59.999999999s', '4m59.999999999s is less than start_timeout 5m0s'],
          ['-1ns', 'must not be negative'],
        ],
      },
      max_age: {
        beside: 'start_timeout: 30s',
        takes: ['30s', '0s'],
        refuses: [
          ['29s', '29s is less than start_timeout 30s'],
          ['-1ns', 'must not be negative'],
        ],
      },
      paused: flag,
    },
  },
  {
    fields: SCALE_SET_PROVIDER_FIELDS,
    path: 'scale_sets[0].providers[0]',
    file: (keys) => scaleSet(`providers: [{${/name:/.test(keys) ? '' : 'name: p, '}${keys}}]`),
    limits: {
      name: {
        takes: ['p'],
        refuses: [
          ['P', 'names no provider of this file: "P"'],
          ['""', 'is missing'],
        ],
      },
      runner: {
        takes: ['{}', '{image: j}'],
        refuses: [
          ['null', 'is missing'],
          ['j', "must be a mapping, or null to clear the provider's"],
        ],
      },
    },
  },
  {
    fields: SCHEDULE_FIELDS,
    path: 'scale_sets[0].schedule',
    file: (keys) => scaleSet(`schedule: {${keys}}`),
    limits: {
      timezone: {
        beside: 'windows: [{days: mon, from: "08:00", to: "09:00"}]',
        takes: ['UTC', 'Europe/Vilnius', 'America/Argentina/Buenos_Aires', 'null'],
        refuses: ['utc', 'europe/vilnius', 'EST', 'Local', '""', 'Mars/Olympus', '"+02:00"'].map(
          (zone) => [zone, 'must be an IANA time zone'] as const,
        ),
      },
      windows: {
        takes: ['[]', '[{days: mon, from: "08:00", to: "09:00"}]'],
        refuses: [
          ['{days: mon}', 'must be a list'],
          ['[mon]', 'must be a mapping'],
        ],
      },
    },
  },
  {
    fields: WINDOW_FIELDS,
    path: 'scale_sets[0].schedule.windows[0]',
    file: (keys) => {
      const rest = [
        /(?:^|, )days:/.test(keys) ? '' : 'days: mon, ',
        /(?:^|, )from:/.test(keys) ? '' : 'from: "08:00", ',
        /(?:^|, )to:/.test(keys) ? '' : 'to: "09:00", ',
      ];
      return scaleSet(`schedule: {windows: [{${rest.join('')}${keys}}]}`);
    },
    limits: {
      days: {
        takes: ['mon', '[mon-fri, wed]', 'fri-mon', 'SUN', '" tue - wed "', '[sun-sat]'],
        refuses: [
          ['[]', 'is missing'],
          ['monday', 'must be a day'],
          ['mon-fry', 'must be a day'],
          ['mon-tue-wed', 'must be a day'],
          ['"mon,tue"', 'must be a day'],
        ],
      },
      from: {
        beside: 'to: "12:00"',
        takes: ['00:00', '"23:59"', '08:00', '22:00'],
        refuses: [
          ['24:00', 'must be before 24:00'],
          ['12:00', 'must differ from from'],
          ['8:00', 'must be a time like "08:00"'],
          ['8', 'must be a time like "08:00"'],
          ['1320', 'must be a time like "08:00"'],
          ['08:60', 'must be a time like "08:00"'],
          ['"+8:00"', 'must be a time like "08:00"'],
        ],
      },
      to: {
        takes: ['24:00', '00:00', '07:59', '22:00'],
        refuses: [
          ['24:01', 'must be a time'],
          ['25:00', 'must be a time'],
          ['08:00', 'must differ from from'],
        ],
      },
      min_runners: {
        takes: ['0', '10'],
        refuses: [
          ['-1', 'must be at least 0'],
          ['11', '11 is more than max_runners 10, in window 1 of the schedule'],
        ],
      },
    },
  },
  {
    fields: METRICS_FIELDS,
    path: 'metrics',
    file: (keys) => fileOf({ metrics: `{${keys}}` }),
    limits: {
      enable: flag,
      listen: {
        beside: 'enable: true',
        takes: ['":0"', '"h:65535"', '"[::1]:9102"', '127.0.0.1:9102', '""'],
        refuses: [
          ['"h:65536"', 'must be HOST:PORT'],
          ['h', 'must be HOST:PORT'],
          ['"::1:9102"', 'must be HOST:PORT'],
          ['":x"', 'must be HOST:PORT'],
        ],
      },
    },
  },
  {
    fields: PAGE_FIELDS,
    path: 'page',
    file: (keys) => fileOf({ page: `{${keys}}` }),
    limits: {
      enable: flag,
      listen: {
        beside: 'enable: true',
        takes: ['":0"', '"[::1]:9103"', 'localhost:9103', '""'],
        refuses: [
          ['"h:65536"', 'must be HOST:PORT, like 127.0.0.1:9103 or [::1]:9103, not "h:65536"'],
          ['9103', 'must be HOST:PORT'],
        ],
      },
    },
  },
  {
    fields: EVENTS_FIELDS,
    path: 'events',
    file: (keys) => fileOf({ events: `{${keys}}` }),
    limits: {
      file: {
        takes: ['/e', '""'],
        refuses: [
          ['e', 'must be an absolute path'],
          ['~/e', 'must be an absolute path'],
        ],
      },
      max_count: {
        takes: ['0', '1', '10000'],
        refuses: [
          ['-1', 'must be at least 0, not -1'],
          ['.inf', 'must be a whole number'],
        ],
      },
      max_age: {
        takes: ['0s', '1ns', '72h'],
        refuses: [
          ['-1ns', 'must not be negative'],
          ['1d', 'must be a duration'],
          ['72', 'must be a duration'],
        ],
      },
    },
  },
];

const read = (text: string): ReturnType<typeof parseConfig> => parseConfig(text, { file: 'c.yaml', types: [boxType] });

describe.each(MAPPINGS)('in $path', ({ fields, file, limits, path }) => {
  test('every key has its limits here', () => expect(Object.keys(limits).sort()).toEqual(Object.keys(fields).sort()));

  describe.each(Object.entries(limits))('%s', (key, { takes, refuses, beside }) => {
    const withValue = (value: string): string => file(`${key}: ${value}${beside === undefined ? '' : `, ${beside}`}`);

    test.each(takes)('takes %s', (value) => {
      const { settings, problems } = read(withValue(value));
      expect(problems.filter(({ severity }) => severity === 'error')).toEqual([]);
      expect(settings).toBeDefined();
    });

    test.each(refuses)('refuses %s', (value, want) => {
      const { settings, problems } = read(withValue(value));
      const errors = problems.filter(({ severity }) => severity === 'error');
      expect(settings).toBeUndefined();
      expect(errors.map(({ message }) => message)).toContainEqual(expect.stringContaining(want));
      for (const error of errors) expect(error.path).toContain(path === '' ? key : path);
    });
  });
});
