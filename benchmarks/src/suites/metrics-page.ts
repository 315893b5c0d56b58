import { strict as assert } from 'node:assert';
import { createPrometheus, type Prometheus } from '@rungar/daemon';
import type { Benchmark, Lab } from '../benchmark.js';
import { compare } from '../measure.js';

const SCALE_SETS = 200;
const PROVIDERS = 4;
const STATES = ['idle', 'busy', 'starting', 'leaving'] as const;
const SECONDS = [0.3, 2, 25] as const;
/** The page of every round is written so often, so that a round is long enough to be timed. */
const PAGES = 5;

interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** What a daemon that has served for a while has measured: made, removed, waited for, by scale set and provider. */
async function served(): Promise<Prometheus> {
  const scaleSets = Array.from({ length: SCALE_SETS }, (_, at) => `linux-${at}`);
  const providers = Array.from({ length: PROVIDERS }, (_, at) => `cloud-${at}`);
  const about = { version: '1.0.0', commit: 'abc', nodeVersion: 'v20', startedAt: 1_800_000_000_000 };
  const prometheus = await createPrometheus({ ...about, scaleSets, providers });
  scaleSets.forEach((scale_set, at) => {
    for (const state of STATES) prometheus.set('rungar_runners_current', { scale_set, state }, at);
    prometheus.set('rungar_runners_desired', { scale_set }, at);
    for (const provider of providers) {
      const labels = { scale_set, provider };
      prometheus.set('rungar_provider_runners', labels, at);
      prometheus.add('rungar_runners_created_total', labels, at + 1);
      for (const seconds of SECONDS) prometheus.observe('rungar_reconcile_duration_seconds', { scale_set }, seconds);
      prometheus.addMachineHours(scale_set, provider, at / 7);
    }
  });
  return prometheus;
}

/** The numbers on a page. */
function samplesOf(page: string): Sample[] {
  return page
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [, name = '', labels = '', value = ''] = /^(\w+)(?:\{(.*)\})? (\S+)/.exec(line) ?? [];
      const pairs = [...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, key = '', text = '']) => [key, text] as const);
      return { name, labels: Object.fromEntries(pairs), value: Number(value) };
    });
}

async function timed(lab: Lab, write: () => Promise<string> | string): Promise<number> {
  const begun = lab.cpu();
  for (let page = 0; page < PAGES; page++) await write();
  return (lab.cpu() - begun) / PAGES;
}

export const metricsPage: Benchmark = {
  id: 'P35',
  kind: 'real',
  what: `the metrics of ${SCALE_SETS} scale sets on ${PROVIDERS} providers`,
  measurements: [
    {
      what: 'the page written ÷ JSON.stringify of its numbers',
      async run(lab) {
        const prometheus = await served();
        const samples = samplesOf(await prometheus.exposition());
        const created = samples.filter(({ name }) => name === 'rungar_runners_created_total');
        assert.equal(created.length, SCALE_SETS * PROVIDERS, 'every scale set is there on every provider');
        const sum = created.reduce((total, { value }) => total + value, 0);
        assert.equal(sum, (PROVIDERS * SCALE_SETS * (SCALE_SETS + 1)) / 2, 'with its number');
        const times = await compare(
          () => timed(lab, () => prometheus.exposition()),
          () => timed(lab, () => JSON.stringify(samples)),
          3,
        );
        prometheus.close();
        return {
          unit: 'ms',
          ours: times.oursMs,
          reference: times.referenceMs,
          ratio: times.ratio,
          spread: { min: times.min, max: times.max },
          better: 'lower',
          target: 3,
          bar: 6,
        };
      },
    },
  ],
};
