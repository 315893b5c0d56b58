import { isRunnerNameOf, LABEL } from '@rungar/labels';
import type { Machine, MachineState, ScaleSetPolicy } from '@rungar/model';
import { decideAdoption, onOwnClock } from './adoption.js';
import {
  LEFT_GRACE_MS,
  LEFT_MOST_MS,
  type LeavingFacts,
  type LookUp,
  type Memory,
  placeOf,
  type RunnerFacts,
  type Seen,
  type SeenFleet,
  type SeenMachine,
  type Sighting,
  WRITE_OFF_MS,
} from './facts.js';
import { answerFor, statusChange } from './github-status.js';
import { decideOutcome, isDeletionDue } from './leaving.js';
import { type Match, matchByName } from './match.js';
import { decideOrphans } from './orphans.js';
import type { PassPlan, PlanItem } from './plan.js';
import type { Proof } from './proof.js';
import { type Answer, decideRemoval, needsLookUp, staysUnasked } from './removal.js';
import { decideReplacement, type ReplacementCandidate } from './replacement.js';
import { isNews } from './sighting.js';
import { coverageOf, decideAbsence, isWrittenOff, partKey } from './suspects.js';
import { ALIVE, decideMachine, isAlive } from './unknown-state.js';

/** What a pass is planned for: the policy, the scale set's id at GitHub, and both clocks' present. */
export interface PassContext {
  readonly policy: ScaleSetPolicy;
  readonly scaleSetId: number;
  readonly now: number;
  readonly wallNow: number;
}

/** Plans one pass. Pure: it reads its arguments, changes nothing and asks nobody. */
export function planPass(context: PassContext, seen: Seen, memory: Memory): PassPlan {
  return planMatched(context, seen, memory, matchByName(seen.fleet, memory.runners));
}

/** Plans one pass in the same way, with the runners of the memory and the machines seen matched already. */
export function planMatched(context: PassContext, seen: Seen, memory: Memory, match: Match): PassPlan {
  return new PassPlanner(context, seen, memory, match).plan();
}

class PassPlanner {
  readonly #context: PassContext;
  readonly #seen: Seen;
  readonly #memory: Memory;
  readonly #match: Match;
  readonly #items: PlanItem[] = [];
  readonly #lookUps: string[] = [];
  readonly #replaceable: ReplacementCandidate[] = [];
  readonly #unreachable: ReadonlyMap<string, number>;
  readonly #revisions: ReadonlyMap<string, string>;

  constructor(context: PassContext, seen: Seen, memory: Memory, match: Match) {
    this.#context = context;
    this.#seen = seen;
    this.#memory = memory;
    this.#match = match;
    this.#unreachable = silentSince(seen.fleet, memory.unreachable, context.now);
    this.#revisions = new Map(context.policy.providers.map(({ name, revision }) => [name, revision]));
  }

  plan(): PassPlan {
    const { policy, now } = this.#context;
    const { fleet, github } = this.#seen;
    this.#planFleet();
    this.#planReplacement();
    this.#planLeaving();
    const orphans = this.#planOrphans();
    return {
      scaleSet: policy.name,
      at: now,
      providers: [...fleet.providers.values()].map(({ name, error }) => ({
        name,
        ...(error !== undefined && { error }),
      })),
      github: !github.asked ? 'not_asked' : github.statuses ? 'answered' : 'no_answer',
      ...(github.statuses && { answer: { begunAt: github.statuses.begunAt, pages: github.statuses.pages } }),
      items: this.#items,
      unreachable: Object.fromEntries(this.#unreachable),
      orphans: Object.fromEntries(orphans),
      forgetLeft: this.#forgettable(),
      lookUps: this.#lookUps,
    };
  }

  /** Machines that are no runner's, and then the runners. */
  #planFleet(): void {
    const { runners, machines, sightings, others } = this.#match;
    for (const seen of others) this.#planMachine(seen);
    let at = 0;
    for (const runner of runners) {
      this.#planRunner(runner, machines[at], sightings[at]);
      at++;
    }
  }

