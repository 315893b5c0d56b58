import type { Backoff } from '../decide/backoff.js';
import type { Brake } from '../decide/brake.js';
import type { Hold } from '../decide/holds.js';
import type { FleetProvider } from '../ports.js';
import { Gate } from './gate.js';

/** Creations a provider is asked for at once; those it has accepted, and only finishes, are not counted. */
const CREATES_IN_FLIGHT = 64;
/** Creations registered or about to be, per provider: enough to keep the others busy, and none registered too early. */
const CREATES_AHEAD = CREATES_IN_FLIGHT + 32;
/** Deletions a provider is asked for at once, in the same way: one that deletes by the batch needs to see many. */
const DELETES_IN_FLIGHT = 128;
/** When many runners come to nothing at once, the consoles of some tell why. */
const CONSOLES_AT_ONCE = 4;

/** What is known of one provider, whatever scale set learned it. */
export interface ProviderState {
  config: FleetProvider;
  disabled: boolean;
  /** Taken out of the configuration: it goes once it has no runner left. */
  retired: boolean;
  /** Of the latest listing. */
  reachable: boolean;
  known: boolean;
  error?: string;
  /** What its backend says it is. */
  identity?: string;
  /** The earlier provider that leads to the same backend. */
  sameAs?: string;
  hold?: Hold;
  readonly claims: Map<string, number>;
  readonly backoffs: Map<string, Backoff>;
  readonly brakes: Map<string, Brake>;
  readonly ahead: Gate;
  readonly creates: Gate;
  readonly deletes: Gate;
  readonly consoles: Gate;
}

export function newProviderState(config: FleetProvider): ProviderState {
  return {
    config,
    disabled: config.disabled,
    retired: false,
    reachable: true,
    known: false,
    claims: new Map(),
    backoffs: new Map(),
    brakes: new Map(),
    ahead: new Gate(CREATES_AHEAD),
    creates: new Gate(CREATES_IN_FLIGHT),
    deletes: new Gate(DELETES_IN_FLIGHT),
    consoles: new Gate(CONSOLES_AT_ONCE),
  };
}

/** A provider whose calls outlast their limit is asked for one thing at a time until it answers. */
export function narrow(state: ProviderState): void {
  state.creates.limit = 1;
  state.ahead.limit = 1;
  state.deletes.limit = 1;
}

export function widen(state: ProviderState): void {
  state.creates.limit = CREATES_IN_FLIGHT;
  state.ahead.limit = CREATES_AHEAD;
  state.deletes.limit = DELETES_IN_FLIGHT;
}
