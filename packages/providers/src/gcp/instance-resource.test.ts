import { describe, expect, test } from 'vitest';
import { labelsOf, someRunner, someSettings, ZONE_B } from '../../test/gcp-builders.js';
import { instanceResource, type Launch } from './instance-resource.js';
import type { GcpSettings } from './settings.js';

const DEADLINE = Date.UTC(2027, 0, 4, 13, 0, 0);
const NAME = 'linux-1ff1015a';

const launch = (more: Partial<Launch> = {}): Launch => ({
  name: NAME,
  labels: labelsOf(NAME),
  spec: someRunner(),
  jitConfig: 'a-registration',
  ...more,
});
const resource = (more: Partial<Launch> = {}, settings: Partial<GcpSettings> = {}, machineType?: string) =>
  instanceResource(someSettings(settings), launch(more), { zone: ZONE_B, ...(machineType && { machineType }) });

describe('what is inserted', () => {
  test('names everything of the zone by its path', () => {
    expect(resource({}, {}, 'e2-small')).toMatchObject({
      machineType: 'zones/europe-west1-b/machineTypes/e2-small',
      disks: [
        {
          initializeParams: {
            sourceImage: 'projects/my-ci-project/global/images/runner-image',
            diskSizeGb: '50',
            diskType: 'zones/europe-west1-b/diskTypes/pd-balanced',
          },
        },
      ],
    });
  });

  test.each([
    ['a path', 'projects/debian-cloud/global/images/family/debian-12'],
    ['an address', 'https://www.googleapis.com/compute/v1/projects/p/global/images/i'],
  ])('takes an image that is %s as it is', (_, image) => {
    expect(resource({ spec: someRunner({ image }) })).toMatchObject({
      disks: [{ initializeParams: { sourceImage: image } }],
    });
  });

  test.each<[string, Partial<GcpSettings>, object]>([
    ['neither', {}, { network: 'global/networks/default' }],
    ['a network', { network: 'ci' }, { network: 'global/networks/ci' }],
    ['a network by path', { network: 'projects/h/global/networks/x' }, { network: 'projects/h/global/networks/x' }],
    ['a subnetwork', { subnetwork: 'ci' }, { subnetwork: 'regions/europe-west1/subnetworks/ci' }],
    [
      'both',
      { network: 'n', subnetwork: 'projects/h/regions/r/subnetworks/s' },
      { network: 'global/networks/n', subnetwork: 'projects/h/regions/r/subnetworks/s' },
    ],
  ])('has the network of an entry with %s', (_, settings, want) => {
    const accessConfigs = [{ name: 'External NAT', type: 'ONE_TO_ONE_NAT' }];
    expect(resource({}, settings).networkInterfaces).toEqual([{ ...want, accessConfigs }]);
    expect(resource({}, { ...settings, externalIp: false }).networkInterfaces).toEqual([want]);
  });

  test.each<[string, Partial<GcpSettings>, boolean]>([
    ['says nothing of one', {}, false],
    ['has a network', { network: 'n' }, true],
    ['has a subnetwork', { subnetwork: 's' }, true],
    ['wants an address', { externalIp: true }, true],
    ['wants none', { externalIp: false }, true],
  ])('leaves the network to a template when the entry %s: %o', (_, settings, has) => {
    expect('networkInterfaces' in resource({ template: {} }, settings)).toBe(has);
  });

  test.each<[string, Partial<Launch>, object]>([
    ['no deadline', {}, { onHostMaintenance: 'MIGRATE' }],
    [
      'a deadline',
      { deadline: DEADLINE },
      { onHostMaintenance: 'MIGRATE', terminationTime: '2027-01-04T13:00:00Z', instanceTerminationAction: 'DELETE' },
    ],
    ['a template', { template: {} }, {}],
    [
      'a template and a deadline',
      { template: {}, deadline: DEADLINE },
      { terminationTime: '2027-01-04T13:00:00Z', instanceTerminationAction: 'DELETE' },
    ],
    [
      'a template with a limit of its own and a deadline',
      { template: { properties: { scheduling: { maxRunDuration: { seconds: '60' } } } }, deadline: DEADLINE },
      {},
    ],
    [
      'a template with an end of its own and a deadline',
      { template: { properties: { scheduling: { terminationTime: '2028-01-01T00:00:00Z' } } }, deadline: DEADLINE },
      {},
    ],
    [
      'spot',
      { spec: someRunner({ spot: true }) },
      { provisioningModel: 'SPOT', onHostMaintenance: 'TERMINATE', instanceTerminationAction: 'DELETE' },
    ],
    [
      'a template of spot',
      { template: { properties: { scheduling: { provisioningModel: 'SPOT' } } } },
      { provisioningModel: 'SPOT', onHostMaintenance: 'TERMINATE', instanceTerminationAction: 'DELETE' },
    ],
  ])('is scheduled, with %s', (_, more, want) => {
    expect(resource(more).scheduling).toEqual({ automaticRestart: false, ...want });
  });

  test('lets ours win over the block, and the block over the template', () => {
    const template = {
      properties: {
        labels: { team: 'template', a: '1', rungar_sh_managed: 'no' },
        metadata: { items: [{ key: 'note', value: 'template' }, { key: 'b' }, { key: 'startup-script', value: 'x' }] },
      },
    };
    const spec = someRunner({ labels: new Map([['team', 'block']]), metadata: new Map([['note', 'block']]) });
    const made = resource({ template, spec });
    expect(made.labels).toMatchObject({ team: 'block', a: '1', rungar_sh_managed: 'true' });
    const { items } = made.metadata as { items: { key: string; value: string }[] };
    expect(Object.fromEntries(items.map(({ key, value }) => [key, value]))).toMatchObject({
      note: 'block',
      b: '',
      'startup-script': '#!/bin/sh\nexec /opt/run\n',
    });
    expect(new Set(items.map(({ key }) => key)).size).toBe(items.length);
  });

  test('has no tags where nobody gives any', () => {
    expect(resource()).not.toHaveProperty('tags');
    expect(resource({ spec: someRunner({ networkTags: [] }) })).not.toHaveProperty('tags');
  });
});
