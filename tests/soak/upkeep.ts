import type { ScaleSetPolicy } from '@rungar/model';
import type { Checks } from '../simulation/checks.js';
import type { SimGitHub } from '../simulation/github.js';
import type { SimMachine, SimProvider } from '../simulation/provider.js';
import { MINUTE } from '../simulation/world.js';

/**
 * For how long what should be put right may stay wrong while nothing else is: offline runners are waited for, failed
 * deletions repeated after a quarter of an hour, orphaned registrations left to age.
 */
const PATIENCE_MS = 30 * MINUTE;

export interface UpkeepParts {
  readonly checks: Checks;
  readonly github: SimGitHub;
  readonly providers: ReadonlyMap<string, SimProvider>;
  policies(): readonly ScaleSetPolicy[];
}

/** Looks for what is left lying about: machines, registrations, and jobs that nobody fetches a runner for. */
export class Upkeep {
  readonly #parts: UpkeepParts;
  #wrongSince = new Map<string, number>();

  constructor(parts: UpkeepParts) {
    this.#parts = parts;
  }

  /** @param calmSince since when nothing has been wrong that would excuse it */
  look(now: number, calmSince: number): void {
    const before = this.#wrongSince;
    this.#wrongSince = new Map();
    for (const [subject, what] of this.#wrongs(now)) {
      const since = before.get(subject) ?? now;
      this.#wrongSince.set(subject, since);
      if (now - Math.max(since, calmSince) > PATIENCE_MS) this.#parts.checks.report(what, subject, 'for half an hour');
    }
  }

  *#wrongs(now: number): Generator<readonly [subject: string, what: string]> {
    const { github, providers } = this.#parts;
    const machines = new Set<string>();
    for (const { name, machine } of standing(providers)) {
      machines.add(name);
      const runner = github.byName.get(name);
      if (machine.state === 'stopped') yield [machine.id, 'a machine that has ended is left'];
      else if (!runner) yield [machine.id, 'a machine without a registration is left'];
      else if (!runner.online) yield [machine.id, 'a machine whose runner is offline is left'];
    }
    for (const { name, foreign } of github.runners.values())
      if (!foreign && !machines.has(name)) yield [name, 'a registration without a machine is left'];
    for (const { name, maxRunners } of this.#parts.policies()) {
      const { waiting, registered } = github.set(name);
      const [first] = waiting;
      if (first && now - first.queuedAt > PATIENCE_MS && registered.size < maxRunners)
        yield [first.id, 'a job waits for nothing'];
    }
  }

  /** What must be so when all jobs are over: each scale set has its reserve, and nothing else. */
  checkRest(reserveOf: (policy: ScaleSetPolicy) => number): void {
    const { github, providers, checks } = this.#parts;
    for (const { id, scaleSet } of github.open) checks.report('a job is lost', id, scaleSet);
    for (const policy of this.#parts.policies()) {
      const { registered } = github.set(policy.name);
      const reserve = reserveOf(policy);
      if (registered.size !== reserve)
        checks.report('not the reserve at the end', policy.name, `${registered.size} where ${reserve} are wanted`);
    }
    for (const { name, machine } of standing(providers))
      if (!github.byName.get(name)?.online) checks.report('a machine is left at the end', name, machine.state);
  }
}

function* standing(providers: ReadonlyMap<string, SimProvider>): Generator<{ name: string; machine: SimMachine }> {
  for (const provider of providers.values())
    for (const machine of provider.machines.values()) if (!machine.foreign) yield { name: machine.name, machine };
}
