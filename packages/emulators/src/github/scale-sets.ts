import type { RunnerGroup, ScaleSet, ScaleSetLabel, Scope } from './entities.js';
import type { JobBoard } from './jobs.js';
import { MessageQueue } from './message-queue.js';
import type { Runners } from './runners.js';
import type { Sessions } from './sessions.js';
import { viewScaleSet } from './views.js';
import type { World } from './world.js';

export interface NewScaleSet {
  readonly scope: Scope;
  readonly name: string;
  readonly group: RunnerGroup;
  /** Without any, its name is its label. */
  readonly labels: readonly ScaleSetLabel[];
  readonly disableUpdate: boolean;
}

/** A scale set whose time is nearly over is looked at again after so long. */
const LOOK_AGAIN_MS = 1_000;

/** The scale sets that exist. */
export class ScaleSets {
  readonly #world: World;
  readonly #board: JobBoard;
  readonly #runners: Runners;
  readonly #sessions: Sessions;

  constructor(world: World, board: JobBoard, runners: Runners, sessions: Sessions) {
    this.#world = world;
    this.#board = board;
    this.#runners = runners;
    this.#sessions = sessions;
  }

  /** Creates one whose name is free in its group. */
  create({ scope, name, group, labels, disableUpdate }: NewScaleSet): ScaleSet {
    const scaleSet: ScaleSet = {
      id: this.#world.take('scaleSet'),
      scope,
      name,
      group,
      labels: labels.length > 0 ? labels : [{ type: 'System', name }],
      disableUpdate,
      createdAt: this.#world.clock.now(),
      queue: new MessageQueue(() => this.#world.take('message')),
      session: undefined,
      unusedSince: this.#world.clock.now(),
      offered: new Set(),
      assigned: new Set(),
      running: new Set(),
      runners: new Set(),
    };
    this.#world.scaleSets.set(scaleSet.id, scaleSet);
    this.tell(scaleSet, 'created');
    this.#purgeUnused(scaleSet);
    return scaleSet;
  }

  named(scope: Scope, group: RunnerGroup, name: string): ScaleSet | undefined {
    return [...this.#world.scaleSets.values()].find(
      (scaleSet) =>
        scaleSet.scope === scope && scaleSet.group === group && scaleSet.name.toLowerCase() === name.toLowerCase(),
    );
  }

  /** Removes a scale set with its session and its runners; what it has not begun goes back into the queue. */
  remove(scaleSet: ScaleSet, change: 'deleted' | 'purged'): void {
    if (scaleSet.session) this.#sessions.close(scaleSet.session);
    this.#world.scaleSets.delete(scaleSet.id);
    this.#board.release(scaleSet);
    for (const runner of [...scaleSet.runners]) {
      if (runner.job) this.#runners.finish(runner, runner.job, 'failed');
      else this.#runners.remove(runner);
    }
    this.tell(scaleSet, change);
    this.#board.settle();
  }

  /** Looks at the scale set when it could have been unused for too long, and again until it has been. */
  #purgeUnused(scaleSet: ScaleSet): void {
    const { clock, scaleSets, settings } = this.#world;
    const unusedMs = scaleSet.session ? 0 : clock.now() - scaleSet.unusedSince;
    clock.after(Math.max(settings.unusedScaleSetMs - unusedMs, LOOK_AGAIN_MS), () => {
      if (scaleSets.get(scaleSet.id) !== scaleSet) return;
      const isDue = !scaleSet.session && clock.now() - scaleSet.unusedSince >= settings.unusedScaleSetMs;
      if (isDue) this.remove(scaleSet, 'purged');
      else this.#purgeUnused(scaleSet);
    });
  }

  tell(scaleSet: ScaleSet, change: 'created' | 'updated' | 'deleted' | 'purged'): void {
    const { clock, events } = this.#world;
    events.emit({ at: clock.now(), type: 'scale-set', change, scaleSet: viewScaleSet(scaleSet) });
  }
}
