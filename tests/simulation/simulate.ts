import type { Random } from '@rungar/model';
import { seededRandom } from '@rungar/model/testing';
import { Checks, type Violation } from './checks.js';
import { Crew } from './crew.js';
import type { Configuration } from './daemon.js';
import { type Fault, Faults } from './faults.js';
import { SimGitHub } from './github.js';
import { SimProvider } from './provider.js';
import { checkRest, Recovery } from './recovery.js';
import { Scheduler } from './scheduler.js';
import { configurationOf, SCALE_SETS, type Shape, type Size, shapeOf } from './shape.js';
import { type Happening, Trace } from './trace.js';
import { calm, strike, type TroubleParts } from './trouble.js';
import { between, MINUTE, pick, SECOND, type World } from './world.js';

export interface SimulationOptions {
  readonly seed: number;
  readonly size: Size;
  /** Faults this run does without, whatever its seed has. */
  readonly without?: ReadonlySet<Fault>;
  /** What to tell the story of, whether or not something is wrong. */
  readonly story?: RegExp;
  /** Whether errors have stacks. */
  readonly stacks?: boolean;
}

export interface SimulationResult {
  readonly seed: number;
  readonly size: Size;
  readonly steps: number;
  /** Jobs that came to an end. */
  readonly jobs: number;
  readonly kills: number;
  readonly daemons: number;
  readonly virtualMs: number;
  readonly faults: ReadonlyMap<Fault, number>;
  readonly looked: ReadonlyMap<string, number>;
  readonly violations: readonly Violation[];
  /** What tells one course of things from another. */
  readonly hash: string;
  /** What happened to whatever the first violation is about. */
  readonly story: readonly Happening[];
}

const INSTALLATION = 'gh-47a00949ae7d';
/** A Monday, nine in the morning. */
const START = Date.UTC(2027, 0, 4, 9, 0, 0);
/** After so many a run ends: what follows is mostly the first one's doing. */
const ENOUGH = 5;

