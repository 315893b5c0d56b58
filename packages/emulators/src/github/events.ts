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

  /** @returns stops listening */
  on(listener: GitHubListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  emit(event: GitHubEvent): void {
    for (const listener of [...this.#listeners]) listener(event);
  }
}
