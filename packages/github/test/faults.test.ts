import { type GitHubEmulator, type GitHubEmulatorOptions, startGitHubEmulator } from '@rungar/emulators/github';
import {
  isRungarError,
  type JitRegistration,
  type MessageSession,
  type ScaleSetRecord,
  type ScaleSetService,
} from '@rungar/model';
import { describe, expect, test, vi } from 'vitest';
import { APP, APP_PUBLIC_KEY, call, clientOf } from './clients.js';
import { type QuickClock, quickClock } from './quick-clock.js';

// Some run at a time, on machines that may be busy with other tests.
vi.setConfig({ testTimeout: 60_000 });

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
  'a slow answer': { kind: 'slow', delayMs: 15 },
  'no answer at all': { kind: 'hang' },
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

/** Does again what failed, a little later by the client's clock, as whoever holds sessions and runners does. */
type Again = <T>(work: () => Promise<T>) => Promise<T>;

const againBy =
  (clock: QuickClock): Again =>
  async (work) => {
    for (let attempt = 0; ; attempt++) {
      try {
        return await work();
      } catch (error) {
        if (attempt === 6 || !isRungarError(error)) throw error;
        await clock.sleep(PAUSE_MS);
      }
    }
  };

/** A small daemon: one scale set, whose id it looks up again when GitHub does not know it any more. */
class Listener {
  readonly #github: GitHubEmulator;
  readonly #client: ScaleSetService;
  readonly #again: Again;
  readonly #stop = new AbortController();
  #scaleSet: ScaleSetRecord | undefined;
  #runners = 0;

  constructor(github: GitHubEmulator, client: ScaleSetService, again: Again) {
    this.#github = github;
    this.#client = client;
    this.#again = again;
  }

  /** Holds a session, and opens another when it is lost, until it is stopped. */
  async listen(): Promise<void> {
    const handler = { onStatistics() {}, onJobStarted() {}, onJobCompleted() {} };
    while (!this.#stop.signal.aborted) {
      const session = await this.#open();
      await session.listen(handler, { signal: this.#stop.signal, capacity: () => 3 }).catch(() => {});
      await session.close();
    }
  }

  stop(): void {
    this.#stop.abort(new Error('stopped'));
  }

  /** Registers a runner; a name that is taken is our own lost answer's, is cleaned up, and another is used. */
  register(): Promise<JitRegistration> {
    return this.#again(async () => {
      const name = `linux-${String(this.#runners++).padStart(8, '0')}`;
      try {
        return await this.#client.createJitConfig(await this.#find(), name, call);
      } catch (error) {
        this.#forgetIfGone(error);
        const own = await this.#client.findRunner(name, call);
        if (own) await this.#client.removeRunner(own.id, call);
        throw error;
      }
    });
  }

  async #find(): Promise<ScaleSetRecord> {
    this.#scaleSet ??=
      (await this.#client.findScaleSet('linux', 'Default', call)) ??
      (await this.#client.createScaleSet('linux', 'Default', ['linux'], call));
    return this.#scaleSet;
  }

  /** Opens the session; one whose answer was lost ends by itself. */
  #open(): Promise<MessageSession> {
    return this.#again(async () => {
      try {
        return await this.#client.openSession(await this.#find(), 'me', call);
      } catch (error) {
        this.#forgetIfGone(error);
        const isOurs = () => this.#github.sessions().some(({ ownerName }) => ownerName === 'me');
        await this.#github.until(() => !isOurs());
        throw error;
      }
    });
  }

  #forgetIfGone(error: unknown): void {
    if (this.#client.refusalOf(error) === 'scale_set_gone') this.#scaleSet = undefined;
  }
}

/** Brings one job from the queue to its end, with a second runner that is given back idle. */
async function runJob(
  github: GitHubEmulator,
  client: ScaleSetService,
  again: Again,
  mayVanish: boolean,
): Promise<void> {
  const listener = new Listener(github, client, again);
  github.queueJob({ labels: ['linux'], seconds: 0.01 });
  const listening = listener.listen();
  const reached = (state: string) =>
    Promise.race([listening, github.until(() => github.jobs().at(-1)?.state === state)]);
  await reached('assigned');
  const idle = await listener.register();
  const { runners } = await again(() => client.runnerStatuses({ ...call, begunAfter: 0 }));
  const found = await again(() => client.findRunner(idle.runnerName, call));
  if (!mayVanish) expect([runners.has(idle.runnerName), found?.id]).toEqual([true, idle.runnerId]);
  await again(() => client.removeRunner(idle.runnerId, call));
  const working = await listener.register();
  github.startRunner(working.jitConfig.reveal());
  await reached('completed');
  listener.stop();
  await listening;
}

interface Trial {
  readonly operation: string;
  /** Sets the trouble up before the client begins. */
  readonly prepare?: (github: GitHubEmulator) => void;
  /** Called whenever a call was answered, from the first call of the operation on. */
  readonly afterwards?: (github: GitHubEmulator) => void;
  /** Whether the operation is never answered, so that a time limit has to pass. */
  readonly hangs?: boolean;
  /** Whether the trouble takes runners away. */
  readonly mayVanish?: boolean;
}