/** One run: trouble, then calm, then the end. The same options give the same run. */
export async function simulate(options: SimulationOptions): Promise<SimulationResult> {
  // Most errors here are answers: their stacks are never read, and cost a tenth of the time.
  const { stackTraceLimit } = Error;
  if (!options.stacks) Error.stackTraceLimit = 0;
  try {
    return await new Simulation(options).run();
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

class Simulation {
  readonly #options: SimulationOptions;
  readonly #shape: Shape;
  readonly #world: World;
  readonly #checks: Checks;
  readonly #github: SimGitHub;
  readonly #providers: ReadonlyMap<string, SimProvider>;
  readonly #crew: Crew;
  readonly #parts: TroubleParts;

  constructor(options: SimulationOptions) {
    this.#options = options;
    const random: Random = seededRandom(options.seed);
    const shape = shapeOf(random, options.size, options.without ?? new Set());
    this.#shape = shape;
    const world: World = {
      scheduler: new Scheduler(START),
      random,
      faults: new Faults(random, shape.faults, shape.faultRate),
      trace: new Trace(),
      installation: INSTALLATION,
    };
    this.#world = world;
    this.#checks = new Checks(world);
    const github = new SimGitHub(world, this.#checks);
    this.#github = github;
    this.#providers = new Map(
      shape.providers.map((traits) => [traits.name, new SimProvider(world, github, this.#checks, traits)]),
    );
    this.#checks.github = github;
    this.#checks.providers = this.#providers;
    const parts = { world, github, providers: this.#providers, checks: this.#checks };
    this.#crew = new Crew(parts, configurationOf(random, shape));
    this.#parts = { ...parts, crew: this.#crew, shape };
  }

  async run(): Promise<SimulationResult> {
    for (const name of SCALE_SETS)
      if (this.#world.random.fraction() < 0.5) this.#github.set(name).id = this.#github.newId();
    this.#crew.start();
    await this.#trouble();
    if (!this.#isOver) await this.#calm();
    return this.#result();
  }

  get #isOver(): boolean {
    return this.#checks.violations.length >= ENOUGH;
  }

  async #goOn(ms: number): Promise<void> {
    const { scheduler } = this.#world;
    await scheduler.runUntil(scheduler.now + ms, () => this.#isOver);
  }

  async #trouble(): Promise<void> {
    const { scheduler } = this.#world;
    const until = scheduler.now + this.#shape.troubleMs;
    const every = (ms: () => number, run: () => void): void => {
      scheduler.after(ms(), () => {
        if (scheduler.now >= until) return;
        run();
        every(ms, run);
      });
    };
    every(
      () => SECOND,
      () => this.#bringJobs(),
    );
    every(
      () => between(this.#world, SECOND, this.#shape.size === 'large' ? 25 * SECOND : 40 * SECOND),
      () => strike(this.#parts),
    );
    every(
      () => 20 * SECOND,
      () => this.#keepOneAlive(),
    );
    await this.#goOn(this.#shape.troubleMs);
  }

  #bringJobs(): void {
    const { random, scheduler } = this.#world;
    const { jobsPerSecond, jobMs, size } = this.#shape;
    const most = size === 'large' ? 500 : 40;
    scheduler.wake();
    let count = jobsPerSecond * random.fraction() * 2;
    while (count > 0 && this.#github.open.size < most) {
      if (count >= 1 || random.fraction() < count)
        this.#github.queueJob(pick(this.#world, SCALE_SETS) ?? 'vm', Math.round(between(this.#world, ...jobMs)));
      count--;
    }
  }

  #keepOneAlive(): void {
    this.#crew.sweep();
    if (this.#crew.living.length === 0) this.#crew.startSoon(0, 15 * SECOND);
  }

  async #calm(): Promise<void> {
    calm(this.#parts);
    const crew = this.#crew;
    crew.sweep();
    crew.living = crew.living.filter(({ stopping }) => !stopping);
    const [kept, ...others] = crew.living;
    for (const daemon of others) daemon.stop();
    if (kept && !isComplete(kept.configuration) && this.#world.random.fraction() < 0.5)
      kept.apply(completed(kept.configuration));
    if (!kept || !isComplete(kept.configuration)) {
      kept?.stop();
      await this.#goOn(2 * MINUTE);
      crew.start(completed(crew.configuration));
    }
    for (const name of SCALE_SETS) crew.living[0]?.reconciler.resume(name);
    await this.#goOn(0);
    const daemon = crew.living.find(({ alive, stopping }) => alive && !stopping);
    if (!daemon) throw new TypeError('no daemon lives');
    const recovery = new Recovery({ ...this.#parts, checks: this.#checks, daemon });
    while (!this.#isOver && !recovery.isDone) {
      await this.#goOn(5 * SECOND);
      recovery.look();
    }
    if (this.#checks.violations.length > 0) return;
    daemon.stop();
    await this.#goOn(2 * MINUTE);
    checkRest({ ...this.#parts, checks: this.#checks, daemon });
  }

  #story(): readonly Happening[] {
    const { trace } = this.#world;
    if (this.#options.story) return trace.matching(this.#options.story);
    const [first] = this.#checks.violations;
    return first ? trace.about([first.subject, ...first.also], 200) : [];
  }

  #result(): SimulationResult {
    const { scheduler, faults, trace } = this.#world;
    const { violations, looked } = this.#checks;
    return {
      seed: this.#options.seed,
      size: this.#options.size,
      steps: scheduler.steps,
      jobs: this.#github.jobs.ended,
      kills: this.#crew.kills,
      daemons: this.#crew.started,
      virtualMs: scheduler.now - START,
      faults: faults.counts,
      looked,
      violations,
      hash: trace.hash.toString(16).padStart(8, '0'),
      story: this.#story().map((one) => ({ ...one, at: one.at - START })),
    };
  }
}

/** Whether every scale set can have runners with it, whatever the others keep. */
function isComplete({ scaleSets, providers }: Configuration): boolean {
  const kept = keptBy(scaleSets);
  const isUsable = (name: string): boolean =>
    providers.some((one) => one.name === name && !one.disabled && (one.maxRunners === 0 || one.maxRunners > kept));
  return (
    scaleSets.length === SCALE_SETS.length && scaleSets.every((set) => set.providers.some(({ name }) => isUsable(name)))
  );
}

/** The most idle runners there may be at any time. */
const keptBy = (scaleSets: Configuration['scaleSets']): number =>
  scaleSets.reduce((sum, { minRunners, schedule }) => {
    const windows = schedule?.windows.map((window) => window.minRunners) ?? [];
    return sum + Math.max(minRunners, ...windows);
  }, 0);

/** The same with every scale set, and no provider that may not be used. */
function completed({ scaleSets, providers, intervalMs }: Configuration): Configuration {
  const [model] = scaleSets;
  if (!model) throw new TypeError('no scale set');
  const missing = SCALE_SETS.filter((name) => scaleSets.every((one) => one.name !== name));
  return {
    intervalMs,
    providers: providers.map((provider) => ({ ...provider, disabled: false, maxRunners: 0 })),
    scaleSets: [...scaleSets, ...missing.map((name) => ({ ...model, name, labels: [name] }))],
  };
}
