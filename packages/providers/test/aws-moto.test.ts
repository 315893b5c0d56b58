import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { providerContract } from '../src/testing/contract.js';
import { MOTO_LIMITS, motoHarnesses } from './moto-harness.js';
import { hasMoto, type MotoServer, startMoto } from './moto-server.js';

if (hasMoto()) {
  vi.setConfig({ testTimeout: 60_000 }); // it is slow, and slower beside other tests
  describe('against moto_server', () => {
    let moto: MotoServer;
    let start: ReturnType<typeof motoHarnesses>;
    beforeAll(async () => {
      moto = await startMoto();
      start = motoHarnesses(moto.url);
    }, 60_000);
    afterAll(() => moto.stop());
    providerContract({ describe, test, expect }, { type: 'aws', start: () => start(), limits: MOTO_LIMITS });
  });
} else {
  test.skip('the aws provider against moto_server (not run: moto_server is not installed)', () => {});
}
