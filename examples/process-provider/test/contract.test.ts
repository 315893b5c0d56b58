import { providerContract } from '@rungar/providers/testing';
import { describe, expect, test } from 'vitest';
import { type Step, startHost } from './harness.js';

const steps: readonly Step[] = ['keep', 'start'];
for (const step of steps) {
  const type = `process (creations that go wrong at "${step}")`;
  providerContract({ describe, test, expect }, { type, start: () => startHost(step) });
}
