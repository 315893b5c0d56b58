import { type MachineRequest, Secret } from '@rungar/model';
import type { DicerRunner } from '../src/dicer/settings.js';
import { labelsOf } from './aws-builders.js';

const GIB = 1024n ** 3n;
export const IMAGE = 'ghcr.io/actions/actions-runner:latest';

export function someDicerRunner(more: Partial<DicerRunner> = {}): DicerRunner {
  return {
    image: IMAGE,
    command: ['/home/runner/run.sh'],
    vcpus: 2,
    memory: 4n * GIB,
    disk: 20n * GIB,
    kernel: '',
    network: '',
    env: undefined,
    mounts: undefined,
    ...more,
  };
}

export function someDicerRequest(
  name = 'linux-1ff1015a',
  spec: Partial<DicerRunner> = {},
  jitConfig = 'a-registration-good-once',
): MachineRequest<DicerRunner> {
  return { name, labels: labelsOf(name), jitConfig: new Secret(jitConfig), spec: someDicerRunner(spec) };
}
