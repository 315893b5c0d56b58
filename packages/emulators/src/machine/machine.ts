import { type EmulatorClock, realClock, type ScopedClock, scopedClock } from '../clock.js';
import { type Delivery, findJitConfig } from './delivery.js';
import { decodeJitConfig, type JitConfig } from './jit-config.js';
import { type JobResult, RegistrationGone, RunnerClient, type RunnerJob, RunnerRefused } from './runner-client.js';

/**
 * Where a machine is in its life:
 * - `booting`: not up yet
 * - `connecting`: up, its runner is not connected to GitHub
 * - `idle`, `running`: its runner waits for a job, or runs one
 * - `runnerless`: up, and no runner will ever start on it; `problem` says why
 * - `off`: powered off by itself, or killed
 */
export type MachineState = 'booting' | 'connecting' | 'idle' | 'running' | 'runnerless' | 'off';

/** What an emulated machine is made of. */
export interface MachineOptions {
  /** What the machine was given; without it no runner starts. */
  readonly delivery: Delivery | undefined;
  /** How long it takes from power-on to the start of its script. */
  readonly bootMs: number;
  readonly clock?: EmulatorClock;
  /** Called once, when the machine has switched itself off. Never after {@link EmulatedMachine.kill}. */
  readonly onPowerOff?: () => void;
  /** Called at each change of state. */
  readonly onChange?: (state: MachineState) => void;
}

/** One line of what a machine would have written to its console. */
export interface ConsoleLine {
  readonly at: number;
  readonly text: string;
}

/** A machine that runs what it was given, and nothing else. */
export interface EmulatedMachine {
  readonly state: MachineState;
  /** Why there is no runner on it. */
  readonly problem: string | undefined;
  /** The name of the runner that was delivered. */
  readonly runnerName: string | undefined;
  readonly console: readonly ConsoleLine[];
  /** Cuts the power: every connection and timer of the machine ends at once. Safe to repeat. */
  kill(): void;
}

/** How long a runner waits before it tries to reach GitHub again. */
const RETRY_MS = 1000;

/**
 * Switches a machine on. After `bootMs` it looks for the runner's configuration in its delivery, connects with it to
 * the emulated GitHub over HTTP, waits for one job, takes as long as the job says, reports the result and switches
 * itself off. It does so on its own: nothing but {@link EmulatedMachine.kill} stops it.
 */
export function bootMachine(options: MachineOptions): EmulatedMachine {
  return new BootedMachine(options);
}

class BootedMachine implements EmulatedMachine {
  readonly #options: MachineOptions;
  readonly #clock: ScopedClock;
  readonly #power = new AbortController();
  readonly #console: ConsoleLine[] = [];
  #state: MachineState = 'booting';
  #problem: string | undefined;
  #runnerName: string | undefined;

  constructor(options: MachineOptions) {
    this.#options = options;
    this.#clock = scopedClock(options.clock ?? realClock);
    this.#clock.after(options.bootMs, () => this.#boot());
  }

  get state(): MachineState {
    return this.#state;
  }

  get problem(): string | undefined {
    return this.#problem;
  }

  get runnerName(): string | undefined {
    return this.#runnerName;
  }

  get console(): readonly ConsoleLine[] {
    return this.#console;
  }

  kill(): void {
    if (this.#state !== 'off') this.#switchOff('the power was cut');
  }

  #boot(): void {
    this.#print('booted');
    const found = findJitConfig(this.#options.delivery);
    if ('problem' in found) {
      this.#stayWithoutRunner(found.problem);
      return;
    }
    let config: JitConfig;
    try {
      config = decodeJitConfig(found.jitConfig);
    } catch (error) {
      this.#stayWithoutRunner(error instanceof Error ? error.message : String(error));
      return;
    }
    this.#runnerName = config.name;
    void this.#runOnce(config);
  }

  /** The life of an ephemeral runner, and the power-off after it. */
  async #runOnce(config: JitConfig): Promise<void> {
    const { signal } = this.#power;
    const client = new RunnerClient(config);
    signal.addEventListener('abort', () => client.close(), { once: true });
    try {
      this.#become('connecting', `runner ${config.name} starts`);
      await this.#persist(() => client.connect(signal));
      this.#become('idle', 'connected to GitHub, listening for jobs');
      const job = await this.#awaitJob(client);
      this.#become('running', `running job ${job.jobId}`);
      const result = await this.#runJob(client, job);
      await this.#persist(() => client.finish(job.jobId, result, signal));
      this.#print(`job ${job.jobId} completed: ${result}`);
    } catch (error) {
      if (signal.aborted) return;
      this.#problem = error instanceof Error ? error.message : String(error);
      this.#print(
        error instanceof RunnerRefused ? `An error occurred: ${this.#problem}` : `the runner ended: ${this.#problem}`,
      );
    }
    if (signal.aborted) return;
    this.#switchOff('powered off');
    this.#options.onPowerOff?.();
  }

  async #awaitJob(client: RunnerClient): Promise<RunnerJob> {
    for (;;) {
      const job = await this.#persist(() => client.nextJob(this.#power.signal));
      if (job) return job;
    }
  }

  /** Works for as long as the job takes, while GitHub can call the job off. */
  async #runJob(client: RunnerClient, job: RunnerJob): Promise<JobResult> {
    const ended = new AbortController();
    const signal = AbortSignal.any([ended.signal, this.#power.signal]);
    const worked = new Promise<JobResult>((resolve) => {
      this.#clock.after(job.seconds * 1000, () => resolve(job.fail ? 'failed' : 'succeeded'));
    });
    try {
      return await Promise.race([worked, this.#awaitCancellation(client, job.jobId, signal)]);
    } finally {
      ended.abort();
    }
  }

  async #awaitCancellation(client: RunnerClient, jobId: string, signal: AbortSignal): Promise<JobResult> {
    try {
      while (!(await this.#persist(() => client.cancelled(jobId, signal), signal)));
      return 'canceled';
    } catch (error) {
      // The work itself has ended, or the power was cut: whoever waits has been answered by that.
      if (signal.aborted) return 'canceled';
      throw error;
    }
  }

  /** Repeats a call for as long as GitHub cannot be reached, the way a runner does. */
  async #persist<T>(call: () => Promise<T>, signal = this.#power.signal): Promise<T> {
    for (;;) {
      try {
        return await call();
      } catch (error) {
        if (error instanceof RegistrationGone || error instanceof RunnerRefused || signal.aborted) throw error;
        await new Promise<void>((resolve) => void this.#clock.after(RETRY_MS, resolve));
        signal.throwIfAborted();
      }
    }
  }

  #stayWithoutRunner(problem: string): void {
    this.#problem = problem;
    this.#become('runnerless', problem);
  }

  #switchOff(text: string): void {
    this.#clock.close();
    this.#power.abort(new Error('the machine is off'));
    this.#become('off', text);
  }

  #become(state: MachineState, text: string): void {
    this.#state = state;
    this.#print(text);
    this.#options.onChange?.(state);
  }

  #print(text: string): void {
    this.#console.push({ at: this.#clock.now(), text });
  }
}
