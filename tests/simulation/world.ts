import type { Random, RungarError } from '@rungar/model';
import type { Fault, Faults } from './faults.js';
import type { Scheduler } from './scheduler.js';
import type { Trace } from './trace.js';

/** What every part of the simulated world shares. */
export interface World {
  readonly scheduler: Scheduler;
  readonly random: Random;
  readonly faults: Faults;
  readonly trace: Trace;
  readonly installation: string;
}

export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;

export const between = ({ random }: Pick<World, 'random'>, least: number, most: number): number =>
  least + random.fraction() * (most - least);

export const hit = ({ faults }: World, fault: Fault, share: number): boolean => faults.hit(fault, share);

export function pick<T>({ random }: Pick<World, 'random'>, from: readonly T[]): T | undefined {
  return from[Math.floor(random.fraction() * from.length)];
}

export const note = ({ trace, scheduler }: World, what: string, subject: string, more = ''): void =>
  trace.note(scheduler.now, what, subject, more);

const NEVER = new Promise<never>(() => {});

/** How one call of the code under test goes. */
export interface CallPlan {
  /** When it takes effect; never, if it does not arrive. */
  readonly effectMs?: number;
  /** When the answer arrives; never, if it is lost without a word. */
  readonly replyMs?: number;
  /** What is answered instead of what came of it. */
  readonly error?: RungarError;
  /** Whether not even the caller's signal ends it. */
  readonly deaf?: boolean;
}

/** One daemon's life. Once it is over, nothing it asked for is answered, and nothing it does has an effect. */
export class Life {
  over = false;
  /** How many calls it has left, when it is to be killed at one of them. */
  callsLeft = Number.POSITIVE_INFINITY;
  onDeath: () => void = () => {};
  readonly name: string;
  readonly #world: World;
  /** Sleeps under way: none may be left when a daemon has stopped. */
  sleepers = 0;
  /** How far its host's wall clock is ahead. */
  wallOffsetMs = 0;

  constructor(name: string, world: World) {
    this.name = name;
    this.#world = world;
  }

  end(): void {
    if (this.over) return;
    this.over = true;
    this.onDeath();
  }

  /**
   * Sends a call over the network.
   * @param effect what it does on the other side, and answers
   */
  send<T>(plan: CallPlan, signal: AbortSignal | undefined, effect: () => T): Promise<T> {
    if (this.over) return NEVER;
    if (--this.callsLeft <= 0) {
      const sent = this.#world.random.fraction() < 0.5;
      this.end();
      if (sent && plan.effectMs !== undefined) this.#world.scheduler.after(plan.effectMs, () => void quietly(effect));
      return NEVER;
    }
    return new Promise<T>((resolve, reject) => {
      if (signal?.aborted && !plan.deaf) return reject(signal.reason);
      this.#begin(plan, signal, effect, resolve, reject);
    });
  }

  #begin<T>(
    { effectMs, replyMs, error, deaf }: CallPlan,
    signal: AbortSignal | undefined,
    effect: () => T,
    resolve: (value: T) => void,
    reject: (error: unknown) => void,
  ): void {
    const { scheduler } = this.#world;
    let outcome: { value: T } | { failure: unknown } | undefined;
    const takeEffect = (): void => {
      outcome = quietly(effect);
    };
    if (effectMs !== undefined && effectMs !== replyMs) scheduler.after(effectMs, takeEffect);
    const heeded = deaf ? undefined : signal;
    const onAbort = (): void => {
      scheduler.cancel(reply);
      reject(signal?.reason);
    };
    const reply =
      replyMs === undefined
        ? undefined
        : scheduler.after(replyMs, () => {
            if (effectMs === replyMs) takeEffect();
            if (this.over) return;
            heeded?.removeEventListener('abort', onAbort);
            scheduler.wake();
            if (error) reject(error);
            else if (outcome && 'value' in outcome) resolve(outcome.value);
            else reject(outcome?.failure);
          });
    heeded?.addEventListener('abort', onAbort, { once: true });
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    if (this.over) return NEVER;
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const { scheduler } = this.#world;
      this.sleepers++;
      const onAbort = (): void => {
        scheduler.cancel(timer);
        this.sleepers--;
        reject(signal?.reason);
      };
      const timer = scheduler.after(Math.min(ms, 1e9), () => {
        if (this.over) return;
        this.sleepers--;
        signal?.removeEventListener('abort', onAbort);
        scheduler.wake();
        resolve();
      });
      signal?.addEventListener('abort', onAbort, { once: true });
    });
  }
}

function quietly<T>(effect: () => T): { value: T } | { failure: unknown } {
  try {
    return { value: effect() };
  } catch (failure) {
    return { failure };
  }
}