/** Runs a job through each trial, and looks at how things stand at its end. */
async function everyTrial(options: GitHubEmulatorOptions, trials: readonly Trial[]): Promise<void> {
  const github = await startGitHubEmulator({ pollHoldMs: 20, sessionExpiryMs: 100, ...options });
  const { clientId, installationId } = await github.createApp({ publicKey: APP_PUBLIC_KEY });
  const credentials = { ...APP, clientId, installationId };
  const clock = quickClock();
  const again = againBy(clock);
  try {
    for (const { operation, prepare, afterwards, hangs = false, mayVanish = false } of trials) {
      for (const { id } of github.scaleSets()) github.purgeScaleSet(id);
      github.clearFaults();
      prepare?.(github);
      const before = github.counts.get(operation) ?? 0;
      const wasCalled = () => (github.counts.get(operation) ?? 0) > before;
      const onRequest = () => {
        if (wasCalled()) afterwards?.(github);
      };
      const client = clientOf(github.configUrl, { credentials, clock, onRequest });
      const done = new AbortController();
      if (hangs) void expireOnce(clock, wasCalled, done.signal);
      await runJob(github, client, again, mayVanish);
      done.abort();
      await client.close();
      await github.until(() => github.sessions().length === 0);
      expect([operation, wasCalled()]).toEqual([operation, true]);
      const job = github.jobs().at(-1);
      expect([operation, job?.result, job?.requeued]).toEqual([operation, 'succeeded', 0]);
      expect([operation, github.runners()]).toEqual([operation, []]);
      expect([operation, github.scaleSets().length]).toEqual([operation, 1]);
    }
    expect(github.failures).toEqual([]);
  } finally {
    await github.close();
  }
}

/** Lets the client's time limits pass once `due` holds. */
async function expireOnce(clock: QuickClock, due: () => boolean, signal: AbortSignal): Promise<void> {
  while (!due() && !signal.aborted) await new Promise((resolve) => setImmediate(resolve));
  clock.expire();
}

const NOTHING_LOST = 'loses no job, runs none twice and leaves nothing behind';

describe.concurrent.each(Object.entries(FAULTS))('%s', (_, fault) => {
  test(`at any call of a job ${NOTHING_LOST}`, () =>
    everyTrial(
      { personality: 'acquire' },
      OPERATIONS.map((operation) => ({
        operation,
        prepare: (github) => github.setFault({ operation, ...fault }),
        hangs: fault.kind === 'hang',
      })),
    ));
});

test.concurrent.each([
  ['runner-registration', 'short-expiry'],
  ['create-session', 'empty-queue-url'],
  ['create-session', 'null-statistics'],
  ['get-message', 'zero-statistics'],
  ['get-message', 'null-statistics'],
  ['get-message', 'unknown-message'],
  ['get-message', 'unknown-entry'],
  ['get-message', 'duplicate'],
])(`%s with the service's own fault %s ${NOTHING_LOST}`, (operation, special) =>
  everyTrial({}, [{ operation, prepare: (github) => github.setFault({ operation, kind: 'special', special }) }]),
);

test.concurrent.each(['empty-queue-url', 'null-statistics'])(
  `a renewed session with the fault %s ${NOTHING_LOST}`,
  (special) =>
    everyTrial({}, [
      {
        operation: 'refresh-session',
        prepare(github) {
          github.setFault({ operation: 'get-message', kind: 'status', status: 401 });
          github.setFault({ operation: 'refresh-session', kind: 'special', special });
        },
      },
    ]),
);

test.concurrent(`that members are written with capitals ${NOTHING_LOST}`, () =>
  everyTrial({ capitalMembers: true, personality: 'acquire' }, [{ operation: 'get-message' }]));

/** What GitHub may do of itself at any moment. Each says whether it could be done. */
const EVENTS: Readonly<Record<string, (github: GitHubEmulator) => boolean>> = {
  'all installation tokens end': (github) => {
    github.expireTokens('installation');
    return true;
  },
  'all admin tokens end': (github) => {
    github.expireTokens('admin');
    return true;
  },
  'all queue tokens end': (github) => {
    if (github.sessions().length === 0) return false;
    github.expireTokens('queue');
    return true;
  },
  'the session ends': (github) => {
    const [session] = github.sessions();
    if (session) github.endSession(session.id);
    return session !== undefined;
  },
  'the scale set is purged': (github) => {
    const [scaleSet] = github.scaleSets();
    if (scaleSet) github.purgeScaleSet(scaleSet.id);
    return scaleSet !== undefined;
  },
};

/** Does something once, as soon as it can be done. */
function once(event: (github: GitHubEmulator) => boolean): (github: GitHubEmulator) => void {
  let done = false;
  return (github) => {
    if (!done) done = event(github);
  };
}

test.concurrent.each(Object.entries(EVENTS))(`that %s after any call of a job ${NOTHING_LOST}`, (_, event) =>
  everyTrial(
    {},
    OPERATIONS.filter((operation) => operation !== 'acquire-jobs' && operation !== 'delete-session').map(
      (operation) => ({ operation, afterwards: once(event), mayVanish: true }),
    ),
  ),
);

test.concurrent(`somebody else who takes the session after any call of a job, for three tries, ${NOTHING_LOST}`, async () => {
  const takeOver = () => {
    let until: number | undefined;
    let release = (): void => {};
    return (github: GitHubEmulator) => {
      const tries = github.counts.get('create-session') ?? 0;
      if (until !== undefined) {
        if (tries >= until) release();
        return;
      }
      const [scaleSet] = github.scaleSets();
      if (!scaleSet) return;
      const [session] = github.sessions();
      if (session) github.endSession(session.id);
      release = github.holdSession(scaleSet.id, 'somebody');
      until = tries + 3;
    };
  };
  await everyTrial(
    {},
    OPERATIONS.filter((operation) => operation !== 'acquire-jobs' && operation !== 'delete-session').map(
      (operation) => ({ operation, afterwards: takeOver() }),
    ),
  );
});
