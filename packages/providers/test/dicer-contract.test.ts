import { describe, expect, test } from 'vitest';
import { providerContract } from '../src/testing/contract.js';
import { dicerHarness } from './dicer-harness.js';

describe('over a socket', () =>
  providerContract({ describe, test, expect }, { type: 'dicer', start: dicerHarness('socket') }));
describe('over TLS', () => providerContract({ describe, test, expect }, { type: 'dicer', start: dicerHarness('tls') }));
