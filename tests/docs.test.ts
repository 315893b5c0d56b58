import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { formatProblem, parseConfig } from '@rungar/config';
import { LABEL } from '@rungar/labels';
import { ERROR_CODES, EVENT_ACTIONS, LOSS_REASONS, REMOVAL_REASONS } from '@rungar/model';
import { providerTypes } from '@rungar/providers';
import { EXIT } from 'rungar';
import { describe, expect, test } from 'vitest';
import { commands } from '../packages/cli/src/commands/index.js';
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
} from '../packages/config/src/fields.js';
import { COUNTERS, GAUGES, HISTOGRAMS } from '../packages/daemon/src/metrics/catalogue.js';
import { AWS_ENTRY_FIELDS } from '../packages/providers/src/aws/config.js';
import { AWS_RUNNER_FIELDS } from '../packages/providers/src/aws/runner.js';
import { DICER_ENTRY_FIELDS, DICER_TLS_FIELDS } from '../packages/providers/src/dicer/config.js';
import { DICER_MOUNT_FIELDS, DICER_RUNNER_FIELDS } from '../packages/providers/src/dicer/runner.js';
import { GCP_ENTRY_FIELDS } from '../packages/providers/src/gcp/config.js';
import { GCP_RUNNER_FIELDS } from '../packages/providers/src/gcp/runner.js';
import { PROXMOX_ENTRY_FIELDS, PROXMOX_TLS_FIELDS } from '../packages/providers/src/proxmox/config.js';
import { PROXMOX_RUNNER_FIELDS } from '../packages/providers/src/proxmox/runner.js';

// What the code can say or takes has a row in its page.

const root = resolve(import.meta.dirname, '..');

function read(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}

/** The names that no row of a table begins with, in a page or in the part of it under a heading. */
function withoutRow(names: Iterable<string | number>, page: string, heading?: string): (string | number)[] {
  const text = heading === undefined ? read(page) : sectionOf(read(page), heading);
  return [...names].filter((name) => !new RegExp(`^\\| (?:[^|]*, )?\`?${name}\`?[ ,]`, 'm').test(text));
}

