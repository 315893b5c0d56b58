import type { EmulatorClock } from '../clock.js';
import { type EmulatorRandom, randomHex } from '../random.js';
import type { Job, Runner, RunnerGroup, ScaleSet, Scope, Session } from './entities.js';
import { EventHub } from './events.js';
import type { GitHubSettings } from './settings.js';

export interface WorldOptions {
  readonly clock: EmulatorClock;
  readonly random: EmulatorRandom;
  readonly settings: GitHubSettings;
  readonly scopes: readonly string[];
  readonly people: readonly string[];
  readonly runnerGroups: readonly string[];
}

/** Message ids on GitHub have nine digits and more. */
const FIRST_MESSAGE_ID = 100_000_001;

/** Everything the emulated GitHub knows. */
export class World {
  readonly clock: EmulatorClock;
  readonly random: EmulatorRandom;
  readonly settings: GitHubSettings;
  readonly people: readonly string[];
  readonly events = new EventHub();
  readonly scaleSets = new Map<number, ScaleSet>();
  readonly runners = new Map<number, Runner>();
  readonly sessions = new Map<string, Session>();
  readonly jobs = new Map<string, Job>();
  readonly #scopes = new Map<string, Scope>();
  readonly #groups: readonly RunnerGroup[];
  readonly #next = { scaleSet: 1, runner: 1, job: 1, request: 1001, message: FIRST_MESSAGE_ID };

  constructor(options: WorldOptions) {
    this.clock = options.clock;
    this.random = options.random;
    this.settings = options.settings;
    this.#groups = ['Default', ...options.runnerGroups].map((name, index) => ({ id: index + 1, name }));
    this.people = options.people;
    for (const path of options.scopes) this.#addScope(path);
  }

  /** The next number of its kind. */
  take(kind: 'scaleSet' | 'runner' | 'job' | 'request' | 'message'): number {
    const number = this.#next[kind];
    this.#next[kind] += 1;
    return number;
  }

  get scopes(): readonly Scope[] {
    return [...this.#scopes.values()];
  }

  /** The scope of a path such as `acme/web`, in any case; undefined when it does not exist. */
  scope(path: string): Scope | undefined {
    const known = this.#scopes.get(path.toLowerCase());
    if (known) return known;
    const [owner = '', repository] = path.split('/');
    const owned = repository !== undefined && this.#scopes.get(owner.toLowerCase())?.kind === 'organisation';
    return owned ? this.#addScope(path) : undefined;
  }

  /** The account of that name, in any case; undefined when there is none. */
  account(name: string): { readonly login: string; readonly type: 'User' | 'Organization' } | undefined {
    const person = this.people.find((each) => each.toLowerCase() === name.toLowerCase());
    if (person !== undefined) return { login: person, type: 'User' };
    const scope = this.#scopes.get(name.toLowerCase());
    return scope?.kind === 'organisation' ? { login: scope.path, type: 'Organization' } : undefined;
  }

  #addScope(path: string): Scope {
    const [first = '', second, ...more] = path.split('/');
    if (first === '' || second === '' || more.length > 0) {
      throw new TypeError(`'${path}' is no scope: give an organisation, owner/repository or enterprises/name`);
    }
    const kind =
      second === undefined ? 'organisation' : first.toLowerCase() === 'enterprises' ? 'enterprise' : 'repository';
    const scope: Scope = { kind, path, tenantId: randomHex(this.random, 8), groups: this.#groups };
    this.#scopes.set(path.toLowerCase(), scope);
    return scope;
  }
}

/** Whether the runners of a scope may take the jobs of a repository. */
export function covers(scope: Scope, repository: string): boolean {
  const path = scope.path.toLowerCase();
  switch (scope.kind) {
    case 'enterprise':
      return true;
    case 'organisation':
      return repository.toLowerCase().startsWith(`${path}/`);
    case 'repository':
      return repository.toLowerCase() === path;
  }
}
