// deploy/grafana/rungar.json: what the daemon measures, as graphs (docs/reference/metrics.md).

const SET = 'scale_set=~"$scale_set"';
const PROVIDER = 'provider=~"$provider"';

/** One row of the dashboard: its title, and its panels of a third of the width each. */
const ROWS = [
  [
    'Now',
    [
      stat('Runners', [['{{state}}', `sum by (state) (rungar_runners_current{${SET}})`]]),
      stat('Jobs assigned', [['', `sum(max by (scale_set) (rungar_jobs_assigned{${SET}}))`]]),
      stat(
        'Since GitHub last answered, worst scale set',
        [['', `max(time() - max by (scale_set) (rungar_scale_set_last_poll_timestamp_seconds{${SET}}))`]],
        's',
      ),
    ],
  ],
  [
    'Jobs and runners',
    [
      graph('Runners by state', [['{{state}}', `sum by (state) (rungar_runners_current{${SET}})`]], { stack: true }),
      graph('Wanted, there, minimum', [
        ['wanted', `sum(max by (scale_set) (rungar_runners_desired{${SET}}))`],
        ['there', `sum(rungar_runners_current{${SET}})`],
        ['minimum', `sum(max by (scale_set) (rungar_runners_min{${SET}}))`],
      ]),
      graph('Jobs finished, by result', [
        ['{{result}}', `sum by (result) (increase(rungar_jobs_completed_total{${SET}}[$__rate_interval]))`],
      ]),
    ],
  ],
  [
    'Waiting',
    [
      graph('From queued to taken', percentiles('rungar_job_wait_seconds', SET), { unit: 's' }),
      graph('From assigned to taken', percentiles('rungar_job_runner_wait_seconds', SET), { unit: 's' }),
      graph(
        'From machine to connected, by provider (p95)',
        [['{{provider}}', percentile(0.95, 'rungar_runner_boot_duration_seconds', `${SET}, ${PROVIDER}`, 'provider')]],
        { unit: 's' },
      ),
    ],
  ],
  [
    'Providers',
    [
      graph(
        'Runners by provider',
        [['{{provider}}', `sum by (provider) (rungar_provider_runners{${SET}, ${PROVIDER}})`]],
        { stack: true },
      ),
      graph('Reachable', [['{{provider}}', `max by (provider) (rungar_provider_reachable{${PROVIDER}})`]], { max: 1 }),
      graph(
        'How long a machine takes to be created (p95)',
        [
          [
            '{{provider}}',
            percentile(0.95, 'rungar_runner_create_duration_seconds', `${SET}, ${PROVIDER}`, 'provider'),
          ],
        ],
        { unit: 's' },
      ),
      graph('Calls that failed', [
        [
          '{{provider}} {{call}} {{result}}',
          `sum by (provider, call, result) (increase(rungar_provider_calls_total{${PROVIDER}, result!="ok"}[$__rate_interval]))`,
        ],
      ]),
      graph(
        'How long calls take (p95)',
        [
          [
            '{{provider}} {{call}}',
            percentile(0.95, 'rungar_provider_call_duration_seconds', PROVIDER, 'provider, call'),
          ],
        ],
        { unit: 's' },
      ),
      graph('Runners that could not be created', [
        [
          '{{scale_set}} {{reason}}',
          `sum by (scale_set, reason) (increase(rungar_scale_up_failures_total{${SET}}[$__rate_interval]))`,
        ],
      ]),
    ],
  ],
  [
    'Why runners left',
    [
      graph('Removed, by reason', [
        [
          '{{reason}}',
          `sum by (reason) (increase(rungar_runners_removed_total{${SET}, provider=~"$provider|"}[$__rate_interval]))`,
        ],
      ]),
      graph('Lost, by reason', [
        [
          '{{provider}} {{reason}}',
          `sum by (provider, reason) (increase(rungar_runners_lost_total{${SET}, ${PROVIDER}}[$__rate_interval]))`,
        ],
      ]),
      graph('Runners made', [
        [
          '{{provider}}',
          `sum by (provider) (increase(rungar_runners_created_total{${SET}, ${PROVIDER}}[$__rate_interval]))`,
        ],
      ]),
    ],
  ],
  [
    'The daemon',
    [
      graph(
        'Requests to GitHub, by answer',
        [['{{code}}', 'sum by (code) (rate(rungar_github_requests_total[$__rate_interval]))']],
        { unit: 'reqps' },
      ),
      graph(
        'How long a pass takes (p95)',
        [['{{scale_set}}', percentile(0.95, 'rungar_reconcile_duration_seconds', SET, 'scale_set')]],
        { unit: 's' },
      ),
      graph('Memory', [['{{instance}}', 'process_resident_memory_bytes and on (instance, job) rungar_build_info']], {
        unit: 'bytes',
      }),
    ],
  ],
  [
    'GitHub and back-offs',
    [
      graph(
        "Left of GitHub's rate limit",
        [['{{instance}}', 'rungar_github_rate_limit_remaining / rungar_github_rate_limit']],
        { unit: 'percentunit', max: 1 },
      ),
      graph(
        'Until tokens expire',
        [
          ['token of {{instance}}', 'rungar_github_token_expiry_timestamp_seconds - time()'],
          ['credential of {{instance}}', 'rungar_github_credential_expiry_timestamp_seconds - time()'],
        ],
        { unit: 's' },
      ),
      graph(
        'Skipped after refusals, by scale set and provider',
        [
          [
            '{{scale_set}} {{provider}}',
            `max by (scale_set, provider) (rungar_provider_backoff_seconds{${SET}, ${PROVIDER}})`,
          ],
        ],
        { unit: 's' },
      ),
    ],
  ],
  [
    'Runner versions',
    [
      graph('Runners by version', [
        ['{{scale_set}} {{version}}', `max by (scale_set, version) (rungar_runners_by_version{${SET}})`],
      ]),
      graph(
        'Until GitHub gives a version no jobs',
        [['{{version}}', 'min by (version) (rungar_runner_version_end_timestamp_seconds) - time()']],
        { unit: 's' },
      ),
    ],
  ],
  [
    'Sessions and machine-hours',
    [
      graph('Scale sets by role', [
        ['{{instance}} {{role}}', `sum by (instance, role) (rungar_scale_set_role{${SET}})`],
      ]),
      graph(
        'Age of the session',
        [['{{scale_set}}', `time() - max by (scale_set) (rungar_scale_set_session_start_timestamp_seconds{${SET}})`]],
        { unit: 's' },
      ),
      graph('Machine-hours in an hour, by provider', [
        ['{{provider}}', `sum by (provider) (increase(rungar_machine_hours_total{${SET}, ${PROVIDER}}[1h]))`],
      ]),
    ],
  ],
];

