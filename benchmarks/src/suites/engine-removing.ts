import { strict as assert } from 'node:assert';
import type { Benchmark, Lab, Measurement, Result } from '../benchmark.js';
import { oncePerRun } from '../once.js';
import { awsOn, EC2_SPEC, type StandingEc2, standingEc2 } from './engine-ec2.js';
import { type EngineWorld, newClock, openEngine, START_MS, scaleSetOn } from './engine-world.js';

const RUNNERS = 500;
const REMOVALS_AT_ONCE = 8;
const REMOVE_MS = 100;
const TERMINATE_MS = 300;
const TERMINATION = 100;
const MESSAGES = 20;
const MESSAGE_EVERY_MS = 1_000;
const TURNING_BUSY = 100;
const SET = 'linux';
const PROVIDER = 'frankfurt';

interface Standing extends EngineWorld {
  readonly aws: StandingEc2;
  readonly names: readonly string[];
}

/** Five hundred runners that were made here, are connected, and have nothing to do. */
async function fiveHundred(lab: Lab): Promise<Standing> {
  const clock = newClock();
  const aws = standingEc2(clock);
  const provider = awsOn(aws.ec2, clock, lab.seed);
  const world = openEngine(lab, {
    clock,
    scaleSets: [scaleSetOn(SET, RUNNERS, [PROVIDER], EC2_SPEC)],
    providers: [{ name: PROVIDER, provider }],
  });
  const { github, reconciler } = world;
  aws.onMade = (name) => github.connect(name);
  reconciler.start();
  await clock.advance(START_MS);
  github.assign(SET, RUNNERS);
  await world.until(() => countOf(world, 'idle') === RUNNERS, 1_000);
  assert.equal(aws.instances.size, RUNNERS);
  return { ...world, aws, names: [...github.runners.keys()] };
}

const countOf = ({ reconciler }: EngineWorld, state: 'idle' | 'busy'): number =>
  reconciler.scaleSets()[0]?.counts?.[state] ?? 0;

interface Removal {
  readonly makespanMs: number;
  readonly removals: number;
  readonly lookUps: number;
  readonly describes: number;
  readonly terminations: number;
  readonly left: number;
  readonly registered: number;
}

/** All of them become one too many at once. */
async function removeAll(lab: Lab, before: (standing: Standing) => void, left = 0): Promise<Removal> {
  const standing = await fiveHundred(lab);
  const { clock, github, aws, until } = standing;
  // Right after a pass, so that none falls into what is measured.
  await until(() => clock.now() % 30_000 === START_MS, 10);
  await clock.advance(1_000);
  before(standing);
  const from = clock.now();
  const earlier = { ...github.counts, ...aws.calls };
  github.assign(SET, 0);
  await until(() => aws.instances.size <= left && github.runners.size <= left, 10);
  const makespanMs = Math.max(aws.lastTerminationAt, clock.now() - 10) - from;
  const after = { ...github.counts, ...aws.calls };
  await clock.advance(5_000);
  const { runnerCount } = standing.reconciler.providers()[0] ?? {};
  assert.equal(runnerCount, left, 'no place is held by what is gone');
  await standing.stop();
  return {
    makespanMs,
    removals: after.remove - earlier.remove,
    lookUps: after.look_up - earlier.look_up,
    describes: after.describe - earlier.describe,
    terminations: after.terminate - earlier.terminate,
    left: aws.instances.size,
    registered: github.runners.size,
  };
}

const idle = oncePerRun((lab) => removeAll(lab, () => {}));

/** One of each hundred has gone by itself a moment ago. */
const withLost = oncePerRun((lab) =>
  removeAll(lab, ({ aws }) => {
    const ids = [...aws.instances.keys()];
    for (let at = 0; at < ids.length; at += TERMINATION) aws.instances.delete(ids[at] ?? '');
  }),
);

function counted(
  what: string,
  measure: (lab: Lab) => Promise<Pick<Result, 'ours' | 'reference' | 'ratio'>>,
  limits: { target: number; bar: number },
): Measurement {
  return {
    what,
    run: async (lab) => ({ ...(await measure(lab)), unit: '', better: 'lower', ...limits }),
  };
}

