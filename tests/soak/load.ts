import type { Random } from '@rungar/model';
import { KINDS, type Kind } from './organisation.js';

const HOUR_MS = 3_600_000;
const DAY_HOURS = 24;
const WEEK_HOURS = 7 * DAY_HOURS;

/** How busy each hour of a working day is, compared with the others. */
const WORKING_DAY = [
  0.3, 0.25, 0.2, 0.2, 0.25, 0.35, 0.6, 1.1, 1.8, 2.4, 2.6, 2.4, 1.8, 2.1, 2.5, 2.4, 2.1, 1.6, 1.1, 0.8, 0.6, 0.5, 0.4,
  0.3,
];
/** A day off compared with a working day. */
const DAY_OFF = 0.2;

const weightOf = (hour: number): number => {
  const day = Math.floor(hour / DAY_HOURS) % 7;
  return (WORKING_DAY[Math.floor(hour) % DAY_HOURS] ?? 0) * (day >= 5 ? DAY_OFF : 1);
};
const MEAN_WEIGHT =
  Array.from({ length: WEEK_HOURS }, (_, hour) => weightOf(hour)).reduce((a, b) => a + b) / WEEK_HOURS;

/**
 * Jobs an hour at an instant: little at night, most before noon and in the afternoon, a fifth on days off.
 * @param sinceStartMs from a Monday's midnight
 * @param jobsPerHour the mean over a week
 */
export function jobsPerHourAt(sinceStartMs: number, jobsPerHour: number): number {
  const hour = (sinceStartMs / HOUR_MS) % WEEK_HOURS;
  const share = hour % 1;
  // From the middle of an hour to the middle of the next without a step.
  const before = weightOf((hour - 0.5 + WEEK_HOURS) % WEEK_HOURS);
  const after = weightOf((hour + 0.5) % WEEK_HOURS);
  const along = (share + 0.5) % 1;
  return ((before * (1 - along) + after * along) / MEAN_WEIGHT) * jobsPerHour;
}

export interface NewJob {
  readonly scaleSet: string;
  readonly durationMs: number;
}

/** What a run of a workflow brings: often one job, sometimes a matrix of a dozen. */
export function workflowJobs(random: Random): NewJob[] {
  const dice = random.fraction();
  if (dice < 0.45) return jobs(random, 1);
  return jobs(random, dice < 0.75 ? whole(random, 2, 4) : whole(random, 5, 12));
}
/** The mean number of jobs of {@link workflowJobs}. */
export const JOBS_PER_WORKFLOW = 0.45 + 0.3 * 3 + 0.25 * 8.5;

/** A great many at once: a release, a dependency's update in every repository, the nightly build. */
export const burst = (random: Random, least: number, most: number): NewJob[] =>
  jobs(random, whole(random, least, most));

/** Till the next of events of which so many come in an hour. */
export const untilNextMs = (random: Random, perHour: number): number =>
  (-Math.log(1 - random.fraction()) / perHour) * HOUR_MS;

const whole = (random: Random, least: number, most: number): number =>
  least + Math.floor(random.fraction() * (most - least + 1));

/** Those of one workflow or burst are mostly of one kind. */
function jobs(random: Random, count: number): NewJob[] {
  const main = kindOf(random);
  return Array.from({ length: count }, () => {
    const kind = random.fraction() < 0.7 ? main : kindOf(random);
    return { scaleSet: kind.scaleSet, durationMs: durationOf(random, kind) };
  });
}

function kindOf(random: Random): Kind {
  let dice = random.fraction();
  const kind = KINDS.find(({ share }) => {
    dice -= share;
    return dice < 0;
  });
  return kind ?? (KINDS[0] as Kind);
}

const SPREAD = 0.8;
const SHORTEST_MS = 10_000;
const LONGEST_MS = 3 * HOUR_MS;

/** Log-normal, as durations of jobs are. */
function durationOf(random: Random, { jobMs }: Kind): number {
  const radius = Math.sqrt(-2 * Math.log(1 - random.fraction()));
  const normal = radius * Math.cos(2 * Math.PI * random.fraction());
  const ms = Math.exp(Math.log(jobMs) - SPREAD ** 2 / 2 + SPREAD * normal);
  return Math.round(Math.min(LONGEST_MS, Math.max(SHORTEST_MS, ms)));
}
