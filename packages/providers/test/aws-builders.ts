import { type MachineRequest, Secret } from '@rungar/model';
import type { AwsRunner, AwsSettings } from '../src/aws/settings.js';

export const SELECTOR = { 'rungar.sh/managed': 'true', 'rungar.sh/installation': 'gh-4e3651f01be5' };

export function labelsOf(name: string): Record<string, string> {
  return {
    ...SELECTOR,
    'rungar.sh/scale-set': 'linux',
    'rungar.sh/runner': name,
    'rungar.sh/revision': 'a77297f56884',
  };
}

export function someSettings(more: Partial<AwsSettings> = {}): AwsSettings {
  return { region: 'eu-central-1', subnets: ['subnet-0a1b2c3d'], securityGroups: [], timeoutMs: 30_000, ...more };
}

export function someRunner(more: Partial<AwsRunner> = {}): AwsRunner {
  return {
    instanceTypes: ['m7i.xlarge'],
    image: 'ami-0a1b2c3d4e5f60718',
    diskSize: 50n * 1024n ** 3n,
    diskType: 'gp3',
    diskIops: 0,
    diskThroughput: 0,
    launchTemplate: '',
    spot: false,
    tags: undefined,
    userData: '#!/bin/sh\nexec /opt/run\n',
    ...more,
  };
}

export function someRequest(name = 'linux-1ff1015a', spec: Partial<AwsRunner> = {}): MachineRequest<AwsRunner> {
  return { name, labels: labelsOf(name), jitConfig: new Secret('a-registration-good-once'), spec: someRunner(spec) };
}
