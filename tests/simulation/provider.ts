import { LABEL, matchesSelector } from '@rungar/labels';
import {
  type CallOptions,
  type ChangeOptions,
  type DeleteOutcome,
  type Labels,
  type ListingPart,
  type Machine,
  type MachineListing,
  type MachineRef,
  type MachineRequest,
  type OpenProvider,
  RungarError,
} from '@rungar/model';
import type { SimGitHub, SimRunner } from './github.js';
import { between, type CallPlan, hit, type Life, MINUTE, note, pick, SECOND, type World } from './world.js';

export interface SimMachine {
  readonly id: string;
  readonly name: string;
  readonly provider: string;
  readonly part: string;
  readonly labels: Labels;
  readonly createdAt: number;
  /** Not of this installation's configured scale sets, or not ours at all: nobody may touch it. */
  readonly foreign: boolean;
  /** The registration it starts with; 0 for a copy. */
  readonly runnerId: number;
  state: 'starting' | 'running' | 'stopped';
  endedAt: number | undefined;
  /** Listings do not show it until then. */
  hiddenUntil: number;
  unknownSince: number | undefined;
  undeletableUntil: number;
  runner: SimRunner | undefined;
  /** The session that last saw it or made it, and since when. */
  knownBy: number;
  knownSince: number;
  /** Its creation was answered with an error: it is a leftover, not a runner. */
  leftover: boolean;
  /** Which session has begun to delete it. */
  deletedBy: number;
}

/** What the invariants are told about. */
export interface ProviderWatch {
  onCreateCall(life: Life, provider: SimProvider, request: MachineRequest): void;
  onCreateEnd(life: Life, provider: SimProvider, name: string, made: boolean): void;
  onDeleteCall(life: Life, provider: SimProvider, ref: MachineRef): void;
  onListed(life: Life, provider: SimProvider, machines: readonly SimMachine[] | undefined): void;
}

export interface ProviderTraits {
  readonly name: string;
  readonly parts: readonly string[];
  /** The most machines it has room for; 0 is no limit. */
  readonly room: number;
  readonly createMs: readonly [least: number, most: number];
  readonly bootMs: readonly [least: number, most: number];
  /** Whether it says when a request has been taken. */
  readonly accepts: boolean;
}

/** How old the picture is that a late listing shows. */
const LATE_MS = 20 * SECOND;

/** A backend, and everything that can go wrong with one. */
export class SimProvider {
  readonly machines = new Map<string, SimMachine>();
  readonly byName = new Map<string, Set<SimMachine>>();
  /** When the first machine of a name was made, whether or not it is still there. */
  readonly firstMade = new Map<string, number>();
  readonly traits: ProviderTraits;
  readonly world: World;
  readonly github: SimGitHub;
  readonly watch: ProviderWatch;
  downUntil = 0;
  /** The most machines it has room for; 0 is no limit. */
  room: number;
  partDownUntil = 0;
  slowUntil = 0;
  #gone: { readonly machine: SimMachine; readonly at: number }[] = [];
  #made = 0;

  constructor(world: World, github: SimGitHub, watch: ProviderWatch, traits: ProviderTraits) {
    this.world = world;
    this.github = github;
    this.watch = watch;
    this.traits = traits;
    this.room = traits.room;
  }

  get name(): string {
    return this.traits.name;
  }

  /** How many machines there have been. */
  get made(): number {
    return this.#made;
  }

  get isDown(): boolean {
    return this.world.scheduler.now < this.downUntil;
  }

