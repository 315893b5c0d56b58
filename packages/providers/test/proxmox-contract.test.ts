import { describe, expect, test } from 'vitest';
import { providerContract } from '../src/testing/contract.js';
import { startPveHarness } from './pve-harness.js';

providerContract(
  { describe, test, expect },
  {
    type: 'proxmox',
    start: startPveHarness,
    limits: { console: 'a cluster keeps no consoles' },
  },
);
