import type { Demand } from './classify.js';

/** What a scrape shows of a mailbox; nothing but the counters before the first poll has succeeded. */
export interface MetricsView {
  readonly demand: Demand | undefined;
  readonly polls: number;
  readonly failures: number;
  /** When the last poll succeeded, in epoch seconds. */
  readonly lastSuccess: number | undefined;
}

interface Metric {
  readonly name: string;
  readonly type: 'gauge' | 'counter';
  readonly help: string;
  readonly samples: readonly (readonly [labels: string, value: number])[];
}

/** The demand as Prometheus text (version 0.0.4). Labels come from a fixed set and from configured prefixes only. */
export function metricsText({ demand, polls, failures, lastSuccess }: MetricsView): string {
  const metrics: Metric[] = demand === undefined ? [] : demandMetrics(demand);
  metrics.push(
    { name: 'polls_total', type: 'counter', help: 'Polls of the mailbox.', samples: [['', polls]] },
    { name: 'poll_failures_total', type: 'counter', help: 'Polls that failed.', samples: [['', failures]] },
  );
  if (lastSuccess !== undefined) {
    metrics.push({
      name: 'last_success_timestamp_seconds',
      type: 'gauge',
      help: 'When the mailbox was last read.',
      samples: [['', lastSuccess]],
    });
  }
  return metrics.map(written).join('');
}

function demandMetrics(demand: Demand): Metric[] {
  const { transport, stale, retained, candidates, foreign } = demand;
  const gauge = (name: string, help: string, samples: Metric['samples']): Metric => ({
    name,
    type: 'gauge',
    help,
    samples,
  });
  const byClass = { transport, stale, retained, candidate: candidates, foreign };
  const metrics = [
    gauge('branches', 'Branches of the mailbox, by class.', labelled('class', byClass)),
    gauge('upper_bound', 'Branches that may wait for a worker: some may be claimed already.', [['', candidates]]),
    gauge('wanted_nodes', 'Nodes with a waiting probe.', [['', demand.wantedNodes.length]]),
    gauge('unservable_nodes', 'Nodes with waiting branches that belong to no known pool.', [
      ['', demand.unservable.length],
    ]),
    gauge('oldest_unclaimed_seconds', 'How long ago the oldest waiting branch was first seen.', [
      ['', demand.oldestUnclaimedSeconds ?? 0],
    ]),
  ];
  if (demand.inspected) {
    metrics.push(
      gauge('unclaimed', 'Branches that wait for a worker, by kind.', labelled('kind', demand.unclaimed)),
      gauge('running', 'Branches whose task is claimed.', [['', demand.running]]),
    );
  }
  if (demand.pools.length > 0) {
    const wanted = Object.fromEntries(demand.pools.map(({ prefix, wantedNodes }) => [prefix, wantedNodes.length]));
    metrics.push(gauge('pool_wanted_nodes', 'Nodes of a pool with a waiting probe.', labelled('prefix', wanted)));
  }
  return metrics;
}

function labelled(label: string, values: Readonly<Record<string, number>>): Metric['samples'] {
  return Object.entries(values).map(([value, count]) => [`{${label}="${value.replace(/[\\"\n]/g, '_')}"}`, count]);
}

function written({ name, type, help, samples }: Metric): string {
  const full = `dispat_demand_${name}`;
  return `# HELP ${full} ${help}\n# TYPE ${full} ${type}\n${samples.map(([labels, value]) => `${full}${labels} ${value}\n`).join('')}`;
}