  put(
    name: string,
    labels: Labels,
    more: { foreign?: boolean; runnerId?: number; part?: string; state?: SimMachine['state'] } = {},
  ): SimMachine {
    const { now } = this.world.scheduler;
    const machine: SimMachine = {
      id: `${this.name}-${++this.#made}`,
      name,
      provider: this.name,
      part: more.part ?? pick(this.world, this.traits.parts) ?? 'zone',
      labels,
      createdAt: now,
      foreign: more.foreign ?? false,
      runnerId: more.runnerId ?? 0,
      state: more.state ?? 'running',
      endedAt: undefined,
      hiddenUntil: 0,
      unknownSince: undefined,
      undeletableUntil: 0,
      runner: undefined,
      knownBy: 0,
      knownSince: Number.POSITIVE_INFINITY,
      leftover: false,
      deletedBy: 0,
    };
    this.machines.set(machine.id, machine);
    if (!this.firstMade.has(name)) this.firstMade.set(name, now);
    const named = this.byName.get(name);
    if (named) named.add(machine);
    else this.byName.set(name, new Set([machine]));
    return machine;
  }

  /** A machine is gone. */
  take(machine: SimMachine): void {
    if (!this.machines.delete(machine.id)) return;
    const named = this.byName.get(machine.name);
    named?.delete(machine);
    if (named?.size === 0) this.byName.delete(machine.name);
    const { now } = this.world.scheduler;
    this.#gone.push({ machine: { ...machine }, at: now });
    if (this.#gone.length > 64) this.#gone = this.#gone.filter(({ at }) => now - at <= LATE_MS);
    this.#cut(machine);
  }

  /** A machine has ended, and still stands. */
  end(machine: SimMachine): void {
    if (machine.state === 'stopped') return;
    machine.state = 'stopped';
    machine.endedAt = this.world.scheduler.now;
    note(this.world, 'machine ends', machine.name, machine.id);
    this.#cut(machine);
  }

  #cut(machine: SimMachine): void {
    const { runner } = machine;
    machine.runner = undefined;
    if (runner && this.github.runners.get(runner.id) === runner) this.github.lostMachine(runner);
  }

  portFor(life: Life): OpenProvider {
    return {
      list: (selector, options) => this.#list(life, selector, options),
      create: (request, options) => this.#create(life, request, options),
      delete: (ref, selector, options) => this.#delete(life, ref, selector, options),
      close: async () => {},
    };
  }