/** From a heading to the next one of its rank or above. */
function sectionOf(text: string, heading: string): string {
  const lines = text.split('\n');
  const from = lines.findIndex((line) => line.replace(/^#+ /, '') === heading && line.startsWith('#'));
  if (from === -1) throw new Error(`there is no heading "${heading}"`);
  const rank = lines[from]?.indexOf(' ') ?? 0;
  const end = lines.findIndex((line, at) => at > from && /^#+ /.test(line) && line.indexOf(' ') <= rank);
  return lines.slice(from, end === -1 ? undefined : end).join('\n');
}

/** Every source of the packages, tests left out. */
function sources(folder = 'packages'): string[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /(?<!\.test)\.ts$/.test(entry.name))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .filter((path) => path.includes('/src/') && !path.includes('node_modules'));
}

describe('every name has a row in its page', () => {
  test('error codes', () => {
    expect(withoutRow(ERROR_CODES, 'docs/reference/errors.md')).toEqual([]);
  });

  test('actions of events', () => {
    expect(withoutRow(Object.keys(EVENT_ACTIONS), 'docs/reference/events.md', 'Actions')).toEqual([]);
  });

  test('reasons of removals and losses', () => {
    const page = 'docs/reference/events.md';
    expect(withoutRow(REMOVAL_REASONS, page, 'Why a runner was removed')).toEqual([]);
    expect(withoutRow(LOSS_REASONS, page, 'Why a runner was lost')).toEqual([]);
  });

  test('metrics', () => {
    const page = 'docs/reference/metrics.md';
    expect(withoutRow(Object.keys(COUNTERS), page, 'Counters')).toEqual([]);
    expect(withoutRow(Object.keys(GAUGES), page, 'Gauges')).toEqual([]);
    expect(withoutRow(Object.keys(HISTOGRAMS), page, 'Histograms')).toEqual([]);
  });

  test('exit codes', () => {
    expect(withoutRow(Object.values(EXIT), 'docs/reference/cli.md', 'Exit codes')).toEqual([]);
  });

  test('components of the log', () => {
    const components = sources().flatMap((path) =>
      [...read(path).matchAll(/component: '(\w+)'/g)].map(([, name = '']) => name),
    );
    expect(components).toContain('scaleset');
    expect(withoutRow(new Set(components), 'docs/reference/logs.md')).toEqual([]);
  });

  test('labels', () => {
    expect(withoutRow(Object.values(LABEL), 'docs/reference/labels.md')).toEqual([]);
  });

  test('phases of a scale set', () => {
    const [, union = ''] = /ScaleSetPhase =([^;]*);/.exec(read('packages/reconciler/src/status.ts')) ?? [];
    const phases = [...union.matchAll(/'(\w+)'/g)].map(([, phase = '']) => phase);
    expect(phases).toContain('listening');
    expect(withoutRow(phases, 'docs/concepts/states.md', 'Phases of a scale set')).toEqual([]);
  });

  test('methods of the control API', () => {
    const proto = read('packages/daemon/proto/rungar/v1/rungar.proto');
    const methods = [...proto.matchAll(/^ {2}rpc (\w+)/gm)].map(([, name = '']) => name);
    expect(methods).toContain('GetStatus');
    expect(withoutRow(methods, 'docs/reference/control-api.md', 'Methods')).toEqual([]);
  });

  test.each([
    ['Top level', TOP_FIELDS],
    ['github', GITHUB_FIELDS],
    ['providers', PROVIDER_FIELDS],
    ['scale_sets', SCALE_SET_FIELDS],
    ['scale_sets[].providers[]', SCALE_SET_PROVIDER_FIELDS],
    ['scale_sets[].schedule', SCHEDULE_FIELDS],
    ['scale_sets[].schedule.windows[]', WINDOW_FIELDS],
    ['metrics', METRICS_FIELDS],
    ['page', PAGE_FIELDS],
    ['events', EVENTS_FIELDS],
  ])('keys of the configuration: %s', (heading, fields) => {
    expect(withoutRow(Object.keys(fields), 'docs/reference/configuration.md', heading)).toEqual([]);
  });

  test('keys of aws', () => {
    expect(withoutRow(Object.keys(AWS_ENTRY_FIELDS), 'docs/providers/aws.md', 'The entry')).toEqual([]);
    expect(withoutRow(Object.keys(AWS_RUNNER_FIELDS), 'docs/providers/aws.md', 'The runner block')).toEqual([]);
  });

  test('keys of dicer', () => {
    const entry = { ...DICER_ENTRY_FIELDS, ...DICER_TLS_FIELDS };
    const runner = { ...DICER_RUNNER_FIELDS, ...DICER_MOUNT_FIELDS };
    expect(withoutRow(Object.keys(entry), 'docs/providers/dicer.md', 'The entry')).toEqual([]);
    expect(withoutRow(Object.keys(runner), 'docs/providers/dicer.md', 'The runner block')).toEqual([]);
  });

  test('keys of gcp', () => {
    expect(withoutRow(Object.keys(GCP_ENTRY_FIELDS), 'docs/providers/gcp.md', 'The entry')).toEqual([]);
    expect(withoutRow(Object.keys(GCP_RUNNER_FIELDS), 'docs/providers/gcp.md', 'The runner block')).toEqual([]);
  });

  test('keys of proxmox', () => {
    const entry = { ...PROXMOX_ENTRY_FIELDS, ...PROXMOX_TLS_FIELDS };
    expect(withoutRow(Object.keys(entry), 'docs/providers/proxmox.md', 'The entry')).toEqual([]);
    expect(withoutRow(Object.keys(PROXMOX_RUNNER_FIELDS), 'docs/providers/proxmox.md', 'The runner block')).toEqual([]);
  });
});

test('every command has its help in the page of the command line', () => {
  const names = commands.map(({ name }) => `### rungar ${name.split(' ')[0]}`);
  const page = read('docs/reference/cli.md').split('\n');
  expect(names.filter((name) => !page.includes(name))).toEqual([]);
});

test('every page and heading that the code refers to is there', () => {
  const wrong = sources().flatMap((path) => {
    const text = read(path).replace(/\n\s*(?:\*|\/\/) ?/g, ' ');
    return [...text.matchAll(/\bdocs\/[\w/-]+\.md(?:, "([^"]+)")?/g)].flatMap(([reference, heading]) => {
      const [page = ''] = reference.split(',');
      if (!existsSync(join(root, page))) return [`${path}: ${page} is not there`];
      const isThere = heading === undefined || new RegExp(`^#+ ${heading}$`, 'm').test(read(page));
      return isThere ? [] : [`${path}: ${page} has no heading "${heading}"`];
    });
  });
  expect(wrong).toEqual([]);
});

const examples = readdirSync(join(root, 'examples/configurations')).filter((name) => name.endsWith('.yaml'));

test.each(examples)('the example %s has no problem', (name) => {
  const file = join('examples/configurations', name);
  const { problems, settings } = parseConfig(read(file), { file, types: providerTypes });
  expect(problems.map(formatProblem)).toEqual([]);
  expect(settings?.scaleSets.length).toBeGreaterThan(0);
});

test('the index of the documentation leads to every page of it', () => {
  const index = read('docs/README.md');
  const pages = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.md') && !file.startsWith('api') && file !== 'README.md',
  );
  expect(pages.length).toBeGreaterThan(40);
  expect(pages.filter((page) => !index.includes(`](${page})`) && !index.includes(`](${page}#`))).toEqual([]);
});
