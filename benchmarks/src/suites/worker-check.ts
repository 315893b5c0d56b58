import { strict as assert } from 'node:assert';
import { check, generate, manifestsYaml, orchestratorBlock, orchestratorYaml } from 'dispat-k8s';
import { parseAllDocuments } from 'yaml';
import type { Benchmark } from '../benchmark.js';
import { cost } from '../rate.js';

interface Texts {
  readonly manifests: string;
  readonly block: string;
}

function generated(count: number): Texts {
  const { objects, options } = generate({
    endpoint: 'git@github.com:acme/release-mailbox.git',
    image: 'registry.example.com/release/worker:1',
    egress: ['192.0.2.0/24:22'],
    count,
  });
  return { manifests: manifestsYaml(objects), block: orchestratorYaml(orchestratorBlock(options), options) };
}

const checkOf = ({ manifests, block }: Texts) =>
  check({
    manifests: [{ name: 'pool.yaml', text: manifests }],
    dispatConfig: { name: 'dispat.yaml', text: block },
  });

export const workerCheck: Benchmark = {
  id: 'P44',
  kind: 'real',
  what: 'checking a worker pool against its block',
  measurements: [
    cost({
      what: 'manifests and block of 1,000 workers, every rule ÷ the YAML parser alone',
      inputs: () => [generated(1_000)],
      check(texts) {
        const report = checkOf(texts);
        assert.equal(report.summary.error, 0);
        assert.equal(report.pools[0]?.nodes?.length, 1_000);
        const broken = checkOf({ ...texts, block: texts.block.replace('w-999', 'w-1000') });
        const [finding] = broken.findings.filter(({ rule }) => rule === 'DWM104');
        assert.match(finding?.message ?? '', /w-999/);
        assert.equal(report.findings.find(({ rule }) => rule === 'DWM319')?.line, lineOf(texts.manifests));
      },
      ours: checkOf,
      reference: ({ manifests, block }) => [parseAllDocuments(manifests), parseAllDocuments(block)],
      target: 1.3,
      bar: 2,
    }),
  ],
};

/** Where the Job's name stands, counted without the parser. */
function lineOf(manifests: string): number {
  const before = manifests.slice(0, manifests.indexOf('\nkind: Job\n'));
  const name = manifests.indexOf('  name: ', before.length);
  return manifests.slice(0, name).split('\n').length;
}