  #planMachine(seen: SeenMachine): void {
    const { name } = seen.machine;
    const { policy, now, wallNow } = this.#context;
    const answer = answerFor({ name, countedAt: Number.NEGATIVE_INFINITY }, this.#seen.github.statuses);
    const offset = this.#seen.fleet.providers.get(seen.provider)?.clockOffsetMs ?? 0;
    const createdAt =
      seen.machine.createdAt === undefined ? undefined : onOwnClock(seen.machine.createdAt, offset, wallNow, now);
    const adoption = decideAdoption({
      seen,
      memory: this.#memory,
      ...(answer && { status: answer.status }),
      ...(createdAt !== undefined && { createdAt }),
      startTimeoutMs: policy.startTimeoutMs,
      now,
    });
    if (adoption.kind === 'skip') return;
    const twins = seen.twins.map(placeOf);
    const found = {
      runner: name,
      place: placeOf(seen),
      twins,
      size: seen.machine.size,
      revision: seen.machine.labels[LABEL.revision] ?? '',
      ...(createdAt !== undefined && { createdAt }),
    };
    if (adoption.kind === 'delete_again')
      this.#items.push({ do: 'delete_again', runner: name, place: found.place, twins });
    else if (adoption.kind === 'ended') {
      const { stateReason: why } = seen.machine;
      this.#items.push({ do: 'adopt_ended', ...found, endedAt: seen.begunAt, ...(why !== undefined && { why }) });
      this.#planOutcome(name, { endedAt: seen.begunAt });
    } else {
      this.#items.push({
        do: 'adopt',
        ...found,
        state: adoption.state,
        ...(adoption.unknown && { unknownSince: now }),
      });
      if (answer) this.#items.push({ do: 'note_status', runner: name, ...toChange(answer) });
    }
  }

  #planRunner(known: RunnerFacts, machine: Machine | undefined, sighting: Sighting | undefined): void {
    const { github } = this.#seen;
    const answer = answerFor(known, github.statuses);
    const change = statusChange(known, answer);
    let runner = known;
    if (change) {
      this.#items.push({ do: 'note_status', runner: known.name, ...change });
      const { offlineSince: _cleared, ...rest } = known;
      runner = {
        ...rest,
        githubStatus: change.to,
        state: stateAfter(known, change.to),
        ...(change.offlineSince !== undefined && { offlineSince: change.offlineSince }),
      };
    }
    if (machine && sighting) this.#planListed(runner, machine, sighting, answer);
    else this.#planUnlisted(runner);
  }

  #planListed(runner: RunnerFacts, machine: Machine, sighting: Sighting, answer: Answer | undefined): void {
    const { now } = this.#context;
    const { provider, part, twins } = sighting;
    const verdict = isAlive(machine.state) ? ALIVE : decideMachine(statesOf(machine, twins), runner, now);
    const unknownSince = verdict.kind === 'unknown' || verdict.kind === 'written_off' ? verdict.since : undefined;
    if (isNews(runner, machine.id, sighting, unknownSince)) {
      this.#items.push({
        do: 'note_machine',
        runner: runner.name,
        place: placeOf({ provider, part, machine }),
        twins: twins.map(placeOf),
        listed: true,
        ...(unknownSince !== undefined && {
          unknownSince,
          why: machine.stateReason ?? 'its provider cannot say what it does',
        }),
      });
    }
    if (verdict.kind === 'ended') {
      this.#planEnd(runner.name, sighting.begunAt, ['machine_ended'], machine.stateReason);
    } else if (verdict.kind === 'written_off') {
      this.#items.push({
        do: 'write_off',
        runner: runner.name,
        reason: 'unreachable',
        proof: ['machine_state_unknown_5m'],
      });
    } else if (verdict.kind === 'alive') this.#planAlive(runner, provider, answer);
  }

  #planAlive(runner: RunnerFacts, provider: string, answer: Answer | undefined): void {
    const { github } = this.#seen;
    if ((github.asked && !github.statuses) || runner.removing) return;
    const { policy, now } = this.#context;
    const currentRevision = this.#revisions.get(provider);
    // Said first, before anything is looked up for it: a pass goes through thousands of these.
    if (!answer && staysUnasked(runner, currentRevision, policy, now)) return;
    const lookUp = github.lookUps.get(runner.name);
    const question = { runner, answer, lookUp, currentRevision, limits: policy, now };
    const removal = decideRemoval(question);
    if (!removal) {
      if (needsLookUp(question)) this.#want(runner.name, lookUp);
      return;
    }
    if (removal.replacement && (removal.reason === 'outdated' || removal.reason === 'expired')) {
      this.#replaceable.push({ runner, reason: removal.reason, proof: removal.proof });
    } else this.#items.push({ do: 'remove', runner: runner.name, ...removal });
  }

  #planUnlisted(runner: RunnerFacts): void {
    const { policy, now } = this.#context;
    const { fleet, github } = this.#seen;
    const coverage = coverageOf(runner.place, fleet);
    if (coverage.kind === 'silent') {
      // One that began to count during the silence has not been out of sight for as long.
      const isNew = now - runner.countedAt <= WRITE_OFF_MS;
      if (isNew || !isWrittenOff(coverage.keys, this.#unreachable, now)) return;
      this.#items.push({ do: 'write_off', runner: runner.name, reason: 'unreachable', proof: ['provider_silent_5m'] });
      return;
    }
    const lookUp = github.lookUps.get(runner.name);
    const absence = decideAbsence({
      runner,
      begunAt: coverage.begunAt,
      upToDate: coverage.upToDate,
      ...(runner.githubStatus && { status: runner.githubStatus }),
      ...(lookUp && { lookUp }),
      startTimeoutMs: policy.startTimeoutMs,
      now,
    });
    if (absence.kind === 'none') return;
    if (absence.kind === 'ended') {
      this.#planEnd(runner.name, absence.since, absence.proof);
      return;
    }
    if (runner.missingSince === undefined) {
      this.#items.push({
        do: 'note_machine',
        runner: runner.name,
        place: runner.place,
        twins: runner.twins,
        listed: runner.listed,
        missingSince: absence.since,
        ...(absence.kind === 'suspect' && { why: absence.why }),
      });
    }
    this.#want(runner.name, lookUp);
    if (absence.kind === 'unseen' && !runner.removing && !(github.asked && !github.statuses)) {
      const { proof } = absence;
      this.#items.push({
        do: 'remove',
        runner: runner.name,
        reason: 'unregistered',
        force: false,
        replacement: false,
        proof,
        lost: 'ended',
      });
    }
  }

  #planReplacement(): void {
    const step = decideReplacement(this.#replaceable, this.#memory, this.#context.policy.maxRunners);
    switch (step.kind) {
      case 'none':
        return;
      case 'drop':
        this.#items.push({ do: 'drop_replacement' });
        return;
      case 'wait':
        this.#items.push({ do: 'wait', runner: step.old, why: step.why });
        return;
      case 'create_first':
        this.#items.push({ do: 'replace', runner: step.old, reason: step.reason, mode: 'create_first' });
        return;
      case 'remove_first':
      case 'finish': {
        const { runner, reason, proof } = step.candidate;
        const words: Proof = step.kind === 'finish' ? [...proof, 'replacement_connected'] : proof;
        this.#items.push({ do: 'remove', runner: runner.name, reason, force: false, replacement: true, proof: words });
        return;
      }
    }
  }

  #planLeaving(): void {
    const { now } = this.#context;
    for (const leaving of this.#memory.leaving.values()) {
      const { name } = leaving.runner;
      if (isDeletionDue(leaving, now)) this.#items.push({ do: 'delete', runner: name });
      if (!leaving.outcome) this.#planOutcome(name, leaving);
    }
  }

  #planEnd(runner: string, endedAt: number, proof: Proof, why?: string): void {
    this.#items.push({ do: 'let_go', runner, endedAt, proof, ...(why !== undefined && { why }) });
    this.#planOutcome(runner, { endedAt, endProof: proof });
  }

  #planOutcome(runner: string, leaving: Pick<LeavingFacts, 'endedAt' | 'endProof'>): void {
    const lookUp = this.#seen.github.lookUps.get(runner);
    const outcome = decideOutcome(leaving, lookUp, this.#context.policy.startTimeoutMs, this.#context.now);
    if (outcome) this.#items.push({ do: 'settle', runner, outcome });
    else this.#want(runner, lookUp);
  }

  #planOrphans(): ReadonlyMap<string, number> {
    const { policy, scaleSetId, now } = this.#context;
    const { fleet, github } = this.#seen;
    const { runners, creating, leaving, left, orphans } = this.#memory;
    const fleetKnown = [...this.#unreachable.keys()].every((key) => isWrittenOff([key], this.#unreachable, now));
    const plan = decideOrphans({
      ...(github.statuses && { statuses: github.statuses }),
      fleetKnown,
      clocks: orphans,
      lookUps: github.lookUps,
      isOurName: (name) => isRunnerNameOf(policy.name, name),
      isTracked: (name) => [runners, creating, leaving, left, fleet.machines].some((known) => known.has(name)),
      scaleSetId,
      startTimeoutMs: policy.startTimeoutMs,
    });
    this.#lookUps.push(...plan.lookUps);
    const proof: Proof = ['offline_without_machine', 'offline_after_limit', 'found_by_name'];
    for (const { name, id, since } of plan.remove)
      this.#items.push({ do: 'remove_orphan', registration: name, id, since, proof });
    return plan.clocks;
  }

  /** A name that left is hidden for a minute, and until a listing begun after it left lacks it; an hour at most. */
  #forgettable(): string[] {
    const { now } = this.#context;
    const { fleet } = this.#seen;
    const begunAt = oldestAnswer(fleet);
    const names: string[] = [];
    for (const [name, leftAt] of this.#memory.left) {
      const isProved = now - leftAt > LEFT_GRACE_MS && begunAt > leftAt;
      if ((isProved || now - leftAt > LEFT_MOST_MS) && !fleet.machines.has(name)) names.push(name);
    }
    return names;
  }

  #want(name: string, had: LookUp | undefined): void {
    if (!had) this.#lookUps.push(name);
  }
}

