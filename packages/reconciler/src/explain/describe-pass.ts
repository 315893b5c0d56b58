import { roundedDuration } from '@rungar/model';
import type { RunnerFacts } from '../decide/facts.js';
import type { PassPlan, PlanItem } from '../decide/plan.js';
import { proofInWords } from './proof-words.js';
import { reasonInWords } from './removal-words.js';
import type { PlanStep } from './scale-set-plan.js';

type Said = Pick<PlanStep, 'what' | 'why'> & { readonly facts?: Readonly<Record<string, string | undefined>> };

/** A pass in words, in its order. @param runners those that count before it */
export function describePass(plan: PassPlan, runners: ReadonlyMap<string, RunnerFacts>): readonly PlanStep[] {
  return plan.items.map((item) => {
    const name = subjectOf(item);
    const known = runners.get(name);
    const { what, why, facts = {} } = sayOf(item, plan);
    return {
      do: item.do,
      runner: name,
      provider: 'place' in item ? item.place.provider : (known?.place.provider ?? ''),
      what,
      why,
      facts: withoutNothing({ state: known?.state, revision: known?.revision, ...facts }),
    };
  });
}

function subjectOf(item: PlanItem): string {
  if (item.do === 'remove_orphan') return item.registration;
  return 'runner' in item ? item.runner : '';
}

function sayOf(item: PlanItem, { at }: PassPlan): Said {
  switch (item.do) {
    case 'note_status':
      return {
        what: `note that GitHub shows it ${item.to.replace('_', ' ')}`,
        why: `GitHub said so ${roundedDuration(Math.max(0, at - item.at))} ago`,
        facts: { from: item.from, to: item.to, offline_for: ago(item.offlineSince, at) },
      };
    case 'note_machine':
      return item.missingSince === undefined && item.unknownSince === undefined
        ? { what: 'note where its machine is', why: 'a listing has it' }
        : {
            what: 'keep it under suspicion',
            why: item.why ?? 'its machine is missing from a listing',
            facts: { missing_for: ago(item.missingSince, at), unknown_for: ago(item.unknownSince, at) },
          };
    case 'adopt':
      return {
        what: 'count it as one of ours',
        why: 'its machine carries our labels, and it is not known here yet',
        facts: { state: item.state, revision: item.revision, size: item.size, age: ago(item.createdAt, at) },
      };
    case 'adopt_ended':
      return {
        what: 'delete its machine',
        why: item.why ?? 'it ended before this daemon knew its runner',
        facts: { ended: ago(item.endedAt, at) },
      };
    case 'let_go':
      return {
        what: 'let it go and delete its machine',
        why: item.why ?? proofInWords(item.proof),
        facts: { proof: item.proof.join(','), ended: ago(item.endedAt, at) },
      };
    case 'write_off':
      return {
        what: 'give it up as lost, its machine left alone',
        why: proofInWords(item.proof),
        facts: { reason: item.reason, proof: item.proof.join(',') },
      };
    case 'remove':
      return {
        what: item.force ? 'remove it by force' : 'remove it, its registration first',
        why: `${reasonInWords(item.reason)}: ${proofInWords(item.proof)}`,
        facts: { reason: item.reason, proof: item.proof.join(','), lost: item.lost },
      };
    case 'settle': {
      const { outcome } = item;
      return {
        what: outcome.kind === 'lost' ? 'record it as lost' : 'record its removal',
        why: `${reasonInWords(outcome.reason)}: ${proofInWords(outcome.proof)}`,
        facts: { reason: outcome.reason, proof: outcome.proof.join(',') },
      };
    }
    case 'delete':
      return { what: 'delete its machine', why: 'its runner has left, and the machine still stands' };
    case 'delete_again':
      return { what: 'delete its machine again', why: 'its runner has left, and a listing still has the machine' };
    case 'replace':
      return {
        what: 'create its replacement, and remove it when that has connected',
        why: reasonInWords(item.reason),
        facts: { reason: item.reason, mode: item.mode },
      };
    case 'drop_replacement':
      return { what: 'end the replacement under way', why: 'its old runner has gone or works, or its new one failed' };
    case 'wait':
      return { what: 'keep it for now, though it is to be replaced', why: item.why };
    case 'remove_orphan':
      return {
        what: 'remove its registration',
        why: `no machine stands behind it: ${proofInWords(item.proof)}`,
        facts: { proof: item.proof.join(','), offline_for: ago(item.since, at) },
      };
  }
}

function ago(since: number | undefined, at: number): string | undefined {
  return since === undefined ? undefined : roundedDuration(Math.max(0, at - since));
}

function withoutNothing(facts: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(facts).filter((entry): entry is [string, string] => entry[1] !== undefined && entry[1] !== ''),
  );
}
