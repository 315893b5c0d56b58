import type { JobView, RunnerView, ScaleSetView, SessionView } from './views.js';

/** Something that happened in the emulated GitHub. */
export type GitHubEvent = { readonly at: number } & (
  | {
      readonly type: 'job';
      readonly change: 'queued' | 'offered' | 'assigned' | 'started' | 'completed' | 'requeued';
      readonly job: JobView;
    }
  | {
      readonly type: 'runner';
      readonly change: 'registered' | 'online' | 'busy' | 'offline' | 'gone';
      readonly runner: RunnerView;
    }
  | { readonly type: 'session'; readonly change: 'opened' | 'closed' | 'expired'; readonly session: SessionView }
  | {
      readonly type: 'scale-set';
      readonly change: 'created' | 'updated' | 'deleted' | 'purged';
      readonly scaleSet: ScaleSetView;
    }
);

/** Hears of every event, in order, as it happens. */
export type GitHubListener = (event: GitHubEvent) => void;

/** Passes events on. */
export class EventHub {
  readonly #listeners = new Set<GitHubListener>();
  readonly #watchers = new Set<() => void>();

  /** @returns stops listening */
  on(listener: GitHubListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * Calls back whenever something that can be looked at may be another: after each event, and after changes that are
   * too frequent to be events of their own.
   * @returns stops watching
   */
  watch(watcher: () => void): () => void {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  }

  emit(event: GitHubEvent): void {
    for (const listener of [...this.#listeners]) listener(event);
    this.stir();
  }

  /** Tells those who watch, and nobody else. */
  stir(): void {
    for (const watcher of [...this.#watchers]) watcher();
  }
}
