import type { Fault } from '@rungar/emulators';
import type { Ec2Emulator, EmulatedInstance } from '@rungar/emulators/aws';
import type { Watch } from './watch.js';
import { type ChaosWorld, SETS } from './world.js';

const GITHUB_CALLS = [
  ...['get-message', 'get-message', 'delete-message', 'create-session', 'delete-session', 'refresh-session'],
  ...['jit-config', 'jit-config', 'find-agent', 'remove-agent', 'remove-agent', 'list-runners', 'list-runners'],
  ...['installation-token', 'registration-token', 'runner-registration', 'find-scale-set', 'get-scale-set'],
  ...['acquire-jobs', 'acquirable-jobs'],
] as const;
const EC2_CALLS = [
  'RunInstances',
  'RunInstances',
  'DescribeInstances',
  'TerminateInstances',
  'DescribeImages',
] as const;
const EC2_CODES = [
  ...['InsufficientInstanceCapacity', 'VcpuLimitExceeded', 'MaxSpotInstanceCountExceeded', 'RequestLimitExceeded'],
  ...['InternalError', 'Unavailable', 'UnauthorizedOperation', 'Unsupported', 'InvalidParameterValue'],
] as const;
const SPECIALS: readonly (readonly [string, string])[] = [
  ['get-message', 'duplicate'],
  ['get-message', 'zero-statistics'],
  ['get-message', 'null-statistics'],
  ['get-message', 'unknown-message'],
  ['get-message', 'unknown-entry'],
  ['create-session', 'empty-queue-url'],
  ['create-session', 'null-statistics'],
];
const RUNNER_CALLS = ['runner-connect', 'runner-job', 'runner-job', 'runner-finish', 'runner-cancellation'] as const;
const STATUSES = [500, 502, 503, 504, 408, 401, 429] as const;

/** One way to make trouble. @returns what ends it, where it does not end by itself, and what to say of it */
type Trouble = () => { readonly what: string; readonly end?: () => void; readonly forMs?: number };

export interface Mischief {
  /** Makes some trouble now. @returns what it was */
  strike(): string;
  /** Ends all trouble. */
  calm(): void;
}

