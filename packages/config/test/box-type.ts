import { type ConfiguredProvider, field, type ProviderType, readMapping } from '@rungar/model';

/** The runner block of a {@link boxType} provider. */
export interface BoxRunner {
  readonly image: string;
  readonly cpus: number | undefined;
  readonly env: ReadonlyMap<string, string> | undefined;
}

const RUNNER_FIELDS = {
  image: field.text({ describe: 'the image', required: true }),
  cpus: field.integer({ describe: 'how many CPUs', min: 1 }),
  env: field.textMap({ describe: 'environment variables' }),
} as const;

const ENTRY_FIELDS = {
  address: field.text({ describe: 'where it is', required: true }),
  password: field.text({ describe: 'how to get in', secret: true }),
} as const;

/** A type of provider for tests: its revision is its block in JSON, and it has no machine named in capitals. */
export const boxType: ProviderType<BoxRunner> = {
  type: 'box',
  secretKeys: ['password'],
  configure(entry, path, problems) {
    const { all } = readMapping(entry, ENTRY_FIELDS, path, problems);
    if (all === undefined) return undefined;
    const configured: ConfiguredProvider<BoxRunner> = {
      endpoint: `box:${all.address.toLowerCase()}`,
      secretFiles: [],
      effective: { address: all.address, ...(all.password !== undefined && { password: 'REDACTED' }) },
      parseRunner: parseBoxRunner,
      checkRunnerName: (name) => (/[A-Z]/.test(name) ? 'must have a name in small letters' : undefined),
      async checkFiles() {},
      async open() {
        throw new Error('a box has nothing to open');
      },
    };
    return configured;
  },
  checkRunner(block, at, path, problems) {
    parseBoxRunner(block, at, path, problems);
  },
};

const parseBoxRunner: ConfiguredProvider<BoxRunner>['parseRunner'] = (block, at, path, problems) => {
  const map = block ?? { kind: 'map', entries: [], place: at };
  const runner = readMapping(map, RUNNER_FIELDS, path, problems).all;
  if (runner === undefined) return undefined;
  const { image, cpus, env } = runner;
  const revision = JSON.stringify([image, cpus, env === undefined ? undefined : [...env].sort()]);
  return { spec: { image, cpus, env }, revision, size: `${cpus ?? 1} CPU` };
};
