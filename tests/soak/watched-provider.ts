import type { OpenProvider } from '@rungar/model';
import type { SimGitHub } from '../simulation/github.js';
import { type ProviderTraits, type ProviderWatch, SimProvider } from '../simulation/provider.js';
import type { Life, World } from '../simulation/world.js';
import type { CallCounts } from './calls.js';

/** A simulated provider with its calls counted. */
export class WatchedProvider extends SimProvider {
  readonly #calls: CallCounts;

  constructor(world: World, github: SimGitHub, watch: ProviderWatch, traits: ProviderTraits, calls: CallCounts) {
    super(world, github, watch, traits);
    this.#calls = calls;
  }

  override portFor(life: Life): OpenProvider {
    const inner = super.portFor(life);
    const count = (kind: string): void => this.#calls.add(this.name, kind);
    return {
      list: (selector, options) => {
        count('list');
        return inner.list(selector, options);
      },
      create: (request, options) => {
        count('create');
        return inner.create(request, options);
      },
      delete: (ref, selector, options) => {
        count('delete');
        return inner.delete(ref, selector, options);
      },
      close: () => inner.close(),
    };
  }
}
