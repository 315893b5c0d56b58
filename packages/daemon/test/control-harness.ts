import { join } from 'node:path';
import type { GitHubClient } from '@rungar/github';
import { type Clock, createRedactor, systemClock } from '@rungar/model';
import { onTestFinished } from 'vitest';
import { openByHand } from '../src/by-hand/by-hand.js';
import { startAnswering } from '../src/control/answering.js';
import type { RunningConfig } from '../src/control/plan-service.js';
import { type ControlServer, serveControl } from '../src/control/server.js';
import { createControlService } from '../src/control/service.js';
import { type EventLog, openEventLog } from '../src/event-log.js';
import type { Reloaded } from '../src/reload/reload.js';
import { fakeGitHub } from './fake-github.js';
import { type FakeReconciler, fakeReconciler } from './fake-reconciler.js';
import { recordingLogger } from './recording-logger.js';
import { tempDir } from './temp-dir.js';

export interface ControlHarness {
  readonly path: string;
  readonly reconciler: FakeReconciler;
  readonly events: EventLog;
  readonly redactor: ReturnType<typeof createRedactor>;
  readonly logger: ReturnType<typeof recordingLogger>;
  readonly server: ControlServer;
}

/** The control API on a socket of its own, in front of a reconciler that says what the test tells it. */
export async function openControl(
  options: { github?: GitHubClient; clock?: Clock; config?: RunningConfig; reload?: () => Promise<Reloaded> } = {},
): Promise<ControlHarness> {
  const folder = await tempDir();
  const path = join(folder, 'rungar.sock');
  const reconciler = fakeReconciler();
  const redactor = createRedactor();
  const logger = recordingLogger();
  const events = await openEventLog({
    file: join(folder, 'events.jsonl'),
    maxCount: 10_000,
    clock: systemClock,
    logger,
    redactor,
  });
  const facts = {
    version: '1.2.3',
    commit: 'abc1234',
    startedAt: Date.UTC(2027, 0, 4, 9, 0, 0),
    configFile: '/etc/rungar/config.yaml',
    installation: 'gh-4e3651f01be5',
    github: { url: 'https://github.com/my-org', scope: 'organisation', credentials: 'App Iv23, installation 4711' },
  };
  const byHand = await openByHand({ path: join(folder, 'state.json'), reconciler, clock: systemClock, logger });
  const { config, reload } = options;
  const github = options.github ?? fakeGitHub(() => undefined);
  const service = createControlService({
    ...{
      facts,
      reconciler,
      github,
      events,
      byHand,
      machineTime: { ofScaleSet: () => 1.5, ofProvider: () => 2.5 },
      runnerVersions: {
        ofScaleSet: () => [
          { version: '2.335.1', runners: 2, endsAt: Date.UTC(2027, 0, 9), refused: false },
          { version: '2.337.0', runners: 1, refused: false },
        ],
      },
      clock: systemClock,
      redactor,
    },
    ...(reload && { reload }),
    ...(config && { runningConfig: () => config }),
  });
  const server = await serveControl({
    path,
    load: async () => startAnswering({ service, clock: options.clock ?? systemClock, redactor }),
    clock: options.clock ?? systemClock,
    logger,
    umask: (mask) => process.umask(mask),
  });
  onTestFinished(async () => {
    await server.close();
    byHand.close();
    await events.close();
  });
  return { path, reconciler, events, redactor, logger, server };
}
