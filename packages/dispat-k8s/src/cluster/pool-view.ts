import type { Clock } from '@rungar/model';
import type { ClusterApi } from './api.js';
import { type ClusterEvent, warningsAbout } from './events.js';
import { observe } from './observe.js';
import { type NodeState, nodeStates, type PodObject } from './pods.js';
import type { Bell, Tasks } from './tasks.js';
import { type Workload, type WorkloadObject, workloadOf } from './workloads.js';

/** What the functions of this folder work with. */
export interface ClusterDeps {
  readonly api: ClusterApi;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** How often the cluster is asked why a node has no pod. */
const WARNINGS_MS = 5000;

interface Watched {
  workload: Workload;
  pods: readonly PodObject[];
  podsKnown: boolean;
  gone: boolean;
}

/** A pool as it stands: kept up to date by watches, until its tasks end. */
export class PoolView {
  readonly #watched: readonly Watched[];
  readonly #api: ClusterApi;
  readonly #clock: Clock;
  readonly #bell: Bell;
  readonly #prefix: string | undefined;
  #warnings: readonly ClusterEvent[] = [];

  constructor(
    found: readonly WorkloadObject[],
    prefix: string | undefined,
    { api, clock }: Pick<ClusterDeps, 'api' | 'clock'>,
    bell: Bell,
  ) {
    this.#watched = found.map((object) => ({
      workload: workloadOf(object, prefix),
      pods: [],
      podsKnown: false,
      gone: false,
    }));
    this.#api = api;
    this.#clock = clock;
    this.#bell = bell;
    this.#prefix = prefix;
  }

  /** Begins to watch; the bell rings at each change. */
  start(tasks: Tasks): void {
    for (const watched of this.#watched) {
      tasks.start((signal) => this.#watchWorkload(watched, signal));
      tasks.start((signal) => this.#watchPods(watched, signal));
    }
    tasks.start((signal) => this.#askWhy(signal));
  }

  /** Whether every workload's pods have been listed. */
  get known(): boolean {
    return this.#watched.every(({ podsKnown }) => podsKnown);
  }

  get workloads(): readonly Workload[] {
    return this.#watched.map(({ workload }) => workload);
  }

  /** The names of workloads that were deleted meanwhile. */
  get gone(): readonly string[] {
    return this.#watched.filter(({ gone }) => gone).map(({ workload }) => workload.name);
  }

  /** Every node, workloads in their order; one without a pod says why when the cluster did. */
  get nodes(): readonly NodeState[] {
    return this.#watched.flatMap(({ workload, pods }) => {
      const why = this.#warnings.findLast(({ about }) => about === `${workload.kind}/${workload.name}`);
      return nodeStates(workload, pods).map((state) =>
        state.phase === 'absent' && why ? { ...state, reason: why.reason, message: why.message } : state,
      );
    });
  }

  /** The cluster's warnings about the workloads and their pods, read now. */
  async warnings(signal: AbortSignal): Promise<readonly ClusterEvent[]> {
    const namespaces = new Set(this.workloads.map(({ namespace }) => namespace));
    const names = new Set(
      this.#watched.flatMap(({ workload, pods }) => [workload.name, ...pods.map(({ metadata }) => metadata.name)]),
    );
    const found: ClusterEvent[] = [];
    for (const namespace of namespaces) found.push(...(await warningsAbout(this.#api, namespace, names, signal)));
    return found;
  }

  async #watchWorkload(watched: Watched, signal: AbortSignal): Promise<void> {
    const { kind, namespace, name } = watched.workload;
    const apiVersion = kind === 'Job' ? 'batch/v1' : 'apps/v1';
    const query = { apiVersion, kind, namespace, fieldSelector: `metadata.name=${name}` };
    const onList = (items: readonly WorkloadObject[]): void => {
      const object = items.find(({ metadata }) => metadata.name === name);
      watched.gone = object === undefined;
      if (object) watched.workload = workloadOf(object, this.#prefix);
      this.#bell.ring();
    };
    await observe<WorkloadObject>(query, { api: this.#api, clock: this.#clock }, onList, signal);
  }

  async #watchPods(watched: Watched, signal: AbortSignal): Promise<void> {
    const { namespace, podSelector } = watched.workload;
    const query = { apiVersion: 'v1', kind: 'Pod', namespace, labelSelector: podSelector };
    const onList = (pods: readonly PodObject[]): void => {
      watched.pods = pods;
      watched.podsKnown = true;
      this.#bell.ring();
    };
    await observe<PodObject>(query, { api: this.#api, clock: this.#clock }, onList, signal);
  }

  async #askWhy(signal: AbortSignal): Promise<void> {
    for (;;) {
      await this.#clock.sleep(WARNINGS_MS, signal);
      if (!this.nodes.some(({ phase }) => phase === 'absent')) continue;
      this.#warnings = await this.warnings(signal);
      this.#bell.ring();
    }
  }
}
