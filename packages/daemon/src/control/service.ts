import { create, type MessageInitShape } from '@bufbuild/protobuf';
import type { ServiceImpl } from '@connectrpc/connect';
import type { GitHubClient } from '@rungar/github';
import { type Clock, type Redactor, RungarError, type RungarEvent } from '@rungar/model';
import type { Reconciler, RunnersView, ScaleSetStatus } from '@rungar/reconciler';
import {
  type DaemonSchema,
  type ListEventsRequest,
  type ListEventsResponse,
  ListEventsResponseSchema,
  type ProviderSchema,
  type RungarService,
  type ScaleSetSchema,
} from '../../gen/rungar/v1/rungar_pb.js';
import type { ByHand } from '../by-hand/by-hand.js';
import type { EventLog } from '../event-log.js';
import type { EventQuery } from '../events/event-query.js';
import type { MachineTime } from '../metrics/machine-time.js';
import type { Reloaded } from '../reload/reload.js';
import type { RunnerVersions } from '../runner-versions.js';
import { toDisabling, toPause, toWish } from './by-hand-messages.js';
import { toConnectError } from './errors.js';
import { answerExplain } from './explain-service.js';
import { createGitHubView, toStanding } from './github-view.js';
import {
  fromTimestamp,
  type ScaleSetSurroundings,
  toEvent,
  toLeftover,
  toProvider,
  toRunner,
  toScaleSet,
  toTimestamp,
  toVersionUse,
} from './messages.js';
import { answerPlan, type RunningConfig } from './plan-service.js';

/** What the daemon is, for those who ask. */
export interface DaemonFacts {
  readonly version: string;
  readonly commit: string;
  /** Epoch milliseconds by the wall clock. */
  readonly startedAt: number;
  readonly configFile: string;
  readonly installation: string;
  readonly github: { readonly url: string; readonly scope: string; readonly credentials: string };
}

export interface ServiceOptions {
  readonly facts: DaemonFacts;
  readonly reconciler: Reconciler;
  readonly github: GitHubClient;
  readonly events: EventLog;
  readonly byHand: ByHand;
  readonly machineTime: Pick<MachineTime, 'ofScaleSet' | 'ofProvider'>;
  readonly runnerVersions: Pick<RunnerVersions, 'ofScaleSet'>;
  /** Reads the configuration again. Without it that cannot be done. */
  reload?(signal: AbortSignal): Promise<Reloaded>;
  readonly clock: Clock;
  readonly redactor: Redactor;
  /** What was read last. Without it nothing can be planned under another configuration. */
  runningConfig?(): RunningConfig;
}

/** How many events of the history one response carries. */
const EVENT_BATCH = 500;

const DEFAULT_RUNNER_GROUP = 'Default';