const IDEAL_MS = Math.ceil(RUNNERS / REMOVALS_AT_ONCE) * REMOVE_MS + TERMINATE_MS;

export const removing: Benchmark = {
  id: 'P14',
  kind: 'virtual',
  what: `${RUNNERS} idle EC2 machines are one too many`,
  measurements: [
    {
      what: 'last machine gone ÷ eight registrations at once, and one termination',
      async run(lab) {
        const { makespanMs, left, registered } = await idle(lab);
        assert.deepEqual([left, registered], [0, 0]);
        const ratio = makespanMs / IDEAL_MS;
        return { ours: makespanMs, reference: IDEAL_MS, unit: 'ms', ratio, better: 'lower', target: 1.05, bar: 1.15 };
      },
    },
    counted(
      'calls ÷ one removal each and a termination of a hundred',
      async (lab) => {
        const { removals, terminations, lookUps, describes } = await idle(lab);
        assert.deepEqual([lookUps, describes], [0, 0], 'nobody is looked up');
        const ours = removals + terminations;
        const reference = RUNNERS + RUNNERS / TERMINATION;
        return { ours, reference, ratio: ours / reference };
      },
      { target: 1, bar: 1.05 },
    ),
  ],
};

export const removingLost: Benchmark = {
  id: 'P15',
  kind: 'virtual',
  what: 'the same, one machine of each hundred having gone by itself',
  measurements: [
    counted(
      'further calls ÷ machines gone',
      async (lab) => {
        const [without, having] = [await idle(lab), await withLost(lab)];
        assert.deepEqual([having.left, having.registered], [0, 0], 'none is left');
        const wrong = RUNNERS / TERMINATION;
        const calls = ({ removals, lookUps, describes, terminations }: Removal): number =>
          removals + lookUps + describes + terminations;
        const ours = Math.max(0, calls(having) - calls(without));
        return { ours, reference: wrong, ratio: ours / wrong };
      },
      { target: 1, bar: 7 },
    ),
  ],
};

/** Every runner has a job, and the jobs end by and by. */
const completed = oncePerRun(async (lab) => {
  const standing = await fiveHundred(lab);
  const { clock, github, aws, names, until } = standing;
  github.startJobs(SET, names, true);
  await until(() => countOf(standing, 'busy') === RUNNERS);
  const earlier = { calls: github.runnerCalls, terminations: aws.calls.terminate };
  const each = RUNNERS / MESSAGES;
  for (let message = 0; message < MESSAGES; message++) {
    github.endJobs(SET, names.slice(message * each, (message + 1) * each));
    await clock.advance(MESSAGE_EVERY_MS);
  }
  await until(() => aws.instances.size === 0);
  await standing.stop();
  return { calls: github.runnerCalls - earlier.calls, terminations: aws.calls.terminate - earlier.terminations };
});

export const jobsDone: Benchmark = {
  id: 'P16',
  kind: 'virtual',
  what: `${RUNNERS} jobs end, told in ${MESSAGES} messages`,
  measurements: [
    counted(
      'terminations ÷ messages',
      async (lab) => {
        const { terminations } = await completed(lab);
        return { ours: terminations, reference: MESSAGES, ratio: terminations / MESSAGES };
      },
      { target: 1, bar: 2 },
    ),
    counted(
      'calls to GitHub for a runner',
      async (lab) => {
        const { calls } = await completed(lab);
        return { ours: calls, reference: 0, ratio: calls };
      },
      { target: 0, bar: 0 },
    ),
  ],
};

export const turningBusy: Benchmark = {
  id: 'P17',
  kind: 'virtual',
  what: `${TURNING_BUSY} of ${RUNNERS} runners take a job after it was decided to remove them`,
  measurements: [
    counted(
      'machines removed under their job',
      async (lab) => {
        const { left, registered } = await removeAll(
          lab,
          ({ github, names }) => {
            github.startJobs(
              SET,
              names.filter((_, at) => at % (RUNNERS / TURNING_BUSY) === 0),
              false,
            );
          },
          TURNING_BUSY,
        );
        assert.equal(registered, TURNING_BUSY, 'the others are gone');
        const ours = TURNING_BUSY - left;
        return { ours, reference: 0, ratio: ours };
      },
      { target: 0, bar: 0 },
    ),
  ],
};
