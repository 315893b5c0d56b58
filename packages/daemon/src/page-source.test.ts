import { createRedactor, silentLogger } from '@rungar/model';
import { fakeClock } from '@rungar/model/testing';
import { expect, onTestFinished, test } from 'vitest';
import { fakeReconciler, providerStatus, scaleSetStatus } from '../test/fake-reconciler.js';
import { tempDir } from '../test/temp-dir.js';
import { openEventLog } from './event-log.js';
import { createPageSource } from './page-source.js';

const TOKEN = 'ghp_0123456789abcdef';

test('the page is told how things stand and what happens, and no secret in it', async () => {
  const redactor = createRedactor();
  redactor.hold(TOKEN);
  const clock = fakeClock();
  const file = `${await tempDir()}/events.jsonl`;
  const events = await openEventLog({ file, maxCount: 10, clock, logger: silentLogger, redactor });
  onTestFinished(() => events.close());
  const reconciler = fakeReconciler();
  const said = `401 for ${TOKEN}`;
  reconciler.scaleSetStatuses = [scaleSetStatus('vm', { phase: 'failed', phaseReason: said })];
  reconciler.providerStatuses = [
    providerStatus('rack', {
      ...{ reachable: false, error: said },
      scaleSets: [{ scaleSet: 'vm', refusals: 1, refusal: said, full: false }],
      slowed: [{ scaleSet: 'vm', why: said, nextTryInMs: 1_000 }],
      undeletable: [{ runner: 'vm-1', attempts: 2, error: said }],
    }),
  ];
  const until = clock.wallNow() + 60_000;
  const source = createPageSource({
    ...{ reconciler, events, clock, redactor },
    github: {
      standing: () => ({ rateLimit: { limit: 5000, remaining: 4000, resetsInMs: 1000 }, credentialExpiresInMs: 2000 }),
    },
    byHand: {
      pauseOf: () => ({ kept: true, reason: said, until }),
      disablingOf: () => ({ kept: false, reason: said }),
    },
    machineTime: { ofScaleSet: () => 1.5, ofProvider: () => 2.5 },
    runnerVersions: { ofScaleSet: () => [{ version: '2.337.0', runners: 1, refused: false }] },
  });

  const told = JSON.stringify(source.status());
  expect(told.match(/401 for/g)).toHaveLength(7);
  expect(told).not.toContain(TOKEN);

  const now = clock.wallNow();
  expect(source.status()).toMatchObject({
    github: { rateLimit: { limit: 5000, remaining: 4000, resetsAt: now + 1000 }, credentialEndsAt: now + 2000 },
    scaleSets: [{ pause: { until }, role: 'lead', machineHours: 1.5, versions: [{ version: '2.337.0' }] }],
    providers: [{ machineHours: 2.5 }],
  });

  events.record({ name: 'vm-1', action: 'created', message: said });
  const over = new AbortController();
  const { history, coming } = source.followEvents(over.signal);
  expect(history).toEqual(source.recentEvents());
  events.record({ name: 'vm-2', action: 'created' });
  for await (const event of coming) {
    expect(event.name).toBe('vm-2');
    break;
  }
  expect(JSON.stringify(source.recentEvents())).not.toContain(TOKEN);
});
