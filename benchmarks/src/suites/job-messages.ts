import { strict as assert } from 'node:assert';
import { decodePolled } from '@rungar/github';
import type { JobMessage, Random } from '@rungar/model';
import type { Benchmark } from '../benchmark.js';
import { cost } from '../rate.js';

const MESSAGES = 400;
/** The most that GitHub puts into one message. */
const JOBS = 50;
const KINDS = ['JobAssigned', 'JobStarted', 'JobCompleted', 'JobAvailable'];

interface Arrived {
  readonly text: string;
  /** How many jobs of each kind it tells of, in the order of the kinds. */
  readonly counts: readonly number[];
}

/** A message as GitHub sends it: its jobs travel as text inside it. */
function someMessage(random: Random, id: number): Arrived {
  const counts = KINDS.map(() => 0);
  const jobs = Array.from({ length: JOBS }, (_, at) => {
    const kind = Math.floor(random.fraction() * KINDS.length);
    counts[kind] = (counts[kind] ?? 0) + 1;
    return {
      messageType: KINDS[kind],
      runnerRequestId: 0,
      jobId: Buffer.from(random.bytes(16)).toString('hex'),
      repositoryName: 'web',
      ownerName: 'acme',
      jobWorkflowRef: 'acme/web/.github/workflows/build.yml@refs/heads/main',
      jobDisplayName: `build ${at}`,
      workflowRunId: 9_000_000_000 + at,
      eventName: 'push',
      requestLabels: ['linux', 'x64'],
      queueTime: '2026-11-30T12:00:00.123Z',
      scaleSetAssignTime: '2026-11-30T12:00:01.456Z',
      runnerAssignTime: '2026-11-30T12:00:31.789Z',
      finishTime: '0001-01-01T00:00:00Z',
      runnerId: at,
      runnerName: `linux-${Buffer.from(random.bytes(4)).toString('hex')}`,
      result: 'succeeded',
    };
  });
  const statistics = {
    totalAvailableJobs: 0,
    totalAcquiredJobs: 0,
    totalAssignedJobs: JOBS,
    totalRunningJobs: 0,
    totalRegisteredRunners: 0,
    totalBusyRunners: 0,
    totalIdleRunners: 0,
  };
  const envelope = { messageId: id, messageType: 'RunnerScaleSetJobMessages', body: JSON.stringify(jobs), statistics };
  return { text: JSON.stringify(envelope), counts };
}

function readMessage({ text }: Arrived): JobMessage {
  const polled = decodePolled(JSON.parse(text));
  assert(polled.kind === 'jobs', 'a message of jobs');
  return polled.message;
}

export const jobMessages: Benchmark = {
  id: 'P34',
  kind: 'real',
  what: '20,000 job messages',
  measurements: [
    cost({
      what: 'read and sorted by kind ÷ JSON.parse of them',
      inputs: (random) => Array.from({ length: MESSAGES }, (_, at) => someMessage(random, at + 1)),
      check(arrived) {
        const { assigned, started, completed, available, statistics } = readMessage(arrived);
        assert.deepEqual(
          [assigned, started, completed, available].map(({ length }) => length),
          arrived.counts,
        );
        assert.equal(statistics?.assignedJobs, JOBS);
      },
      ours: readMessage,
      reference: ({ text }) => JSON.parse((JSON.parse(text) as { body: string }).body),
      target: 2.5,
      bar: 5,
    }),
  ],
};
