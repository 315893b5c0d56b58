import { strict as assert } from 'node:assert';
import { generate, manifestsYaml, orchestratorBlock, orchestratorYaml, type PoolInput } from 'dispat-k8s';
import { parse, stringify } from 'yaml';
import type { Benchmark, Measurement } from '../benchmark.js';
import { cost } from '../rate.js';

const poolOf = (count: number): PoolInput => ({
  endpoint: 'git@github.com:acme/release-mailbox.git',
  image: 'registry.example.com/release/worker:1',
  policyKind: 'none',
  createNamespace: false,
  configFrom: 'configmap',
  count,
});

/** Job, worker file and execution block, from options to text. */
function generated(input: PoolInput): string[] {
  const { objects, options } = generate(input);
  return [manifestsYaml(objects), orchestratorYaml(orchestratorBlock(options), options)];
}

interface Comparison {
  readonly input: PoolInput;
  /** What ours makes of it, as plain data for the reference to write. */
  readonly made: readonly unknown[];
}

function comparisonOf(input: PoolInput): Comparison {
  const { objects, options } = generate(input);
  return { input, made: [...objects, orchestratorBlock(options)] };
}

const time: Measurement = cost({
  what: 'from options to text, 1,000 workers ÷ yaml.stringify of the same objects',
  inputs: () => [comparisonOf(poolOf(1_000))],
  check({ input, made }) {
    const [manifests = '', block = ''] = generated(input);
    const read = [...manifests.split('---\n'), block].map((text) => parse(text));
    assert.deepEqual(read, JSON.parse(JSON.stringify(made)));
    assert.equal(read.at(-1).execution.workers.length, 1_000);
  },
  ours: ({ input }) => generated(input),
  reference: ({ made }) => made.map((object) => stringify(object)),
  target: 0.3,
  bar: 1,
});

const growth: Measurement = {
  what: "the Job's bytes, 1,000 workers ÷ 4 workers",
  run: async () => {
    const [many, few] = [1_000, 4].map(
      (count) => manifestsYaml(generate({ ...poolOf(count), configFrom: 'env' }).objects).length,
    );
    assert(many !== undefined && few !== undefined && few > 1_000);
    return { unit: 'bytes', ours: many, reference: few, ratio: many / few, better: 'lower', target: 1.01, bar: 1.05 };
  },
};

export const workerManifests: Benchmark = {
  id: 'P43',
  kind: 'real',
  what: 'the manifests of a worker pool',
  measurements: [time, growth],
};
