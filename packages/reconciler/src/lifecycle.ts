import { type Clock, RungarError } from '@rungar/model';

/** `failed`: GitHub refused the credential, or something nobody foresaw; nothing is served until the next start. */
export type ReconcilerState = 'stopped' | 'running' | 'stopping' | 'failed';

/** What one reconciler does over time: it serves, or it does not. */
export class Lifecycle {
  state: ReconcilerState = 'stopped';
  since: number;
  error: unknown;
  ended: Promise<void> = Promise.resolve();
  #stop = new AbortController();
  readonly #serve: (signal: AbortSignal) => Promise<void>;
  readonly #clock: Clock;

  constructor(serve: (signal: AbortSignal) => Promise<void>, clock: Clock) {
    this.#serve = serve;
    this.#clock = clock;
    this.since = clock.wallNow();
  }

  /** @throws RungarError `busy` while it serves */
  start(signal?: AbortSignal): Promise<void> {
    if (this.state === 'running' || this.state === 'stopping')
      throw new RungarError('busy', 'this reconciler runs already; stop it first, or make another one');
    this.#stop = new AbortController();
    const either = signal ? AbortSignal.any([signal, this.#stop.signal]) : this.#stop.signal;
    const stopping = (): void => {
      if (this.state === 'running') this.#become('stopping');
    };
    this.error = undefined;
    this.#become('running');
    if (either.aborted) stopping();
    else either.addEventListener('abort', stopping, { once: true });
    this.ended = this.#serve(either)
      .finally(() => either.removeEventListener('abort', stopping))
      .then(
        () => this.#become('stopped'),
        (error: unknown) => {
          this.error = error;
          this.#become('failed');
          throw error;
        },
      );
    // Whoever asks for the end hears of a failure; nobody has to.
    this.ended.catch(() => {});
    return this.ended;
  }

  async stop(): Promise<void> {
    this.#stop.abort(new Error('the reconciler was stopped'));
    await this.ended.catch(() => {});
  }

  #become(state: ReconcilerState): void {
    if (this.state === state) return;
    this.state = state;
    this.since = this.#clock.wallNow();
  }
}
