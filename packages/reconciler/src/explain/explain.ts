import { nearest, RungarError, type RungarEvent } from '@rungar/model';
import { explainJob } from './explain-job.js';
import { sayProvider, sayRunner, sayScaleSet } from './say-present.js';
import type { ExplainFacts, Story, StoryEntry, Subject } from './story.js';
import { tellEvent } from './tell-event.js';

/** How many entries a story has at most unless told otherwise. */
const MOST = 200;

/**
 * Tells what became of something, and why, from facts alone: events, and how things stand where a daemon runs.
 * @throws RungarError `not_found` with the names that are known
 */
export function explain(subject: Subject, facts: ExplainFacts): Story {
  const told = subject.kind === 'job' ? explainJob(subject, facts) : explainNamed(subject, facts);
  if (!told) throw unknownSubject(subject, facts);
  const entries = told.entries.map((entry, order) => ({ entry, order }));
  // What GitHub did at an instant was the reason for what was done at the same one.
  const rank = ({ by }: StoryEntry): number => (by === 'github' ? 0 : 1);
  entries.sort((a, b) => a.entry.time - b.entry.time || rank(a.entry) - rank(b.entry) || a.order - b.order);
  const leftOut = Math.max(0, entries.length - (facts.limit ?? MOST));
  return {
    kind: subject.kind,
    name: subject.name,
    now: told.now,
    entries: entries.slice(leftOut).map(({ entry }) => entry),
    leftOut,
  };
}

type Named = Exclude<Subject, { kind: 'job' }>;

function explainNamed(
  subject: Named,
  facts: ExplainFacts,
): { now: readonly string[]; entries: readonly StoryEntry[] } | undefined {
  const events = facts.events.filter((event) => isAbout(event, subject));
  const now = sayNow(subject, facts);
  if (events.length === 0 && !now) return undefined;
  return { now: now ?? sayGone(subject, events), entries: events.flatMap(tellEvent) };
}

/** Of a provider its runners' beginnings and ends too; of a scale set everything. */
function isAbout({ kind, name, scaleSet, provider, attributes }: RungarEvent, subject: Named): boolean {
  switch (subject.kind) {
    case 'runner':
      return kind === 'runner' ? name === subject.name : attributes?.runner === subject.name;
    case 'scale_set':
      return scaleSet === subject.name || (kind === 'scale_set' && name === subject.name);
    case 'provider':
      return provider === subject.name || (kind === 'provider' && name === subject.name);
  }
}

/** Nothing where there is none of that name now. */
function sayNow({ kind, name }: Named, { present }: ExplainFacts): readonly string[] | undefined {
  switch (kind) {
    case 'runner': {
      const view = present?.runners.find((runner) => runner.name === name);
      return view && sayRunner(view, present?.plans.get(view.scaleSet));
    }
    case 'scale_set': {
      const status = present?.scaleSets.find((one) => one.name === name);
      return status && sayScaleSet(status, present?.plans.get(name));
    }
    case 'provider': {
      const status = present?.providers.find((one) => one.name === name);
      return status && sayProvider(status);
    }
  }
}

function sayGone({ kind }: Named, events: readonly RungarEvent[]): readonly string[] {
  const last = events.at(-1);
  if (kind === 'runner' && (last?.action === 'removed' || last?.action === 'lost'))
    return [`it is no more: ${last.message ?? last.action}`];
  return ['how it stands now is not known: this is what the events tell'];
}

const WORDS: Readonly<Record<Subject['kind'], string>> = {
  runner: 'runner',
  scale_set: 'scale set',
  provider: 'provider',
  job: 'job',
};

function unknownSubject(subject: Subject, { events, present }: ExplainFacts): RungarError {
  const { kind, name } = subject;
  if (kind === 'job') {
    const labels = (present?.scaleSets ?? []).map(({ name: set, labels: own }) => `${set} (${own.join(', ')})`);
    const carried = labels.length > 0 ? `; the scale sets carry: ${labels.join('; ')}` : '';
    return new RungarError('not_found', `GitHub has assigned no job "${name}" to a scale set here${carried}`, {
      hint: 'name the labels of its runs-on with --labels, to see whether a scale set carries them',
    });
  }
  const known = [...new Set(namesOf(kind, { events, ...(present && { present }) }))].sort();
  const near = nearest(name, known);
  const shown = known.slice(0, 20).join(', ') || 'none at all';
  const more = known.length > 20 ? `, and ${known.length - 20} more` : '';
  return new RungarError(
    'not_found',
    `nothing is known of a ${WORDS[kind]} "${name}"${near === undefined ? '' : ` (did you mean ${near}?)`}; there are: ${shown}${more}`,
  );
}

function namesOf(kind: Named['kind'], { events, present }: ExplainFacts): readonly string[] {
  switch (kind) {
    case 'runner':
      return [...(present?.runners ?? []), ...events.filter((event) => event.kind === 'runner')].map(
        ({ name }) => name,
      );
    case 'scale_set':
      return [
        ...(present?.scaleSets ?? []).map(({ name }) => name),
        ...events.flatMap(({ scaleSet }) => scaleSet ?? []),
      ];
    case 'provider':
      return [
        ...(present?.providers ?? []).map(({ name }) => name),
        ...events.flatMap(({ provider }) => provider ?? []),
      ];
  }
}