/** Everything that can go wrong at GitHub and EC2, chosen at random. */
export function mischief(world: ChaosWorld, { doings, liveOf }: Watch): Mischief {
  const SECOND = 1_000 / world.shortened;
  const { random, github, accounts, clock } = world;
  const { sessionExpiryMs } = github.settings;
  const ending = new Set<() => void>();
  const among = <T>(values: readonly T[]): T => {
    if (values.length === 0) throw new Error('nothing to choose from');
    return values[Math.floor(random.fraction() * values.length)] as T;
  };
  const between = (least: number, most: number): number => Math.round(least + random.fraction() * (most - least));
  const account = (): [string, Ec2Emulator] => among([...accounts]);

  const ours = (): EmulatedInstance[] => SETS.flatMap(({ name }) => liveOf(name));
  const unprotect = (ec2: Ec2Emulator, id: string): void => {
    if (ec2.instances().some((instance) => instance.id === id)) ec2.protect(id, false);
  };
  const set = (settings: Partial<typeof github.settings>): void => void Object.assign(github.settings, settings);
  /** Holds a session as somebody else. @returns lets go of it */
  const hold = (scaleSetId: number): (() => void) => {
    const release = github.holdSession(scaleSetId, 'somebody-else');
    return () => {
      if (github.scaleSets().some(({ id }) => id === scaleSetId)) release();
    };
  };

  /** What every second world has all the time: a few calls in a hundred end badly, and EC2 lags. */
  const makeNoise = (): void => {
    github.setFault({ operation: '*', kind: 'reset', rate: 0.02 });
    github.setFault({ operation: '*', kind: 'lost', rate: 0.02 });
    github.setFault({ operation: '*', kind: 'status', status: 502, rate: 0.02 });
    for (const ec2 of accounts.values()) {
      ec2.fault({ operation: 'RunInstances', kind: 'lost', rate: 0.1 });
      ec2.fault({ operation: 'TerminateInstances', kind: 'lost', rate: 0.1 });
      ec2.fault({ operation: 'DescribeInstances', kind: 'reset', rate: 0.1 });
      ec2.setLag({ missingMs: 20 * SECOND, notFoundMs: 10 * SECOND, untaggedMs: 25 * SECOND, stateMs: 10 * SECOND });
    }
  };

  const httpFault = (operation: string): Fault => {
    const times = between(1, 4);
    const kind = among([
      'status',
      'status',
      'html',
      'text',
      'reset',
      'lost',
      'lost',
      'hang',
      'slow',
      'empty',
      'bom',
    ] as const);
    const rest = { operation, times };
    switch (kind) {
      case 'status': {
        const status = among(STATUSES);
        return { ...rest, kind, status, ...(status === 429 && { retryAfter: between(1, 40 / world.shortened) }) };
      }
      case 'slow':
        return { ...rest, kind, delayMs: between(SECOND, 30 * SECOND) };
      case 'hang':
        return { ...rest, kind, times: 1 };
      default:
        return { ...rest, kind };
    }
  };

  const github404 = (): Fault => ({
    operation: among(['remove-agent', 'find-agent', 'list-runners', 'get-message', 'create-session', 'jit-config']),
    kind: among(['html', 'status', 'text']),
    status: among([403, 404]),
    times: between(1, 3),
  });

  const troubles: readonly (readonly [weight: number, trouble: Trouble])[] = [
    [
      10,
      () => {
        const fault = httpFault(among(GITHUB_CALLS));
        github.setFault(fault);
        return { what: `github ${fault.operation} ${fault.kind} ${fault.status ?? ''} x${fault.times}` };
      },
    ],
    [
      3,
      () => {
        const fault = github404();
        github.setFault(fault);
        return { what: `github ${fault.operation} proxy page ${fault.status} x${fault.times}` };
      },
    ],
    [
      4,
      () => {
        const [operation, special] = among(SPECIALS);
        github.setFault({ operation, kind: 'special', special, times: between(1, 3) });
        return { what: `github ${operation} ${special}` };
      },
    ],
    [
      2,
      () => {
        const operation = among(['*', 'get-message', 'list-runners', 'remove-agent', 'jit-config'] as const);
        github.setFault({ operation, kind: 'status', status: 502, rate: 0.7 });
        return { what: `github outage of ${operation}`, end: () => github.clearFaults(operation) };
      },
    ],
    [
      2,
      () => {
        const kind = among(['installation', 'admin', 'queue'] as const);
        github.expireTokens(kind);
        return { what: `github ${kind} tokens expire` };
      },
    ],
    [
      1,
      () => {
        const scaleSet = among(github.scaleSets().length > 0 ? github.scaleSets() : [undefined]);
        if (!scaleSet) return { what: 'nothing to purge' };
        doings.purged.set(scaleSet.name, clock.now());
        doings.lastUpset = clock.now();
        github.purgeScaleSet(scaleSet.id);
        return { what: `github purges ${scaleSet.name}` };
      },
    ],
    [
      2,
      () => {
        set({ jobStartedDelayMs: 50 * SECOND });
        return { what: 'github tells late of started jobs', end: () => set({ jobStartedDelayMs: 0 }) };
      },
    ],
    [
      1,
      () => {
        set({ sessionExpiryMs: 1 });
        return { what: 'github forgets sessions at once', end: () => set({ sessionExpiryMs }) };
      },
    ],
    [
      2,
      () => {
        const free = github
          .scaleSets()
          .find(({ name }) => !github.sessions().some(({ scaleSet }) => scaleSet === name));
        if (!free) return { what: 'every session is held' };
        doings.lastUpset = clock.now();
        return { what: `somebody else holds the session of ${free.name}`, end: hold(free.id) };
      },
    ],
    [
      10,
      () => {
        const [name, ec2] = account();
        const fault = httpFault(among(EC2_CALLS));
        ec2.fault(fault);
        return { what: `${name} ${fault.operation} ${fault.kind} ${fault.status ?? ''} x${fault.times}` };
      },
    ],
    [
      5,
      () => {
        const [name, ec2] = account();
        const code = among(EC2_CODES);
        const action = among(EC2_CALLS);
        const times = between(1, 4);
        ec2.refuseNext(action, code, times);
        return { what: `${name} refuses ${action} with ${code} x${times}` };
      },
    ],
    [
      2,
      () => {
        const [name, ec2] = account();
        ec2.setStock({}, between(0, 2));
        return { what: `${name} has little in stock`, end: () => ec2.setStock({}, undefined) };
      },
    ],
    [
      2,
      () => {
        const [name, ec2] = account();
        ec2.setThrottle('RunInstances', { bucket: 1, perSecond: 0.2 });
        ec2.setThrottle('TerminateInstances', { bucket: 1, perSecond: 0.2 });
        return {
          what: `${name} throttles`,
          end: () => {
            ec2.setThrottle('RunInstances', { bucket: 5, perSecond: 2 });
            ec2.setThrottle('TerminateInstances', undefined);
          },
        };
      },
    ],
    [
      3,
      () => {
        const [name, ec2] = account();
        const lag = {
          missingMs: between(0, 30) * SECOND,
          notFoundMs: between(0, 30) * SECOND,
          untaggedMs: between(0, 40) * SECOND,
          stateMs: between(0, 20) * SECOND,
        };
        ec2.setLag(lag);
        return { what: `${name} lags ${JSON.stringify(lag)}`, end: () => ec2.setLag({}) };
      },
    ],
    [
      3,
      () => {
        const [name, ec2] = account();
        ec2.failNextLaunches(between(1, 2));
        return { what: `${name} launches come to nothing` };
      },
    ],
    [
      4,
      () => {
        const spots = [...accounts.values()].flatMap((ec2) =>
          ec2
            .instances()
            .filter(({ spot, state }) => spot && state === 'running')
            .map(({ id, name }) => ({ id, name, ec2 })),
        );
        const spot = spots.length > 0 ? among(spots) : undefined;
        if (!spot) return { what: 'no spot machine to take back' };
        doings.taken.add(spot.name);
        spot.ec2.reclaimSpot(spot.id);
        return { what: `spot machine ${spot.name} is taken back` };
      },
    ],
    [
      2,
      () => {
        const [name, ec2] = account();
        ec2.fault({ operation: 'DescribeInstances', kind: 'status', status: 503, rate: 1 });
        return { what: `${name} cannot be listed`, end: () => ec2.clearFaults() };
      },
    ],
    [
      2,
      () => {
        const [name, ec2] = account();
        ec2.echoNextRequest(among(['RunInstances', 'TerminateInstances', 'DescribeInstances']));
        return { what: `${name} repeats a request in an error` };
      },
    ],
    [
      4,
      () => {
        const operation = among(RUNNER_CALLS);
        const fault = among<Fault>([
          { operation, kind: 'hang', times: 1 },
          { operation, kind: 'lost', times: between(1, 3) },
          { operation, kind: 'status', status: 500, times: between(1, 60) },
        ]);
        github.setFault(fault);
        return { what: `runners: ${operation} ${fault.kind} x${fault.times}` };
      },
    ],
    [
      2,
      () => {
        const [name, ec2] = account();
        const victim = among([undefined, ...ours()]);
        if (!victim) return { what: 'no machine to copy' };
        doings.copied.add(victim.name);
        ec2.addForeignInstance({ tags: victim.tags, ageMs: between(0, 60) * SECOND });
        return { what: `${victim.name} is launched once more in ${name}` };
      },
    ],
    [
      2,
      () => {
        const victim = among([undefined, ...ours()]);
        const ec2 = [...accounts.values()].find((one) => one.instances().some(({ id }) => id === victim?.id));
        if (!victim || !ec2) return { what: 'no machine to protect' };
        ec2.protect(victim.id);
        return { what: `${victim.name} cannot be terminated`, end: () => unprotect(ec2, victim.id) };
      },
    ],
    [
      2,
      () => {
        const [name, ec2] = account();
        const action = among(EC2_CALLS);
        ec2.deny(action);
        return { what: `${name} denies ${action}`, end: () => ec2.deny(action, false) };
      },
    ],
    [
      2,
      () => {
        const stolen = among([undefined, ...github.sessions()]);
        const scaleSet = github.scaleSets().find(({ name }) => name === stolen?.scaleSet);
        if (!scaleSet) return { what: 'no session to steal' };
        doings.lastUpset = clock.now();
        let release = (): void => {};
        let over = false;
        const stop = github.on((event) => {
          if (event.type !== 'session' || event.session.scaleSet !== scaleSet.name || event.change === 'opened') return;
          stop();
          setImmediate(() => {
            if (!over && !github.sessions().some((session) => session.scaleSet === scaleSet.name))
              release = hold(scaleSet.id);
          });
        });
        return {
          what: `the next to leave ${scaleSet.name} loses it to somebody else`,
          end: () => {
            over = true;
            stop();
            release();
          },
        };
      },
    ],
    [
      1,
      () => {
        github.setFault({ operation: '*', kind: among(['status', 'reset', 'hang'] as const), status: 503, rate: 1 });
        return { what: 'github is down', end: () => github.clearFaults(), forMs: between(1, 12) * 60 * SECOND };
      },
    ],
    [
      1,
      () => {
        const [name, ec2] = account();
        doings.lastUpset = clock.now() + 10 * 60 * SECOND;
        ec2.fault({ operation: 'DescribeInstances', kind: 'status', status: 503, rate: 1 });
        return { what: `${name} cannot be listed for long`, end: () => ec2.clearFaults(), forMs: 6 * 60 * SECOND };
      },
    ],
  ];
  const total = troubles.reduce((sum, [weight]) => sum + weight, 0);

  if (random.fraction() < 0.5) makeNoise();

  return {
    strike() {
      let at = random.fraction() * total;
      for (const [weight, trouble] of troubles) {
        at -= weight;
        if (at >= 0) continue;
        const { what, end, forMs = between(10, 180) * SECOND } = trouble();
        if (end) {
          const once = (): void => {
            if (ending.delete(once)) end();
          };
          ending.add(once);
          clock.after(forMs, once);
        }
        return what;
      }
      return 'nothing';
    },
    calm() {
      for (const end of [...ending]) end();
      github.clearFaults();
      for (const ec2 of accounts.values()) {
        ec2.clearFaults();
        ec2.setLag({});
      }
    },
  };
}

/** Queues a few jobs at random, and cancels one now and then. */
export function makeLoad({ github, random, shortened }: ChaosWorld, { doings }: Watch): string {
  const { label } = SETS[Math.floor(random.fraction() * SETS.length)] ?? { label: 'linux' };
  const count = 1 + Math.floor(random.fraction() ** 4 * 8);
  const jobs = github.queueJobs(
    Array.from({ length: count }, () => ({
      labels: [label],
      seconds: Math.ceil((5 + random.fraction() ** 3 * 100) / shortened),
      fail: random.fraction() < 0.1,
    })),
  );
  const unlucky = random.fraction() < 0.15 ? jobs.slice(0, Math.ceil(random.fraction() * jobs.length)) : [];
  for (const { id } of unlucky) {
    doings.cancelled.add(id);
    setTimeout(() => github.cancelJob(id), random.fraction() * 3_000);
  }
  return `${count} jobs for ${label}${unlucky.length > 0 ? `, ${unlucky.length} to be cancelled` : ''}`;
}
