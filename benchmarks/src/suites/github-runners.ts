import type { GitHubRunner, GitHubScaleSet } from './github-jobs.js';

const PAGE = 100;

interface Page {
  readonly text: string;
  readonly etag: string;
}

/** All runners that GitHub has for an organisation, and the pages it lists them on: made anew only where they changed. */
export class GitHubRunners {
  readonly #byName = new Map<string, GitHubRunner>();
  #ordered: GitHubRunner[] | undefined;
  readonly #pages = new Map<number, Page>();
  readonly #stale = new Set<number>();
  #lastId = 0;
  #lastTag = 0;

  get count(): number {
    return this.#byName.size;
  }

  register(name: string, scaleSet: GitHubScaleSet, online = false): GitHubRunner {
    const runner: GitHubRunner = { id: ++this.#lastId, name, scaleSet, online, busy: false };
    this.#byName.set(name, runner);
    scaleSet.runners.add(runner);
    this.changed();
    return runner;
  }

  remove(runner: GitHubRunner): void {
    this.#byName.delete(runner.name);
    runner.scaleSet.runners.delete(runner);
    this.changed();
  }

  named(name: string): GitHubRunner | undefined {
    return this.#byName.get(name);
  }

  withId(id: number): GitHubRunner | undefined {
    return this.#inOrder.find((runner) => runner.id === id);
  }

  /** Every page may say something else than before. */
  changed(): void {
    this.#ordered = undefined;
    for (const number of this.#pages.keys()) this.#stale.add(number);
  }

  get lastPage(): number {
    return Math.max(1, Math.ceil(this.count / PAGE));
  }

  /** @param number from 1 */
  page(number: number): Page {
    const known = this.#pages.get(number);
    if (known && !this.#stale.delete(number)) return known;
    const text = this.#write(this.#inOrder.slice((number - 1) * PAGE, number * PAGE), this.count);
    const page = known?.text === text ? known : { text, etag: `W/"${number}-${++this.#lastTag}"` };
    this.#pages.set(number, page);
    return page;
  }

  /** The answer to a question for one name. */
  only(name: string): Page {
    const runner = this.#byName.get(name);
    const found = runner ? [runner] : [];
    return { text: this.#write(found, found.length), etag: `W/"${runner?.id}-${runner?.online}-${runner?.busy}"` };
  }

  /** In the order of their registration, as GitHub lists them. */
  get #inOrder(): readonly GitHubRunner[] {
    this.#ordered ??= [...this.#byName.values()];
    return this.#ordered;
  }

  #write(runners: readonly GitHubRunner[], total: number): string {
    const items = runners.map(
      ({ id, name, scaleSet, online, busy }) =>
        `{"id":${id},"name":"${name}","os":"Linux","status":"${online ? 'online' : 'offline'}","busy":${busy},` +
        `"ephemeral":true,"runner_group_id":1,"labels":[{"id":1,"name":"${scaleSet.name}","type":"custom"}]}`,
    );
    return `{"total_count":${total},"runners":[${items.join(',')}]}`;
  }
}
