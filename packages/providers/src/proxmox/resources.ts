import type { Clock } from '@rungar/model';
import { waitFor } from '../shared/within-limit.js';
import type { Pve } from './api.js';
import { PveError } from './errors.js';

/** A VM, as the cluster lists it. Names, statuses and sizes come from its node and lag behind by some seconds. */
export interface ListedVm {
  readonly vmid: number;
  readonly node: string;
  /** Empty while its node has not told it yet. */
  readonly name: string;
  readonly status: string;
  readonly isTemplate: boolean;
  /** As they are, in whatever order and case. */
  readonly tags: string;
  readonly lock: string;
  /** Undefined while its node has not told it yet. */
  readonly cores: number | undefined;
  /** Bytes. */
  readonly memory: number | undefined;
  readonly memoryUsed: number;
}

/** A node, as the cluster lists it. */
export interface ListedNode {
  readonly name: string;
  readonly isOnline: boolean;
  /** 0 where it is not known. */
  readonly cores: number;
  /** Bytes; 0 where it is not known. */
  readonly memory: number;
  readonly memoryUsed: number;
}

/** What the cluster has, in one answer. */
export interface Resources {
  /** On the monotonic clock, before the question was sent. */
  readonly begunAt: number;
  readonly vms: readonly ListedVm[];
  readonly nodes: readonly ListedNode[];
  readonly storages: ReadonlySet<string>;
  readonly pools: ReadonlySet<string>;
  /** Every VMID in use, containers' included. */
  readonly vmids: ReadonlySet<number>;
}

type Entry = Readonly<Record<string, unknown>>;

/** Asks for everything the cluster has: VMs and nodes in one answer, so that they fit one another. */
export async function readResources(pve: Pve, clock: Clock, signal: AbortSignal): Promise<Resources> {
  const begunAt = clock.now();
  const entries = await pve.get('cluster/resources', signal);
  if (!Array.isArray(entries)) throw new PveError('unanswered', 'cluster/resources: the answer is not a list');
  const vms: ListedVm[] = [];
  const nodes: ListedNode[] = [];
  const storages = new Set<string>();
  const pools = new Set<string>();
  const vmids = new Set<number>();
  for (const entry of entries as readonly Entry[]) {
    if (entry.type === 'qemu') vms.push(toVm(entry));
    else if (entry.type === 'node') nodes.push(toNode(entry));
    else if (entry.type === 'storage') storages.add(textOf(entry.storage));
    else if (entry.type === 'pool') pools.add(textOf(entry.pool));
    if (entry.type === 'qemu' || entry.type === 'lxc') vmids.add(numberOf(entry.vmid));
  }
  // A cluster has at least the node that answers: where none is listed, nothing else is sure to be.
  if (nodes.length === 0) throw new PveError('unanswered', 'cluster/resources: the answer lists no node');
  return { begunAt, vms, nodes, storages, pools, vmids };
}

function toVm(entry: Entry): ListedVm {
  return {
    vmid: numberOf(entry.vmid),
    node: textOf(entry.node),
    name: textOf(entry.name),
    status: textOf(entry.status),
    isTemplate: numberOf(entry.template) === 1,
    tags: textOf(entry.tags),
    lock: textOf(entry.lock),
    cores: entry.maxcpu === undefined ? undefined : Math.trunc(numberOf(entry.maxcpu)),
    memory: entry.maxmem === undefined ? undefined : Math.trunc(numberOf(entry.maxmem)),
    memoryUsed: numberOf(entry.mem),
  };
}

function toNode(entry: Entry): ListedNode {
  return {
    name: textOf(entry.node),
    isOnline: entry.status === 'online',
    cores: Math.trunc(numberOf(entry.maxcpu)),
    memory: Math.trunc(numberOf(entry.maxmem)),
    memoryUsed: Math.trunc(numberOf(entry.mem)),
  };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** A number, which some versions write as text; 0 where there is none. */
function numberOf(value: unknown): number {
  const number = typeof value === 'string' || typeof value === 'number' ? Number(value) : 0;
  return Number.isFinite(number) ? number : 0;
}

/** The cluster's listing, asked for once by however many want it. */
export interface SharedResources {
  /** One that was begun at most `maxAgeMs` ago. */
  recent(maxAgeMs: number, signal: AbortSignal): Promise<Resources>;
  /** One that is begun after this call. */
  fresh(signal: AbortSignal): Promise<Resources>;
}

/** @param ask must not depend on any one caller: its answer is everybody's */
export function shareResources(clock: Clock, ask: () => Promise<Resources>): SharedResources {
  let latest: Resources | undefined;
  let running: { readonly begunAt: number; readonly answer: Promise<Resources> } | undefined;
  let next: Promise<Resources> | undefined;

  const start = (): Promise<Resources> => {
    const answer = ask();
    const mine = { begunAt: clock.now(), answer };
    running = mine;
    const done = (): void => {
      if (running === mine) running = undefined;
    };
    answer.then((resources) => {
      latest = resources;
      done();
    }, done);
    return answer;
  };

  /** Begun when the one that is running has been answered. */
  const startNext = (after: Promise<Resources>): Promise<Resources> => {
    const begin = (): Promise<Resources> => {
      next = undefined;
      return start();
    };
    const answer = after.then(begin, begin);
    next = answer;
    return answer;
  };

  return {
    recent(maxAgeMs, signal) {
      const oldest = clock.now() - maxAgeMs;
      if (latest && latest.begunAt >= oldest) return Promise.resolve(latest);
      const answer = running && running.begunAt >= oldest ? running.answer : start();
      return waitFor(answer, signal);
    },
    fresh(signal) {
      const answer = next ?? (running ? startNext(running.answer) : start());
      return waitFor(answer, signal);
    },
  };
}
