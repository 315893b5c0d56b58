import { runnerLabels } from '@rungar/labels';
import { seededRandom } from '@rungar/model/testing';
import { Checks } from '../simulation/checks.js';
import { Crew } from '../simulation/crew.js';
import { Faults } from '../simulation/faults.js';
import type { SimMachine } from '../simulation/provider.js';
import { checkRest } from '../simulation/recovery.js';
import { Scheduler } from '../simulation/scheduler.js';
import { type Happening, Trace } from '../simulation/trace.js';
import { MINUTE, note, type World } from '../simulation/world.js';
import { CallCounts } from './calls.js';
import { type Incident, type IncidentParts, schedule, WEEK } from './incidents.js';
import { Ledger, type Window } from './ledger.js';
import { burst, JOBS_PER_WORKFLOW, jobsPerHourAt, type NewJob, untilNextMs, workflowJobs } from './load.js';
import { configurationOf, ORDINARY_FAULTS, ORDINARY_RATE, PROVIDERS, SPOT } from './organisation.js';
import type { SoakResult } from './result.js';
import { Upkeep } from './upkeep.js';
import { WatchedGitHub } from './watched-github.js';
import { WatchedProvider } from './watched-provider.js';

export interface SoakOptions {
  readonly seed: number;
  readonly hours: number;
  /** The mean over a week. */
  readonly jobsPerHour: number;
  /** Of each week. */
  readonly incidents?: readonly Incident[];
  /** Told of every hour that has ended, of the run so far. */
  readonly onHour?: (hour: number, jobs: number, violations: number) => void;
}

export interface Soaked {
  readonly result: Omit<SoakResult, 'host'>;
  /** What last happened to whatever the first violation is about. */
  readonly story: readonly Happening[];
}

const INSTALLATION = 'gh-47a00949ae7d';
/** A Monday's midnight. */
const START = Date.UTC(2027, 0, 4);
const HOUR = 60 * MINUTE;
const WEEK_MINUTES = 7 * 24 * 60;
/** After so many a run ends: what follows is mostly the first one's doing. */
const ENOUGH = 5;
/** A spot machine is taken back about once in so many hours. */
const SPOT_LIFE_HOURS = 40;
/** Bursts of a working day, and how many jobs each brings. */
const BURSTS_PER_HOUR = 0.5;
/** Workflows whose waiting jobs a newer push calls off. */
const CALLED_OFF = 0.003;
const CALM_MS = 45 * MINUTE;