export const dashboard = {
  path: 'deploy/grafana/rungar.json',
  make: () => `${JSON.stringify(dashboardOf(ROWS), undefined, 2)}\n`,
};

function stat(title, queries, unit = 'short') {
  return { type: 'stat', title, queries, unit };
}

function graph(title, queries, { unit = 'short', stack = false, max } = {}) {
  return { type: 'timeseries', title, queries, unit, stack, max };
}

function percentile(share, name, filter, by) {
  return `histogram_quantile(${share}, sum by (${by ? `${by}, ` : ''}le) (rate(${name}_bucket{${filter}}[$__rate_interval])))`;
}

function percentiles(name, filter) {
  return [
    ['p50', percentile(0.5, name, filter)],
    ['p95', percentile(0.95, name, filter)],
    ['p99', percentile(0.99, name, filter)],
  ];
}

function dashboardOf(rows) {
  const panels = [];
  let y = 0;
  for (const [title, charts] of rows) {
    panels.push({
      id: panels.length + 1,
      type: 'row',
      title,
      collapsed: false,
      gridPos: { x: 0, y, w: 24, h: 1 },
      panels: [],
    });
    y += 1;
    const height = charts[0].type === 'stat' ? 4 : 8;
    charts.forEach((chart, at) => {
      const gridPos = { x: (at % 3) * 8, y: y + Math.floor(at / 3) * height, w: 8, h: height };
      panels.push(panelOf(chart, panels.length + 1, gridPos));
    });
    y += Math.ceil(charts.length / 3) * height;
  }
  return {
    uid: 'rungar',
    title: 'Rungar',
    description: 'GitHub Actions runners kept by rungar, from its own metrics.',
    tags: ['rungar', 'github-actions'],
    schemaVersion: 39,
    editable: true,
    refresh: '30s',
    time: { from: 'now-6h', to: 'now' },
    templating: {
      list: [source(), choice('scale_set', 'rungar_runners_desired'), choice('provider', 'rungar_provider_reachable')],
    },
    annotations: {
      list: [
        {
          name: 'Start of the daemon',
          datasource: SOURCE,
          enable: true,
          iconColor: 'blue',
          expr: 'changes(rungar_start_time_seconds[2m]) > 0',
          titleFormat: 'started',
        },
      ],
    },
    panels,
  };
}

const SOURCE = { type: 'prometheus', uid: '${datasource}' };

function source() {
  return { name: 'datasource', label: 'Prometheus', type: 'datasource', query: 'prometheus' };
}

/** A choice among the values of a label, all of them unless somebody chooses. */
function choice(label, metric) {
  const query = `label_values(${metric}, ${label})`;
  return {
    name: label,
    label: label.replace('_', ' '),
    type: 'query',
    datasource: SOURCE,
    query: { query, refId: label },
    definition: query,
    refresh: 2,
    sort: 1,
    multi: true,
    includeAll: true,
    allValue: '.*',
    current: { text: 'All', value: '$__all' },
  };
}

function panelOf({ type, title, queries, unit, stack, max }, id, gridPos) {
  return {
    id,
    type,
    title,
    gridPos,
    datasource: SOURCE,
    targets: queries.map(([legendFormat, expr], at) => ({
      refId: String.fromCharCode(65 + at),
      datasource: SOURCE,
      expr,
      legendFormat,
      ...(type === 'stat' && { instant: true }),
    })),
    fieldConfig: {
      defaults: {
        unit,
        min: 0,
        ...(max !== undefined && { max }),
        ...(type === 'timeseries' && {
          custom: { fillOpacity: stack ? 30 : 8, stacking: { mode: stack ? 'normal' : 'none' }, showPoints: 'never' },
        }),
      },
      overrides: [],
    },
    options:
      type === 'stat' ? { reduceOptions: { calcs: ['lastNotNull'] } } : { tooltip: { mode: 'multi', sort: 'desc' } },
  };
}
