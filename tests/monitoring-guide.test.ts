import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { COUNTERS, GAUGES, HISTOGRAMS } from '../packages/daemon/src/metrics/catalogue.js';

// The guides name no metric and no alert that is not there, and docs/guides/monitoring.md says of every alert how
// urgent it is.

const root = resolve(import.meta.dirname, '..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

const METRICS: ReadonlySet<string> = new Set([
  ...Object.keys(COUNTERS),
  ...Object.keys(GAUGES),
  ...Object.keys(HISTOGRAMS).flatMap((name) => [name, `${name}_bucket`, `${name}_sum`, `${name}_count`]),
]);

/** The alerts by name, with their severity. */
const alerts: ReadonlyMap<string, string> = new Map(
  [...read('deploy/prometheus/rungar.rules.yml').matchAll(/- alert: (\w+)\n[\s\S]*?severity: (\w+)/g)].map(
    ([, name = '', severity = '']) => [name, severity],
  ),
);

const guides = readdirSync(join(root, 'docs/guides')).filter((name) => name.endsWith('.md'));

test.each(guides)('%s names no metric and no alert that is not there', (name) => {
  const text = read(join('docs/guides', name));
  const metrics = [...text.matchAll(/\brungar_[a-z_]*[a-z]\b/g)].map(([metric]) => metric);
  expect(metrics.filter((metric) => !METRICS.has(metric))).toEqual([]);
  const named = [...text.matchAll(/`(Rungar[A-Z]\w+)`/g)].map(([, alert = '']) => alert);
  expect(named.filter((alert) => !alerts.has(alert) && alert !== 'RungarError')).toEqual([]);
});

describe('the guide to monitoring', () => {
  test.each([...new Set(alerts.values())])('lists the alerts of severity %s, and no others, in its row', (severity) => {
    const row = new RegExp(`^\\| \`${severity}\` \\|([^|]*)\\|`, 'm').exec(read('docs/guides/monitoring.md'));
    const listed = [...(row?.[1] ?? '').matchAll(/`(\w+)`/g)].map(([, name = '']) => name);
    const wanted = [...alerts].flatMap(([name, its]) => (its === severity ? [name] : []));
    expect(wanted.length).toBeGreaterThan(0);
    expect(listed.toSorted()).toEqual(wanted.toSorted());
  });
});
