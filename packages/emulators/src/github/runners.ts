import type { JobResult } from '../machine/runner-client.js';
import { randomHex } from '../random.js';
import type { Job, Runner, ScaleSet, Scope } from './entities.js';
import { Bell, holdUntil } from './hold.js';
import type { JobBoard } from './jobs.js';
import { viewRunner } from './views.js';
import type { World } from './world.js';

const noTimer = (): void => {};

/** The registrations of runners, and their contact with GitHub. */
export class Runners {
  readonly #world: World;
  readonly #board: JobBoard;

  constructor(world: World, board: JobBoard) {
    this.#world = world;
    this.#board = board;
  }

  /** Registers a runner; it is offline until it connects. */
  register(scaleSet: ScaleSet, name: string): Runner {
    const runner: Runner = {
      id: this.#world.take('runner'),
      name,
      scaleSet,
      secret: randomHex(this.#world.random, 20),
      registeredAt: this.#world.clock.now(),
      bell: new Bell(),
      connectedAt: undefined,
      version: undefined,
      online: false,
      job: undefined,
      waiting: false,
      held: 0,
      stopTimer: noTimer,
      gone: false,
    };
    this.#world.runners.set(runner.id, runner);
    scaleSet.runners.add(runner);
    this.#tell(runner, 'registered');
    this.#forgetLater(runner);
    return runner;
  }

  /** The runners of a scope, oldest first. */
  of(scope: Scope): Runner[] {
    return [...this.#world.runners.values()].filter((runner) => runner.scaleSet.scope === scope);
  }

  named(scope: Scope, name: string): Runner | undefined {
    return this.of(scope).find((runner) => runner.name.toLowerCase() === name.toLowerCase());
  }

  /** The runner has called: it is online, and stays so for a while after its call has ended. */
  touch(runner: Runner): void {
    const { clock, settings } = this.#world;
    runner.stopTimer();
    if (runner.gone) return;
    if (!runner.online) {
      runner.online = true;
      runner.connectedAt ??= clock.now();
      this.#tell(runner, 'online');
    }
    if (runner.held === 0) {
      runner.stopTimer = clock.after(settings.runnerOfflineAfterMs, () => this.#goOffline(runner));
    }
  }

  /** Waits for a job, which is the runner's from then on. Undefined when none came, or the runner is gone. */
  async waitForJob(runner: Runner, signal: AbortSignal): Promise<Job | undefined> {
    runner.waiting = true;
    this.#board.settle();
    const found = await this.#hold(runner, signal, () => runner.job);
    runner.waiting = false;
    return found;
  }

  /** Waits until the runner's job is called off. */
  async waitForCancellation(runner: Runner, signal: AbortSignal): Promise<boolean> {
    return (await this.#hold(runner, signal, () => runner.job?.cancelAsked || undefined)) ?? false;
  }

  /** The runner's job has ended, and with it the runner. */
  finish(runner: Runner, job: Job, result: JobResult): void {
    runner.job = undefined;
    this.remove(runner);
    this.#board.finish(job, result);
  }

  /** Removes a registration. */
  remove(runner: Runner): void {
    runner.stopTimer();
    runner.gone = true;
    runner.online = false;
    this.#world.runners.delete(runner.id);
    runner.scaleSet.runners.delete(runner);
    runner.bell.ring();
    this.#tell(runner, 'gone');
  }

  async #hold<T>(runner: Runner, signal: AbortSignal, look: () => T | undefined): Promise<T | undefined> {
    const { clock, settings } = this.#world;
    runner.held += 1;
    this.touch(runner);
    const found = await holdUntil<{ value: T | undefined }>({
      clock,
      ms: settings.runnerHoldMs,
      bell: runner.bell,
      signal,
      look: () => {
        const value = look();
        return value !== undefined || runner.gone ? { value } : undefined;
      },
    });
    runner.held -= 1;
    this.touch(runner);
    return found?.value;
  }

  #goOffline(runner: Runner): void {
    runner.online = false;
    this.#tell(runner, 'offline');
    const { job } = runner;
    if (!job) {
      this.#forgetLater(runner);
      return;
    }
    runner.stopTimer = this.#world.clock.after(this.#world.settings.runnerLostAfterMs, () => {
      this.finish(runner, job, job.cancelAsked ? 'canceled' : 'failed');
    });
  }

  #forgetLater(runner: Runner): void {
    runner.stopTimer = this.#world.clock.after(this.#world.settings.runnerForgottenAfterMs, () => {
      this.remove(runner);
    });
  }

  #tell(runner: Runner, change: 'registered' | 'online' | 'offline' | 'gone'): void {
    const { clock, events } = this.#world;
    events.emit({ at: clock.now(), type: 'runner', change, runner: viewRunner(runner) });
  }
}
