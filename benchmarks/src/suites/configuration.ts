import { strict as assert } from 'node:assert';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseConfig } from '@rungar/config';
import { providerTypes } from '@rungar/providers';
import { parseDocument } from 'yaml';
import type { Benchmark, Measurement } from '../benchmark.js';
import { evaluating, installed, startAgainst } from '../programs.js';
import { cost } from '../rate.js';

const SCALE_SETS = 200;
const REGIONS = ['eu-central-1', 'eu-west-1', 'us-east-1', 'us-west-2'];

/** Four providers, and 200 scale sets that write something of their own over the runner block of each. */
function fleetText(): string {
  const providers = REGIONS.map(
    (region, at) => `  - name: ${region}
    type: aws
    region: ${region}
    subnets: [subnet-0a1b2c3d4e5f6071${at}]
    weight: ${at + 1}
    runner:
      image: ami-0a1b2c3d4e5f6071${at}
      instance_type: m7i.large
      tags: {team: platform, cost-centre: "4711"}
`,
  );
  const scaleSets = Array.from({ length: SCALE_SETS }, (_, at) => {
    const blocks = REGIONS.map(
      (region) => `      - name: ${region}
        runner:
          instance_type: [m7i.${at % 2 === 0 ? 'large' : 'xlarge'}, m6i.large]
          disk_size: ${20 + at}GiB
          spot: true
`,
    );
    return `  - name: linux-${at}
    labels: [linux, build-${at}]
    max_runners: ${4 + (at % 20)}
    start_timeout: 3m
    providers:
${blocks.join('')}`;
  });
  return `version: 1
github:
  url: https://github.com/my-org
  token: not-a-real-token
providers:
${providers.join('')}scale_sets:
${scaleSets.join('')}`;
}

const read = (text: string): ReturnType<typeof parseConfig> =>
  parseConfig(text, { file: 'config.yaml', types: providerTypes });

export const configuration: Benchmark = {
  id: 'P33',
  kind: 'real',
  what: 'reading, checking and merging a configuration of 200 scale sets on 4 providers',
  measurements: [
    cost({
      what: 'a file that is fine, 800 revisions ÷ the YAML parser alone',
      inputs: () => [fleetText()],
      check(text) {
        const { settings, problems } = read(text);
        assert.deepEqual(problems, []);
        const providers = settings?.scaleSets.flatMap((scaleSet) => scaleSet.providers) ?? [];
        assert.equal(providers.length, SCALE_SETS * REGIONS.length);
        assert.equal(new Set(providers.map(({ revision }) => revision)).size, providers.length);
      },
      ours: read,
      reference: (text) => parseDocument(text),
      target: 1.4,
      bar: 2,
    }),
    cost({
      what: 'one error in each scale set, all found ÷ the file that is fine',
      inputs: () => {
        const fine = fleetText();
        return [{ fine, wrong: fine.replaceAll('max_runners:', 'max_runers:') }];
      },
      check({ wrong }) {
        const { problems } = read(wrong);
        const unknown = problems.filter(({ hint }) => hint === 'did you mean max_runners?');
        const lines = wrong.split('\n').flatMap((line, at) => (line.includes('max_runers') ? [at + 1] : []));
        assert.deepEqual(
          unknown.map(({ place }) => place.line),
          lines,
        );
        assert.ok(unknown.every(({ place }) => place.column === 5));
      },
      ours: ({ wrong }) => read(wrong),
      reference: ({ fine }) => read(fine),
      target: 1.3,
      bar: 2,
    }),
  ],
};

const VALIDATION = 'rungar validate of 200 scale sets ÷ the YAML parser alone';

/** The command on the same file, against a program that only loads the parser and runs it. */
export const validation: Measurement = {
  what: VALIDATION,
  async run(lab) {
    const folder = await mkdtemp(join(tmpdir(), 'rungar-bench-'));
    try {
      const file = join(folder, 'config.yaml');
      await writeFile(file, fleetText(), { mode: 0o600 });
      const parsing = evaluating(
        lab,
        `import { readFileSync } from 'node:fs';
         import { parseDocument } from 'yaml';
         parseDocument(readFileSync(${JSON.stringify(file)}, 'utf8'));`,
      );
      const validating = {
        file: installed(lab, 'rungar'),
        args: ['validate', '-f', file],
        prints: /: valid \(4 providers, 200 scale sets\)/,
      };
      return await startAgainst(
        VALIDATION,
        () => validating,
        () => parsing,
        { target: 1.8, bar: 2.5 },
      ).run(lab);
    } finally {
      await rm(folder, { recursive: true });
    }
  },
};