/** The control API's methods (docs/reference/control-api.md). */
export function createControlService(options: ServiceOptions): ServiceImpl<typeof RungarService> {
  const { reconciler, events, redactor, facts, clock, byHand, machineTime, runnerVersions } = options;
  const github = createGitHubView(options.github, redactor);

  const daemon = (githubError: string): MessageInitShape<typeof DaemonSchema> => ({
    version: facts.version,
    commit: facts.commit,
    startTime: toTimestamp(facts.startedAt),
    configFile: facts.configFile,
    installation: facts.installation,
    github: { ...facts.github, error: githubError, ...toStanding(options.github.standing(), clock.wallNow()) },
    eventsError: events.trouble ?? '',
  });

  const providers = (view: RunnersView): MessageInitShape<typeof ProviderSchema>[] => {
    const counts = countBy(view, (runner) => runner.provider);
    return reconciler.providers().map((status) => {
      const error = view.unreachable[status.name];
      const listing = { runnerCount: counts.get(status.name) ?? 0, ...(error !== undefined && { error }) };
      return {
        ...toProvider(status, listing, clock.now()),
        ...toDisabling(byHand.disablingOf(status.name), status.disabled),
        machineHours: machineTime.ofProvider(status.name),
      };
    });
  };

  const scaleSet = (status: ScaleSetStatus, around: ScaleSetSurroundings): MessageInitShape<typeof ScaleSetSchema> => ({
    ...toScaleSet(status, around),
    ...toPause(byHand.pauseOf(status.name), status.paused),
    machineHours: machineTime.ofScaleSet(status.name),
    runnerVersions: runnerVersions.ofScaleSet(status.name).map(toVersionUse),
  });

  const changed = (name: string): MessageInitShape<typeof ScaleSetSchema> => {
    const status = statusOf(name);
    if (!status) throw new RungarError('not_found', `there is no scale set "${name}" any more`);
    return scaleSet(status, {});
  };

  const statusOf = (name: string) => reconciler.scaleSets().find((status) => status.name === name);

  const oneProvider = async (name: string, signal: AbortSignal): Promise<MessageInitShape<typeof ProviderSchema>> => {
    const known = reconciler.providers().map((status) => status.name);
    if (!known.includes(name)) {
      throw new RungarError('not_found', `there is no provider "${name}", only ${known.join(', ') || 'none at all'}`);
    }
    const view = await reconciler.listRunners({ provider: name }, signal);
    const found = providers(view).find((provider) => provider.name === name);
    if (!found) throw new RungarError('not_found', `there is no provider "${name}" any more`);
    return found;
  };

  return {
    async getStatus(_, { signal }) {
      const view = await reconciler.listRunners({}, signal);
      const counts = countMachines(view);
      return {
        daemon: daemon(view.githubError ?? ''),
        scaleSets: reconciler
          .scaleSets()
          .map((status) => scaleSet(status, { fleetRunners: counts.get(status.name) ?? 0 })),
        providers: providers(view),
        runners: view.runners.map(toRunner),
        unreachableProviders: { ...view.unreachable },
      };
    },

    async listScaleSets(_, { signal }) {
      const view = await reconciler.listRunners({}, signal);
      const counts = countMachines(view);
      const configured = reconciler.scaleSets();
      const names = new Set(configured.map((status) => status.name));
      const leftovers = [...counts.keys()].filter((name) => !names.has(name)).sort();
      const parts = await github.findAll(
        [...configured, ...leftovers.map((name) => ({ name, runnerGroup: DEFAULT_RUNNER_GROUP }))],
        signal,
      );
      const around = (name: string, index: number) => ({
        fleetRunners: counts.get(name) ?? 0,
        ...(parts[index] && { github: parts[index] }),
      });
      return {
        scaleSets: [
          ...configured.map((status, index) => scaleSet(status, around(status.name, index))),
          ...leftovers.map((name, index) => toLeftover(name, around(name, configured.length + index))),
        ],
        unreachableProviders: { ...view.unreachable },
      };
    },

    async getScaleSet({ name, runnerGroup }, { signal }): Promise<MessageInitShape<typeof ScaleSetSchema>> {
      const view = await reconciler.listRunners({ scaleSet: name }, signal);
      const status = statusOf(name);
      const group = runnerGroup || status?.runnerGroup || DEFAULT_RUNNER_GROUP;
      const part = await github.find(name, group, signal);
      const around = { fleetRunners: countMachines(view).get(name) ?? 0, github: part };
      if (status) return scaleSet(status, around);
      if (around.fleetRunners > 0 || part.found) return toLeftover(name, around);
      if (part.error) throw new RungarError('unavailable', `GitHub could not be asked about "${name}": ${part.error}`);
      throw new RungarError('not_found', `there is no scale set "${name}" in the runner group "${group}"`);
    },

    async pauseScaleSet(request) {
      await byHand.pause(request.name, toWish(request));
      return changed(request.name);
    },

    async resumeScaleSet({ name }) {
      await byHand.resume(name);
      return changed(name);
    },

    async listProviders(_, { signal }) {
      return { providers: providers(await reconciler.listRunners({}, signal)) };
    },

    getProvider: ({ name }, { signal }) => oneProvider(name, signal),

    async listRunners({ scaleSet, provider }, { signal }) {
      const view = await reconciler.listRunners(
        { ...(scaleSet !== '' && { scaleSet }), ...(provider !== '' && { provider }) },
        signal,
      );
      return {
        runners: view.runners.map(toRunner),
        unreachableProviders: { ...view.unreachable },
        githubError: view.githubError ?? '',
      };
    },

    async *listEvents(request, { signal }) {
      try {
        const query = toQuery(request);
        if (!request.follow) {
          yield* batches(events.read(query));
          return;
        }
        const { history, follower } = events.follow(query);
        yield* batches(history);
        for await (const event of follower.events(signal)) yield { events: [toEvent(event)] };
      } catch (error) {
        throw toConnectError(error, redactor);
      }
    },

    async reconcile({ scaleSets: names }, { signal }) {
      const configured = reconciler.scaleSets().map(({ name }) => name);
      const stranger = names.find((name) => !configured.includes(name));
      if (stranger !== undefined) {
        throw new RungarError(
          'not_found',
          `there is no scale set "${stranger}", only ${configured.join(', ') || 'none at all'}`,
        );
      }
      const wanted = names.length === 0 ? configured : names;
      const scaleSets: MessageInitShape<typeof ScaleSetSchema>[] = [];
      for (const name of new Set(wanted)) scaleSets.push(scaleSet(await reconciler.reconcile(name, signal), {}));
      return { scaleSets };
    },

    async removeRunner({ name }, { signal }) {
      return toRunner(await reconciler.removeRunner(name, signal));
    },

    async removeScaleSet({ name, runnerGroup }, { signal }) {
      const group = runnerGroup || DEFAULT_RUNNER_GROUP;
      const { removed, busyLeft, scaleSetId = 0 } = await reconciler.removeScaleSet(name, { group }, signal);
      return { removed: removed.map(toRunner), busyLeft, scaleSetId: BigInt(scaleSetId) };
    },

    async disableProvider(request, { signal }) {
      await byHand.disable(request.name, toWish(request));
      return oneProvider(request.name, signal);
    },

    async enableProvider({ name }, { signal }) {
      await byHand.enable(name);
      return oneProvider(name, signal);
    },

    plan: (request) => answerPlan(request, options),

    explain: (request, { signal }) => answerExplain(request, options, signal),

    async reload(_, { signal }) {
      if (!options.reload) throw new RungarError('invalid_argument', 'this daemon was not started from a file');
      const { applied, needsRestart } = await options.reload(signal);
      return { applied: [...applied], needsRestart: [...needsRestart] };
    },
  };
}

function countBy(view: RunnersView, key: (runner: RunnersView['runners'][number]) => string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const runner of view.runners) counts.set(key(runner), (counts.get(key(runner)) ?? 0) + 1);
  return counts;
}

/** How many machines each scale set has on the fleet: a registration without one is none. */
function countMachines(view: RunnersView): Map<string, number> {
  return countBy(
    { ...view, runners: view.runners.filter((runner) => runner.provider !== '') },
    (runner) => runner.scaleSet,
  );
}

function toQuery({ scaleSet, provider, runner, since, limit }: ListEventsRequest): EventQuery {
  return { scaleSet, provider, runner, limit, ...(since && { since: fromTimestamp(since) }) };
}

/** The history, oldest first, in responses of bounded size. The last says that it is the last, also of nothing. */
function* batches(history: readonly RungarEvent[]): Generator<ListEventsResponse> {
  for (let start = 0; start === 0 || start < history.length; start += EVENT_BATCH) {
    const events = history.slice(start, start + EVENT_BATCH).map(toEvent);
    yield create(ListEventsResponseSchema, { events, caughtUp: start + EVENT_BATCH >= history.length });
  }
}
