import { describe, expect, test } from 'vitest';
import { providerContract } from '../src/testing/contract.js';
import { startEc2Harness } from './ec2-harness.js';

providerContract({ describe, test, expect }, { type: 'aws', start: startEc2Harness });
