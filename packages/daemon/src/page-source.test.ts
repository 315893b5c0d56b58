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
  const source = createPageSource(reconciler, events, redactor);

  const told = JSON.stringify(source.status());
  expect(told.match(/401 for/g)).toHaveLength(5);
  expect(told).not.toContain(TOKEN);

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
