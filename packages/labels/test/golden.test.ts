import { readFileSync } from 'node:fs';
import * as labelsPackage from '@rungar/labels';
import {
  awsTagFilters,
  gcpLabelFilter,
  installationOf,
  isRunnerNameOf,
  LABEL,
  matchesSelector,
  parseAwsTags,
  parseDicerLabels,
  parseGcpMetadata,
  parseProxmoxDescription,
  parseProxmoxTags,
  runnerLabels,
  runnerName,
  scaleSetSelector,
  toAwsTags,
  toDicerLabels,
  toGcpLabels,
  toGcpMetadata,
  toProxmoxDescription,
  toProxmoxTags,
} from '@rungar/labels';
import { describe, expect, test } from 'vitest';

const golden = JSON.parse(readFileSync(new URL('../fixtures/machines-of-0.1.json', import.meta.url), 'utf8'));
const selector = scaleSetSelector(golden.runner.installation, golden.runner.scaleSet);

test('the label keys are those of every release', () => {
  expect(LABEL).toStrictEqual({
    managed: 'rungar.sh/managed',
    installation: 'rungar.sh/installation',
    scaleSet: 'rungar.sh/scale-set',
    runner: 'rungar.sh/runner',
    revision: 'rungar.sh/revision',
  });
});

describe('this release writes on a machine what 0.1 wrote', () => {
  const labels = runnerLabels(golden.runner);

  test('its names and labels', () => {
    expect(installationOf(golden.url)).toBe(golden.runner.installation);
    expect(runnerName(golden.runner.scaleSet, golden.suffix)).toBe(golden.runner.runner);
    expect(labels).toStrictEqual(golden.labels);
  });

  test('on dicer', () => {
    expect(toDicerLabels(labels)).toStrictEqual(golden.dicer);
  });

  test('on proxmox', () => {
    expect(toProxmoxTags(labels).join(';')).toBe(golden.proxmox.tags);
    expect(toProxmoxDescription(labels, new Date(golden.created))).toBe(golden.proxmox.description);
  });

  test('on gcp', () => {
    expect(toGcpLabels(labels)).toStrictEqual(golden.gcp.labels);
    expect(toGcpMetadata(labels)).toBe(golden.gcp.metadata);
    expect(gcpLabelFilter(selector)).toBe(golden.gcp.filter);
  });

  test('on aws', () => {
    expect(toAwsTags(labels)).toStrictEqual(golden.aws.tags);
    expect(awsTagFilters(selector)).toStrictEqual(golden.aws.filters);
  });
});

test.each([
  ['dicer', parseDicerLabels(golden.dicer)],
  ['proxmox', parseProxmoxDescription(golden.proxmox.description)?.labels],
  ['gcp', parseGcpMetadata(golden.gcp.metadata)],
  ['aws', parseAwsTags(golden.aws.tags)],
])('this release finds the runner that 0.1 left on %s', (_, labels = {}) => {
  expect(labels).toStrictEqual(golden.labels);
  expect(matchesSelector(labels, selector)).toBe(true);
  expect(isRunnerNameOf(golden.runner.scaleSet, labels[LABEL.runner] ?? '')).toBe(true);
});

test('its tags are found again when Proxmox VE gives them back in its own way', () => {
  expect(parseProxmoxTags(golden.proxmox.tags.toUpperCase().replaceAll(';', ', '))).toStrictEqual(
    toProxmoxTags(golden.labels),
  );
});

test('the public names are these', () => {
  expect(Object.keys(labelsPackage).sort()).toStrictEqual([
    'LABEL',
    'awsTagFilters',
    'canonicalJson',
    'createProxmoxTagger',
    'gcpLabelFilter',
    'gcpLabelKey',
    'gcpLabelValue',
    'installationOf',
    'installationSelector',
    'isInstallation',
    'isRunnerNameOf',
    'matchesSelector',
    'parseAwsTags',
    'parseDicerLabels',
    'parseGcpMetadata',
    'parseProxmoxDescription',
    'parseProxmoxTags',
    'proxmoxTag',
    'revisionOf',
    'runnerLabels',
    'runnerName',
    'scaleSetSelector',
    'toAwsTags',
    'toDicerLabels',
    'toGcpLabels',
    'toGcpMetadata',
    'toProxmoxDescription',
    'toProxmoxTags',
  ]);
});

test('nothing else is needed at run time', () => {
  const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  for (const kind of ['dependencies', 'peerDependencies', 'optionalDependencies'])
    expect(manifest[kind]).toBeUndefined();
});
