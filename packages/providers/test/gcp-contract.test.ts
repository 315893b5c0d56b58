import { describe, expect, test } from 'vitest';
import { providerContract } from '../src/testing/contract.js';
import { startGceHarness } from './gce-harness.js';

providerContract({ describe, test, expect }, { type: 'gcp', start: startGceHarness });