/** Which parts do not answer, and since when: parts that answer are forgotten. */
function silentSince(fleet: SeenFleet, before: ReadonlyMap<string, number>, now: number): ReadonlyMap<string, number> {
  const silent = new Map<string, number>();
  const note = (key: string): void => void silent.set(key, before.get(key) ?? now);
  for (const { name, error, parts } of fleet.providers.values()) {
    if (error !== undefined) note(partKey(name));
    for (const part of parts) if (part.error !== undefined) note(partKey(name, part.part));
  }
  return silent;
}

/** When the oldest answer in the listing was begun; never, when a part did not answer. */
function oldestAnswer(fleet: SeenFleet): number {
  let oldest = Number.POSITIVE_INFINITY;
  for (const { error, parts } of fleet.providers.values()) {
    if (error !== undefined || parts.some((part) => part.error !== undefined)) return Number.NEGATIVE_INFINITY;
    for (const { begunAt } of parts) oldest = Math.min(oldest, begunAt);
  }
  return oldest;
}

const statesOf = (machine: Machine, twins: readonly SeenMachine[]): readonly MachineState[] => [
  machine.state,
  ...twins.map((twin) => twin.machine.state),
];

const stateAfter = (runner: RunnerFacts, status: Answer['status']): RunnerFacts['state'] =>
  status === 'busy' ? 'busy' : status === 'idle' && runner.state === 'starting' ? 'idle' : runner.state;

function toChange({ status, at }: Answer): { to: Answer['status']; at: number; offlineSince?: number } {
  return status === 'busy' || status === 'idle' ? { to: status, at } : { to: status, at, offlineSince: at };
}
