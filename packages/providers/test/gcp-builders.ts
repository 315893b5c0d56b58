import { type MachineRequest, Secret } from '@rungar/model';
import type { GcpRunner, GcpSettings } from '../src/gcp/settings.js';

export const SELECTOR = { 'rungar.sh/managed': 'true', 'rungar.sh/installation': 'gh-4e3651f01be5' };
export const ZONE_B = 'europe-west1-b';
export const ZONE_C = 'europe-west1-c';
export const REGISTRATION = 'a-registration-good-once';

export function labelsOf(name: string): Record<string, string> {
  return {
    ...SELECTOR,
    'rungar.sh/scale-set': 'linux',
    'rungar.sh/runner': name,
    'rungar.sh/revision': 'c8641158c70e',
  };
}

export function someSettings(more: Partial<GcpSettings> = {}): GcpSettings {
  return { project: 'my-ci-project', zones: [ZONE_B, ZONE_C], scopes: [], timeoutMs: 30_000, ...more };
}

export function someRunner(more: Partial<GcpRunner> = {}): GcpRunner {
  return {
    machineTypes: ['e2-standard-2', 'e2-standard-4'],
    image: 'runner-image',
    diskSize: 50n * 1024n ** 3n,
    diskType: 'pd-balanced',
    instanceTemplate: '',
    spot: false,
    networkTags: undefined,
    labels: undefined,
    metadata: undefined,
    startupScript: '#!/bin/sh\nexec /opt/run\n',
    ...more,
  };
}

export function someRequest(
  name = 'linux-1ff1015a',
  spec: Partial<GcpRunner> = {},
  more: Partial<MachineRequest<GcpRunner>> = {},
): MachineRequest<GcpRunner> {
  return { name, labels: labelsOf(name), jitConfig: new Secret(REGISTRATION), spec: someRunner(spec), ...more };
}
