import { beforeAll, describe, expect, test } from 'vitest';
import { providerContract } from '../src/testing/contract.js';
import { startGceHarness, WARM_UP_MS, warmUp } from './gce-harness.js';

beforeAll(warmUp, WARM_UP_MS);

providerContract({ describe, test, expect }, { type: 'gcp', start: startGceHarness });
