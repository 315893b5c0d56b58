import { type GitHubEmulator, startGitHubEmulator } from '@rungar/emulators/github';
import {
  isRungarError,
  type JitRegistration,
  type MessageSession,
  type ScaleSetRecord,
  type ScaleSetService,
  Secret,
} from '@rungar/model';
import { expect, test } from 'vitest';
import { call, clientOf } from './clients.js';
import { quickClock } from './quick-clock.js';

const FAULTS = {
  'a 500': { kind: 'status', status: 500 },
  'a 503 with Retry-After': { kind: 'status', status: 503, retryAfter: 1 },
  'a 429 with Retry-After': { kind: 'status', status: 429, retryAfter: 1 },
  'a 403': { kind: 'status', status: 403, body: '{"message":"no"}' },
  'a 401': { kind: 'status', status: 401 },
  'plain text': { kind: 'text', status: 500 },
  'a page of a proxy': { kind: 'html' },
  'a reset': { kind: 'reset' },
  'a lost answer': { kind: 'lost' },
  'an empty body': { kind: 'empty' },
  'a byte order mark': { kind: 'bom' },
} as const;

/** Every call of the way of a job. */
const OPERATIONS = [
  'installation-token',
  'registration-token',
  'runner-registration',
  'find-scale-set',
  'create-scale-set',
  'create-session',
  'get-message',
  'acquire-jobs',
  'delete-message',
  'jit-config',
  'find-agent',
  'list-runners',
  'remove-agent',
  'delete-session',
];

const PAUSE_MS = 6_000;
const clock = quickClock();

/** Does again what failed, a little later by the client's clock, as whoever holds sessions and runners does. */
async function again<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (attempt === 4 || !isRungarError(error)) throw error;
      await clock.sleep(PAUSE_MS);
    }
  }
}

/** Registers a runner; a name that is taken is our own lost answer's, is cleaned up, and another is used. */
async function register(client: ScaleSetService, scaleSet: ScaleSetRecord): Promise<JitRegistration> {
  let count = 0;
  return again(async () => {
    const name = `linux-0000000${count++}`;
    try {
      return await client.createJitConfig(scaleSet, name, call);
    } catch (error) {
      const own = await client.findRunner(name, call);
      if (own) await client.removeRunner(own.id, call);
      throw error;
    }
  });
}

/** Opens the session; one whose answer was lost ends by itself. */
function open(github: GitHubEmulator, client: ScaleSetService, scaleSet: ScaleSetRecord): Promise<MessageSession> {
  return again(async () => {
    try {
      return await client.openSession(scaleSet, 'me', call);
    } catch (error) {
      if (github.sessions().length > 0) await github.until(() => github.sessions().length === 0);
      throw error;
    }
  });
}

/** Brings one job from the queue to its end, with a second runner that is given back idle. */
async function runJob(github: GitHubEmulator, client: ScaleSetService): Promise<void> {
  const scaleSet = await again(
    async () =>
      (await client.findScaleSet('linux', 'Default', call)) ??
      (await client.createScaleSet('linux', 'Default', ['linux'], call)),
  );
  github.queueJob({ labels: ['linux'], seconds: 0.01 });
  const stopping = new AbortController();
  const closed: Promise<void>[] = [];
  const listening = (async () => {
    while (!stopping.signal.aborted) {
      const session = await open(github, client, scaleSet);
      const handler = { onStatistics() {}, onJobStarted() {}, onJobCompleted() {} };
      await session.listen(handler, { signal: stopping.signal, capacity: () => 3 }).catch(() => {});
      closed.push(session.close());
      await closed.at(-1);
    }
  })();
  await github.until(() => github.jobs().at(-1)?.state === 'assigned');
  const idle = await register(client, scaleSet);
  expect((await again(() => client.runnerStatuses({ ...call, begunAfter: 0 }))).runners.has(idle.runnerName)).toBe(
    true,
  );
  expect((await again(() => client.findRunner(idle.runnerName, call)))?.id).toBe(idle.runnerId);
  await again(() => client.removeRunner(idle.runnerId, call));
  const working = await register(client, scaleSet);
  github.startRunner(working.jitConfig.reveal());
  await github.until(() => github.jobs().at(-1)?.state === 'completed');
  stopping.abort(new Error('done'));
  await listening;
}

test.each(Object.entries(FAULTS))(
  '%s at any call of a job loses no job, runs none twice and leaves nothing behind',
  async (_, fault) => {
    const github = await startGitHubEmulator({ personality: 'acquire', pollHoldMs: 20, sessionExpiryMs: 100 });
    const { clientId, installationId, privateKey } = await github.createApp();
    const credentials = { kind: 'app', clientId, installationId, privateKey: new Secret(privateKey) } as const;
    try {
      for (const operation of OPERATIONS) {
        for (const { id } of github.scaleSets()) github.purgeScaleSet(id);
        github.clearFaults();
        github.setFault({ operation, ...fault });
        const before = github.counts.get(operation) ?? 0;
        const client = clientOf(github.configUrl, { credentials, clock });
        await runJob(github, client);
        await client.close();
        await github.until(() => github.sessions().length === 0);
        expect([operation, (github.counts.get(operation) ?? 0) > before]).toEqual([operation, true]);
        const job = github.jobs().at(-1);
        expect([operation, job?.result, job?.requeued]).toEqual([operation, 'succeeded', 0]);
        expect([operation, github.runners()]).toEqual([operation, []]);
        expect([operation, github.scaleSets().length]).toEqual([operation, 1]);
      }
      expect(github.failures).toEqual([]);
    } finally {
      await github.close();
    }
  },
);
