import type { ScaleSetPolicy } from '@rungar/model';
import { decideAfresh } from './decision.js';
import { Lead } from './lead.js';
import { setPaused } from './pause.js';
import { type Creation, type Deps, ScaleSet } from './scale-set.js';
import { type CredentialTrial, serve, warnOfLabels } from './session.js';
import { tick } from './ticker.js';
import { forManyWaits } from './time-limit.js';

/** The scale sets while they are served. */
interface Service {
  readonly lead: Lead;
  readonly trial: CredentialTrial;
  readonly stop: AbortSignal;
  /** Keeps hold of a part of it, whose failure ends all. */
  begin(part: Promise<void>): void;
}

/** How one scale set's service is ended, and when it has. */
interface Served {
  readonly end: AbortController;
  readonly ended: Promise<void>;
}

/** The scale sets there are, in configured order. Which ones, and how they are to be served, may change meanwhile. */
export class Roster {
  readonly sets = new Map<string, ScaleSet>();
  readonly #deps: Deps;
  readonly #configured: Set<string>;
  readonly #served = new Map<ScaleSet, Served>();
  /** Those let go, by name, until their sessions are closed. */
  readonly #leaving = new Map<string, Promise<void>>();
  /** By the name of the scale set: what is still being made counts for whoever comes back under that name. */
  readonly #creations = new Map<string, Map<string, Creation>>();
  #service: Service | undefined;

  /** @param configured is kept to the names of the scale sets */
  constructor(policies: readonly ScaleSetPolicy[], deps: Deps, configured: Set<string>) {
    this.#deps = deps;
    this.#configured = configured;
    for (const policy of policies) this.sets.set(policy.name, this.#newSet(policy));
    this.#noteNames();
  }

  /** Serves until the signal aborts, or until GitHub refuses the credential; either way everything is let go first. */
  async run(signal: AbortSignal): Promise<void> {
    const failed = new AbortController();
    const stop = forManyWaits(AbortSignal.any([signal, failed.signal]));
    const parts = new Set<Promise<void>>();
    let failure: { readonly error: unknown } | undefined;
    const begin = (part: Promise<void>): void => {
      const kept: Promise<void> = part
        .catch((error: unknown) => {
          failure ??= { error };
          failed.abort(error);
        })
        .finally(() => parts.delete(kept));
      parts.add(kept);
    };
    this.#service = { lead: new Lead([...this.sets.keys()]), trial: { proven: false }, stop, begin };
    const ticking = tick(this.#deps, this.sets, stop).catch((error: unknown) => {
      if (!stop.aborted) throw error;
    });
    begin(ticking);
    for (const set of this.sets.values()) this.#serve(set, this.#service);
    // Whoever joins meanwhile is waited for too.
    while (parts.size > 0) await Promise.all(parts);
    this.#service = undefined;
    for (const set of this.sets.values()) set.setPhase('starting', 'nothing is served: the reconciler has ended');
    if (failure) throw failure.error;
    this.#deps.logger.info('Stopped; runners are left for the next start');
  }

  /**
   * Goes on with these scale sets: others are let go, their runners left, and new ones are served. One that is in
   * another runner group now is another one at GitHub.
   * @returns when those let go have closed their sessions
   */
  async apply(policies: readonly ScaleSetPolicy[]): Promise<void> {
    const before = new Map(this.sets);
    this.sets.clear();
    const added: ScaleSet[] = [];
    for (const policy of policies) {
      const old = before.get(policy.name);
      if (old && old.policy.runnerGroup === policy.runnerGroup) {
        before.delete(policy.name);
        this.sets.set(policy.name, old);
        takeUp(old, policy);
      } else {
        const set = this.#newSet(policy);
        if (old && old.policy.paused === policy.paused) set.startPaused(old.paused);
        this.sets.set(policy.name, set);
        added.push(set);
      }
    }
    this.#noteNames();
    const service = this.#service;
    service?.lead.reorder([...this.sets.keys()]);
    for (const set of before.values()) this.#letGo(set);
    // A session of the same name is closed before the next one is asked for.
    if (service) for (const set of added) this.#serve(set, service, this.#leaving.get(set.name));
    for (const set of this.sets.values()) {
      try {
        decideAfresh(set);
      } catch (error) {
        // One scale set's error is no reason to leave the others as they were.
        set.log.error('Unexpected failure', { error });
      }
    }
    await Promise.all(this.#leaving.values());
  }

  #newSet(policy: ScaleSetPolicy): ScaleSet {
    const creations = this.#creations.get(policy.name) ?? new Map<string, Creation>();
    this.#creations.set(policy.name, creations);
    return new ScaleSet(policy, this.#deps, creations);
  }

  #serve(set: ScaleSet, { lead, trial, stop, begin }: Service, after: Promise<unknown> = Promise.resolve()): void {
    const end = new AbortController();
    const signal = forManyWaits(AbortSignal.any([stop, end.signal]));
    const ended = after.then(() => serve({ set, lead, trial, signal }));
    this.#served.set(set, { end, ended });
    begin(ended.finally(() => this.#served.delete(set)));
  }

  #letGo(set: ScaleSet): void {
    const { name } = set;
    const left = Promise.all([this.#leaving.get(name), this.#end(set)]).then(() => {
      if (this.#leaving.get(name) === left) this.#leaving.delete(name);
    });
    this.#leaving.set(name, left);
  }

  async #end(set: ScaleSet): Promise<void> {
    const served = this.#served.get(set);
    set.log.info('Let go: it is not configured any more; its runners are left');
    served?.end.abort(new Error('the scale set is not configured any more'));
    await served?.ended.catch(() => {});
    this.#deps.fleet.unregister(set.name, set.book);
    if (!this.sets.has(set.name)) set.unshow();
  }

  #noteNames(): void {
    this.#configured.clear();
    for (const name of this.sets.keys()) this.#configured.add(name);
  }
}

/** What somebody paused or resumed by hand stays so, unless the configuration changes just that. */
function takeUp(set: ScaleSet, policy: ScaleSetPolicy): void {
  const before = set.policy;
  set.adopt(policy);
  if (before.paused !== policy.paused) setPaused(set, policy.paused);
  if (set.record && before.labels.join('\n') !== policy.labels.join('\n')) warnOfLabels(set, set.record);
}