  async #list(life: Life, selector: Labels, { signal }: CallOptions): Promise<MachineListing> {
    if (life.over) return await new Promise<never>(() => {});
    const { scheduler } = this.world;
    const begunAt = scheduler.now;
    let seen: SimMachine[] | undefined;
    try {
      const answer = await life.send(this.#listPlan(), signal, () => {
        const parts = this.#picture(selector, begunAt);
        seen = parts.flatMap(({ shown }) => shown);
        // Its answers carry its own time, as those of HTTP do.
        return { parts: parts.map(({ part }) => part), clockOffsetMs: -life.wallOffsetMs };
      });
      this.watch.onListed(life, this, seen);
      return answer;
    } catch (error) {
      this.watch.onListed(life, this, undefined);
      throw error;
    }
  }

  #listPlan(): CallPlan {
    const { world } = this;
    const ms = between(world, 50, 400);
    if (this.isDown) {
      const replyMs = between(world, 100, 5_000);
      return world.random.fraction() < 0.2 ? {} : { replyMs, error: new RungarError('unavailable', 'it is down') };
    }
    if (hit(world, 'list fails', 0.03)) return { replyMs: ms, error: new RungarError('unavailable', 'no list now') };
    return { effectMs: ms, replyMs: ms };
  }

  #picture(selector: Labels, begunAt: number): { part: ListingPart; shown: SimMachine[] }[] {
    const { world } = this;
    const { now } = world.scheduler;
    const late = hit(world, 'list late', 0.15) ? between(world, SECOND, LATE_MS) : 0;
    const partDown = now < this.partDownUntil ? this.traits.parts[0] : undefined;
    const incomplete = hit(world, 'list incomplete', 0.05);
    const all = [...this.machines.values()].filter(({ createdAt }) => createdAt <= now - late);
    for (const { machine, at } of this.#gone) if (at > now - late) all.push(machine);
    return this.traits.parts.map((part) => {
      if (part === partDown) {
        const error = new RungarError('unavailable', `${part} does not answer`);
        return { part: { part, begunAt, machines: [], error }, shown: [] };
      }
      const shown = all.filter((machine) => {
        if (machine.part !== part || !matchesSelector(machine.labels, selector)) return false;
        // A machine is left out of listings for less than half a minute, and not again for a while.
        if (incomplete && machine.hiddenUntil < now - 10 * MINUTE && world.random.fraction() < 0.2)
          machine.hiddenUntil = now + between(world, 1, 24) * SECOND;
        return machine.hiddenUntil <= now;
      });
      return { part: { part, begunAt, machines: shown.map(viewOf) }, shown };
    });
  }

  async #create(life: Life, request: MachineRequest, { signal, onAccepted }: ChangeOptions): Promise<Machine> {
    if (life.over) return await new Promise<never>(() => {});
    const { world } = this;
    const { name } = request;
    this.watch.onCreateCall(life, this, request);
    note(world, 'create asked', name, `${life.name} ${this.name}`);
    const [least, most] = this.traits.createMs;
    let ms = between(world, least, most);
    if (world.scheduler.now < this.slowUntil) ms += between(world, SECOND, 30 * SECOND);
    if (this.traits.accepts && onAccepted) {
      world.scheduler.after(ms / 2, () => {
        if (life.over) return;
        world.scheduler.wake();
        onAccepted();
      });
    }
    let made: SimMachine | undefined;
    const make = (): Machine => {
      made = this.#make(request);
      return viewOf(made);
    };
    // Given up by the caller: whatever comes of it now is a leftover.
    signal.addEventListener('abort', () => this.watch.onCreateEnd(life, this, name, false), { once: true });
    try {
      const machine = await life.send(this.#createPlan(ms, request), signal, () => this.#makeIfRoom(make));
      if (signal.aborted) {
        if (made) made.leftover = true;
        return machine;
      }
      this.watch.onCreateEnd(life, this, name, true);
      return machine;
    } catch (error) {
      for (const one of this.byName.get(name) ?? []) one.leftover = true;
      this.watch.onCreateEnd(life, this, name, false);
      note(world, 'create fails', name, `${life.name} ${(error as Error).message}`);
      throw error;
    }
  }

  #createPlan(ms: number, request: MachineRequest): CallPlan {
    const { world } = this;
    const refused = (code: 'no_capacity' | 'internal' | 'unavailable', text: string): CallPlan => ({
      replyMs: ms,
      error: new RungarError(code, text),
    });
    if (this.isDown) return refused('unavailable', 'it is down');
    if (hit(world, 'full', 0.04)) return refused('no_capacity', 'no room now');
    if (hit(world, 'create refused', 0.03)) return refused('internal', 'it cannot');
    if (hit(world, 'create answer lost', 0.03))
      return { effectMs: ms / 2, replyMs: ms, error: new RungarError('unavailable', 'the answer was lost') };
    if (hit(world, 'create late', 0.015)) {
      world.scheduler.after(ms + between(world, SECOND, 60 * SECOND), () => {
        const late = this.#make(request);
        late.leftover = true;
      });
      return refused('unavailable', 'nobody knows');
    }
    if (hit(world, 'create hangs', 0.01)) {
      const after = between(world, SECOND, 6 * MINUTE);
      const replyMs = after + between(world, SECOND, 6 * MINUTE);
      return world.random.fraction() < 0.5
        ? { effectMs: after, replyMs, deaf: true }
        : { ...(world.random.fraction() < 0.5 && { effectMs: after }), deaf: true };
    }
    return { effectMs: ms / 2, replyMs: ms };
  }

  #makeIfRoom(make: () => Machine): Machine {
    const { room } = this;
    const standing = [...this.machines.values()].filter(({ foreign }) => !foreign).length;
    if (room > 0 && standing >= room) throw new RungarError('no_capacity', `room for ${room} only`);
    return make();
  }

  #make(request: MachineRequest): SimMachine {
    const { world } = this;
    const runnerId = Number(/^jit-of-(\d+)$/.exec(request.jitConfig.reveal())?.[1] ?? 0);
    const machine = this.put(request.name, request.labels, { runnerId, state: 'starting' });
    note(world, 'machine made', machine.name, `${this.name} ${machine.id}`);
    const [least, most] = this.traits.bootMs;
    const boot = between(world, least, most);
    world.scheduler.after(boot / 2, () => {
      if (machine.state === 'starting') machine.state = 'running';
    });
    if (hit(world, 'runner never connects', 0.01)) return machine;
    world.scheduler.after(boot, () => this.#connect(machine));
    return machine;
  }

  #connect(machine: SimMachine): void {
    const { world } = this;
    if (machine.state === 'stopped' || !this.machines.has(machine.id)) return;
    if (this.github.isDown) {
      world.scheduler.after(10 * SECOND, () => this.#connect(machine));
      return;
    }
    machine.runner = this.github.connect(machine.runnerId, () => this.#exit(machine));
    if (!machine.runner) this.#exit(machine);
    else if (hit(world, 'runner dies young', 0.005)) {
      world.scheduler.after(between(world, SECOND, 20 * SECOND), () => {
        if (machine.runner && !machine.runner.job) this.end(machine);
      });
    }
  }

  /** The runner's process has ended: the machine does too, is taken away, or goes on for nothing. */
  #exit(machine: SimMachine): void {
    machine.runner = undefined;
    if (!this.machines.has(machine.id)) return;
    const dice = this.world.random.fraction();
    if (dice < 0.5) this.end(machine);
    else if (dice < 0.65) this.take(machine);
  }

  async #delete(
    life: Life,
    ref: MachineRef,
    selector: Labels,
    { signal, onAccepted }: ChangeOptions,
  ): Promise<DeleteOutcome> {
    if (life.over) return await new Promise<never>(() => {});
    const { world } = this;
    this.watch.onDeleteCall(life, this, ref);
    note(world, 'delete asked', ref.name, `${life.name} ${this.name} ${ref.id ?? ''}`);
    const ms = between(world, 100, 800);
    if (this.traits.accepts && onAccepted) {
      world.scheduler.after(ms / 2, () => {
        if (life.over) return;
        world.scheduler.wake();
        onAccepted();
      });
    }
    return await life.send(this.#deletePlan(ms), signal, () => this.#carryOutDelete(ref, selector));
  }

  #deletePlan(ms: number): CallPlan {
    const { world } = this;
    if (this.isDown) return { replyMs: ms, error: new RungarError('unavailable', 'it is down') };
    if (hit(world, 'delete refused', 0.04)) return { replyMs: ms, error: new RungarError('internal', 'not now') };
    if (hit(world, 'delete answer lost', 0.02))
      return { effectMs: ms / 2, replyMs: ms, error: new RungarError('unavailable', 'the answer was lost') };
    if (hit(world, 'delete hangs', 0.01)) return world.random.fraction() < 0.5 ? { effectMs: ms } : {};
    return { effectMs: ms / 2, replyMs: ms };
  }

  #carryOutDelete(ref: MachineRef, selector: Labels): DeleteOutcome {
    const { now } = this.world.scheduler;
    const named = [...(this.byName.get(ref.name) ?? [])].filter(({ id }) => ref.id === undefined || id === ref.id);
    if (named.length === 0) return 'absent';
    const ours = named.filter(
      ({ labels }) => ref.id !== undefined || (matchesSelector(labels, selector) && labels[LABEL.runner] === ref.name),
    );
    if (ours.length === 0) return 'stranger';
    if (ours.some(({ undeletableUntil }) => undeletableUntil > now)) throw new RungarError('internal', 'it is locked');
    for (const machine of ours) {
      note(this.world, 'machine deleted', machine.name, machine.id);
      this.take(machine);
    }
    return 'deleted';
  }
}

function viewOf({ id, name, labels, state, createdAt, unknownSince }: SimMachine): Machine {
  return { id, name, labels, state: unknownSince === undefined ? state : 'unknown', size: 'simulated', createdAt };
}
