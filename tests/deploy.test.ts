import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { formatProblem, parseConfig } from '@rungar/config';
import { providerTypes } from '@rungar/providers';
import { describe, expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { COUNTERS, GAUGES, HISTOGRAMS } from '../packages/daemon/src/metrics/catalogue.js';
import { strictKubernetesSchema } from '../packages/dispat-k8s/test/kubernetes-schema.js';

// What is under deploy/ names only what there is.

const deploy = resolve(import.meta.dirname, '../deploy');
const RULES = 'prometheus/rungar.rules.yml';
const RULES_TEST = 'prometheus/rungar.rules.test.yml';
const DASHBOARD = 'grafana/rungar.json';

function read(path: string): string {
  return readFileSync(join(deploy, path), 'utf8');
}

/** Whether a program is on the path, looked up without running anything. */
function has(program: string): boolean {
  return (process.env.PATH ?? '').split(':').some((folder) => existsSync(join(folder, program)));
}

/** The series that each metric of the daemon is seen as. */
function knownSeries(): Set<string> {
  const histograms = Object.keys(HISTOGRAMS).flatMap((name) => ['_bucket', '_sum', '_count'].map((end) => name + end));
  return new Set([...Object.keys(COUNTERS), ...Object.keys(GAUGES), ...Object.keys(HISTOGRAMS), ...histograms]);
}

describe('metrics', () => {
  const known = knownSeries();
  const files = readdirSync(deploy, { recursive: true, encoding: 'utf8' }).filter((file) =>
    /\.(ya?ml|json|md)$/.test(file),
  );

  test.each(files)('every metric named in %s is one the daemon has', (file) => {
    const named = read(file).match(/\brungar_[a-z_]+/g) ?? [];
    expect(named.filter((name) => !known.has(name))).toEqual([]);
  });

  test('the dashboard shows every metric of jobs, runners and providers', () => {
    const shown = read(DASHBOARD);
    const left = [...Object.keys(COUNTERS), ...Object.keys(GAUGES), ...Object.keys(HISTOGRAMS)]
      .filter((name) => !shown.includes(name))
      .sort();
    expect(left).toEqual([
      'rungar_event_file_failing',
      'rungar_events_dropped_total',
      'rungar_jobs_started_total',
      'rungar_scale_set_last_reconcile_timestamp_seconds',
      'rungar_scale_set_paused',
      'rungar_scale_set_split',
    ]);
  });
});

describe('alerts', () => {
  interface Rule {
    readonly alert: string;
    readonly annotations: Readonly<Record<string, string>>;
  }
  interface Case {
    readonly alert_rule_test: readonly { readonly alertname: string; readonly exp_alerts?: readonly unknown[] }[];
  }
  const rules = (parse(read(RULES)) as { groups: { rules: Rule[] }[] }).groups.flatMap((group) => group.rules);
  const cases = (parse(read(RULES_TEST)) as { tests: Case[] }).tests.flatMap((each) => each.alert_rule_test);

  test.each(rules.map((rule) => [rule.alert, rule] as const))(
    '%s says what is wrong, what it means and what to do',
    (_, rule) => {
      expect(Object.keys(rule.annotations).sort()).toEqual(['action', 'description', 'summary']);
    },
  );

  test('every alert has a case in which it fires', () => {
    const fired = new Set(
      cases.filter(({ exp_alerts = [] }) => exp_alerts.length > 0).map(({ alertname }) => alertname),
    );
    expect(rules.map(({ alert }) => alert).filter((alert) => !fired.has(alert))).toEqual([]);
  });

  test.skipIf(!has('promtool'))(
    'the cases hold (skipped where promtool is not installed)',
    () => {
      const said = execFileSync('promtool', ['test', 'rules', 'rungar.rules.test.yml'], {
        cwd: join(deploy, 'prometheus'),
        encoding: 'utf8',
      });
      expect(said).toContain('SUCCESS');
    },
    120_000,
  );
});

describe('Kubernetes', () => {
  const overlays = readdirSync(join(deploy, 'kubernetes/overlays'));

  test.each(overlays)('the configuration of the overlay %s is one without any problem', (overlay) => {
    const file = `kubernetes/overlays/${overlay}/config.yaml`;
    expect(parseConfig(read(file), { file, types: providerTypes }).problems.map(formatProblem)).toEqual([]);
  });

  describe.skipIf(!has('kubectl'))('rendered (skipped where kubectl is not installed)', () => {
    const rendered = (overlay: string): object[] =>
      parseAllDocuments(
        execFileSync('kubectl', ['kustomize', join(deploy, 'kubernetes/overlays', overlay)], { encoding: 'utf8' }),
      ).map((document) => document.toJS() as object);

    test('every object is one that Kubernetes takes, down to the last field', () => {
      const schema = strictKubernetesSchema();
      expect(overlays.flatMap(rendered).flatMap((object) => schema.faultsOf(object))).toEqual([]);
    });

    test.each(overlays)('%s holds no secret, mounts what it names, and runs without any right', (overlay) => {
      const objects = rendered(overlay) as { kind: string; metadata: { name: string }; spec?: Pod }[];
      expect(objects.map(({ kind }) => kind)).not.toContain('Secret');
      const pod = objects.find(({ kind }) => kind === 'Deployment')?.spec?.template.spec;
      const config = objects.find(({ kind }) => kind === 'ConfigMap')?.metadata.name;
      expect(pod?.volumes.find(({ name }) => name === 'config')).toEqual({
        name: 'config',
        configMap: { name: config },
      });
      expect(pod?.containers.map(({ securityContext }) => securityContext)).toEqual([
        { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } },
      ]);
    });
  });

  interface Pod {
    readonly template: {
      readonly spec: {
        readonly volumes: readonly { readonly name: string }[];
        readonly containers: readonly { readonly securityContext: object }[];
      };
    };
  }
});

describe('systemd', () => {
  test('the unit for several organisations differs from the plain one in its folders and its name alone', () => {
    const plain = read('systemd/rungar.service').split('\n');
    const templated = read('systemd/rungar@.service').split('\n');
    const differing = templated.filter((line, at) => line !== plain[at]).map((line) => line.split('=')[0]);
    expect(templated).toHaveLength(plain.length);
    expect(differing).toEqual([
      'Description',
      'ExecStart',
      'RuntimeDirectory',
      'LogsDirectory',
      'StateDirectory',
      'ConfigurationDirectory',
    ]);
  });

  test.skipIf(!has('systemd-analyze'))(
    'the unit is exposed no more than they must be (skipped without systemd)',
    () => {
      // In tenths: 1.7 is what is left with the network and with a compiler that writes code into memory.
      const unit = join(deploy, 'systemd/rungar.service');
      const check = ['security', '--offline=true', '--threshold=20', '--no-pager', unit];
      expect(execFileSync('systemd-analyze', check, { encoding: 'utf8' })).toContain('Overall exposure level');
    },
  );
});
