import type { World } from '../command.js';
import type {
  EventsAnswer,
  ProviderAnswer,
  ProvidersAnswer,
  RunnerAnswer,
  RunnersAnswer,
  ScaleSetAnswer,
  ScaleSetRemovalAnswer,
  ScaleSetsAnswer,
  StatusAnswer,
} from './answers.js';
import { call, stream } from './call.js';
import { socketPath } from './socket-path.js';

/** What each method answers. */
interface Answers {
  GetStatus: StatusAnswer;
  ListScaleSets: ScaleSetsAnswer;
  GetScaleSet: ScaleSetAnswer;
  RemoveScaleSet: ScaleSetRemovalAnswer;
  Reconcile: { readonly scale_sets?: readonly ScaleSetAnswer[] };
  PauseScaleSet: ScaleSetAnswer;
  ResumeScaleSet: ScaleSetAnswer;
  ListProviders: ProvidersAnswer;
  GetProvider: ProviderAnswer;
  DisableProvider: ProviderAnswer;
  EnableProvider: ProviderAnswer;
  ListRunners: RunnersAnswer;
  RemoveRunner: RunnerAnswer;
  Reload: { readonly applied?: readonly string[]; readonly needs_restart?: readonly string[] };
}

/** One command's talk with a daemon. */
export interface Session {
  readonly world: World;
  /** @throws what `call` throws */
  ask<M extends keyof Answers>(method: M, body?: Readonly<Record<string, unknown>>): Promise<Answers[M]>;
  /** @throws what `stream` throws */
  events(body: Readonly<Record<string, unknown>>, signal: AbortSignal): AsyncGenerator<EventsAnswer>;
}

/**
 * Nothing is connected before the first question.
 * @param socketFlag the daemon's socket as a flag gives it
 * @param signal ends questions in place of the world's
 */
export function openSession(socketFlag: unknown, world: World, signal: AbortSignal = world.signal): Session {
  const socket = socketPath(socketFlag, world.env);
  return {
    world,
    ask: (method, body = {}) => call({ socket, method, body, signal }),
    events: (body, until) => stream<EventsAnswer>({ socket, method: 'ListEvents', body, signal: until }),
  };
}