/** An organisation's week, or another while, with nothing of the reconciler replaced. The same options, the same result. */
export async function soak(options: SoakOptions): Promise<Soaked> {
  const { stackTraceLimit } = Error;
  // Most errors here are answers, and their stacks never read.
  Error.stackTraceLimit = 0;
  try {
    return await new Soak(options).run();
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

class Soak {
  readonly #options: SoakOptions;
  readonly #scheduler = new Scheduler(START);
  /** What people do does not depend on what the daemon does: two versions of it are given the same jobs. */
  readonly #people;
  readonly #world: World;
  readonly #checks: Checks;
  readonly #github: WatchedGitHub;
  readonly #providers: ReadonlyMap<string, WatchedProvider>;
  readonly #crew: Crew;
  readonly #upkeep: Upkeep;
  readonly #calls = new CallCounts();
  readonly #ledger: Ledger;
  readonly #incidents: readonly Incident[];
  readonly #windows: readonly Window[];
  readonly #end: number;
  #story: readonly Happening[] = [];
  #reclaimed = 0;
  #foreign = 0;

  constructor(options: SoakOptions) {
    this.#options = options;
    this.#end = START + options.hours * HOUR;
    this.#incidents = everyWeek(options.incidents ?? WEEK, options.hours * 60);
    this.#windows = this.#incidents.map(({ at, minutes, what }) => ({
      what,
      from: START + at * MINUTE,
      to: START + (at + minutes) * MINUTE,
    }));
    this.#people = seededRandom(options.seed ^ 0x5eed);
    const random = seededRandom(options.seed);
    const world: World = {
      scheduler: this.#scheduler,
      random,
      faults: new Faults(random, ORDINARY_FAULTS, ORDINARY_RATE),
      trace: new Trace(20_000),
      installation: INSTALLATION,
    };
    this.#world = world;
    const checks = new Checks(world);
    this.#checks = checks;
    this.#ledger = new Ledger(this.#calls, START, this.#windows);
    const github = new WatchedGitHub(world, checks, this.#calls, (job) => this.#ledger.onBegin(job));
    this.#github = github;
    const providers = new Map(
      PROVIDERS.map((traits) => [traits.name, new WatchedProvider(world, github, checks, traits, this.#calls)]),
    );
    this.#providers = providers;
    checks.github = github;
    checks.providers = providers;
    this.#crew = new Crew({ world, github, providers, checks }, configurationOf(0));
    this.#upkeep = new Upkeep({ checks, github, providers, policies: () => this.#crew.configuration.scaleSets });
  }

  async run(): Promise<Soaked> {
    this.#bringStrangers();
    this.#crew.start();
    const parts: IncidentParts = {
      world: this.#world,
      github: this.#github,
      providers: this.#providers,
      crew: this.#crew,
      reclaim: (machine) => this.#reclaim(machine),
    };
    for (const one of this.#incidents) schedule(parts, one, START);
    this.#bringWorkflows();
    this.#bringBursts();
    this.#every(MINUTE, () => this.#minute());
    this.#every(10 * MINUTE, () => this.#upkeep.look(this.#scheduler.now, this.#calmSince()));
    for (let hour = 1; hour <= this.#options.hours && !this.#isOver; hour++) {
      await this.#goOn(START + hour * HOUR);
      this.#ledger.endHour();
      this.#keepStory();
      this.#options.onHour?.(hour, this.#github.jobs.queued, this.#checks.violations.length);
    }
    const result = this.#result();
    if (!this.#isOver) await this.#comeToRest();
    this.#keepStory();
    const { trace } = this.#world;
    const { violations } = this.#checks;
    return {
      result: { ...result, violations, course: trace.hash.toString(16).padStart(8, '0') },
      story: this.#story.map((one) => ({ ...one, at: one.at - START })),
    };
  }

  /** While it is still known. */
  #keepStory(): void {
    const [first] = this.#checks.violations;
    if (first && this.#story.length === 0) this.#story = this.#world.trace.about([first.subject, ...first.also], 50);
  }

  get #isOver(): boolean {
    return this.#checks.violations.length >= ENOUGH;
  }

  #goOn(until: number): Promise<void> {
    return this.#scheduler.runUntil(until, () => this.#isOver);
  }

  #every(ms: number, run: () => void): void {
    this.#scheduler.after(ms, () => {
      if (this.#scheduler.now > this.#end) return;
      run();
      this.#every(ms, run);
    });
  }

  /** Others' machines and registrations, which stand there all the time. */
  #bringStrangers(): void {
    const identity = { scaleSet: 'linux', revision: 'r1' };
    for (const provider of this.#providers.values()) {
      const name = `linux-0000000${++this.#foreign}`;
      const labels = runnerLabels({ ...identity, runner: name, installation: 'gh-000000000000' });
      provider.put(name, labels, { foreign: true });
      provider.put(`database-${this.#foreign}`, {}, { foreign: true });
      const runner = this.#github.register(`linux-1111111${this.#foreign}`, this.#github.set('linux'), true);
      if (this.#foreign % 2 === 0) this.#github.goOnline(runner);
    }
    this.#foreign *= 2;
  }

  #bringWorkflows(): void {
    const perHour = jobsPerHourAt(this.#scheduler.now - START, this.#options.jobsPerHour) / JOBS_PER_WORKFLOW;
    this.#scheduler.after(untilNextMs(this.#people, perHour), () => {
      if (this.#scheduler.now > this.#end) return;
      const jobs = workflowJobs(this.#people);
      this.#queue(jobs);
      if (this.#people.fraction() < CALLED_OFF) {
        const set = this.#github.set(jobs[0]?.scaleSet ?? '');
        this.#github.cancelWaiting(set, jobs.length);
      }
      this.#bringWorkflows();
    });
  }

  /** As many as fit the size of the organisation; at night one that is planned. */
  #bringBursts(): void {
    const { jobsPerHour } = this.#options;
    const size = jobsPerHour / 2_000;
    this.#scheduler.after(untilNextMs(this.#people, BURSTS_PER_HOUR), () => {
      if (this.#scheduler.now > this.#end) return;
      const isWork = jobsPerHourAt(this.#scheduler.now - START, 1) > 1;
      if (isWork) this.#queue(burst(this.#people, Math.ceil(60 * size), Math.ceil(200 * size)));
      this.#bringBursts();
    });
    if (this.#scheduler.now > START) return;
    const nightly = (): void => {
      this.#queue(burst(this.#people, Math.ceil(250 * size), Math.ceil(350 * size)));
      this.#scheduler.after(24 * HOUR, () => this.#scheduler.now <= this.#end && nightly());
    };
    this.#scheduler.after(2 * HOUR, () => this.#scheduler.now <= this.#end && nightly());
  }

  #queue(jobs: readonly NewJob[]): void {
    for (const { scaleSet, durationMs } of jobs) {
      this.#github.queueJob(scaleSet, durationMs);
      this.#ledger.onQueued();
    }
  }

  #minute(): void {
    this.#crew.sweep();
    if (this.#crew.living.length === 0) this.#crew.startSoon(0, MINUTE / 2);
    let machines = -this.#foreign;
    for (const provider of this.#providers.values()) machines += provider.machines.size;
    let busy = 0;
    let idle = 0;
    for (const set of this.#github.sets.values()) {
      busy += set.running;
      idle += set.idle.size;
    }
    this.#ledger.sample({ machines, busy, idle });
    for (const machine of [...(this.#providers.get(SPOT)?.machines.values() ?? [])])
      if (this.#world.random.fraction() < 1 / (SPOT_LIFE_HOURS * 60)) this.#reclaim(machine);
  }

  /** The machine goes, and its job with it; whoever wanted that runs it again. */
  #reclaim(machine: SimMachine): void {
    const provider = this.#providers.get(machine.provider);
    if (!provider?.machines.has(machine.id) || machine.foreign || machine.state === 'stopped') return;
    note(this.#world, 'machine reclaimed', machine.name, machine.id);
    const { job } = machine.runner ?? {};
    if (job) {
      job.doomed = true;
      this.#reclaimed++;
      this.#scheduler.after(10 * MINUTE, () => this.#queue([job]));
    }
    provider.take(machine);
  }

  /** When the last incident was over; now, during one. */
  #calmSince(): number {
    const { now } = this.#scheduler;
    const begun = this.#windows.filter(({ from }) => from <= now);
    return Math.min(now, Math.max(START, ...begun.map(({ to }) => to)));
  }

  /** Nobody brings jobs any more, and nothing goes wrong. */
  async #comeToRest(): Promise<void> {
    this.#world.faults.calm = true;
    while (this.#github.open.size > 0 && this.#scheduler.now < this.#end + 6 * HOUR) {
      await this.#goOn(this.#scheduler.now + 5 * MINUTE);
      if (this.#isOver) return;
    }
    await this.#goOn(this.#scheduler.now + CALM_MS);
    const [daemon] = this.#crew.living;
    if (!daemon) throw new TypeError('no daemon lives');
    const status = new Map(daemon.reconciler.scaleSets().map((set) => [set.name, set]));
    this.#upkeep.checkRest(({ name }) => status.get(name)?.minRunners ?? -1);
    daemon.stop();
    await this.#goOn(this.#scheduler.now + 2 * MINUTE);
    checkRest({ github: this.#github, daemon, checks: this.#checks });
  }

  #result(): Omit<SoakResult, 'host'> {
    const { queued, succeeded, canceled } = this.#github.jobs;
    const made = [...this.#providers.values()].reduce((sum, { made }) => sum + made, -this.#foreign);
    return {
      seed: this.#options.seed,
      hours: this.#options.hours,
      jobs: { queued, succeeded, cancelled: canceled, reclaimed: this.#reclaimed },
      incidents: this.#ledger.incidents(),
      faults: Object.fromEntries([...this.#world.faults.counts].sort(([, a], [, b]) => b - a)),
      daemons: this.#crew.started,
      waits: this.#ledger.waits(),
      machines: this.#ledger.machines(made),
      calls: this.#calls.summary(),
      byHour: this.#ledger.byHour(),
      steps: this.#scheduler.steps,
      course: '',
      violations: [],
    };
  }
}

/** Those of every week, as far as they begin within so many minutes. */
function everyWeek(incidents: readonly Incident[], minutes: number): Incident[] {
  const weeks = Array.from({ length: Math.ceil(minutes / WEEK_MINUTES) }, (_, week) => week * WEEK_MINUTES);
  return weeks
    .flatMap((before) => incidents.map((one) => ({ ...one, at: one.at + before })))
    .filter(({ at }) => at < minutes);
}
