import { parseDuration, type RungarEvent, roundedDuration } from '@rungar/model';
import { proofInWords } from './proof-words.js';
import { reasonInWords } from './removal-words.js';
import type { StoryEntry, Teller } from './story.js';

/** An event as one who was there tells it, with the times that it carries beside its own. */
export function tellEvent(event: RungarEvent): readonly StoryEntry[] {
  const { attributes = {} } = event;
  switch (event.action) {
    case 'created':
      return [
        ...before(event, attributes.create_duration, 'rungar', 'began to create it'),
        say(event, 'provider', `${event.provider} made its machine${detail(event.message, /\(([^)]*)\)/)}`),
      ];
    case 'adopted':
      return [say(event, 'rungar', `took it over: ${lower(event.message)}`)];
    case 'connected':
      return [
        say(event, 'github', `showed it connected, ${span(attributes.boot_duration) ?? 'some time'} after its machine`),
      ];
    case 'job_started':
      return tellJob(event);
    case 'removed':
      return [...tellJobEnd(event), say(event, 'rungar', `removed it: ${whyGone(attributes)}`)];
    case 'lost':
      return [say(event, 'rungar', `gave it up as lost: ${whyGone(attributes)}`)];
    case 'full':
    case 'failing':
      return [
        say(
          event,
          'provider',
          `refused ${runnerOf(attributes)} of ${event.scaleSet}: ${attributes.error ?? event.message ?? ''}`,
        ),
        say(
          event,
          'rungar',
          `${event.scaleSet} moved on, and skipped ${event.provider} for ${span(attributes.skipped_for) ?? 'a while'}`,
        ),
      ];
    case 'delete_failing':
      return [
        say(event, 'provider', `did not delete the machine of ${runnerOf(attributes)}: ${attributes.error ?? ''}`),
      ];
    case 'delete_recovered':
      return [
        say(
          event,
          'provider',
          `deleted the machine of ${runnerOf(attributes)} after ${attributes.attempts ?? 'some'} attempts`,
        ),
      ];
    case 'failed':
      return [say(event, 'github', `refused the scale set: ${attributes.error ?? event.message ?? ''}`)];
    default:
      return [say(event, 'rungar', lower(event.message) || event.action.replaceAll('_', ' '))];
  }
}

function tellJob(event: RungarEvent): readonly StoryEntry[] {
  const { attributes = {} } = event;
  const job = `job ${attributes.job_id ?? ''} of ${attributes.repository ?? 'a repository'}`;
  // No runner had to do with it until then.
  const scaleSet = { ...event, name: event.scaleSet ?? event.name };
  return [
    ...at(scaleSet, attributes.queued, 'github', `queued ${job}`),
    ...at(scaleSet, attributes.assigned, 'github', `assigned ${job} to scale set ${event.scaleSet}`),
    ...at(event, attributes.started, 'github', `gave ${job} to ${event.name}`),
    say(event, 'rungar', `heard that ${event.name} runs ${job}${waited(attributes)}`),
  ];
}

function tellJobEnd(event: RungarEvent): readonly StoryEntry[] {
  const { attributes = {} } = event;
  const result = attributes.result === undefined ? '' : `: ${attributes.result}`;
  return at(event, attributes.finished, 'github', `finished job ${attributes.job_id ?? ''} on ${event.name}${result}`);
}

function waited({ wait, runner_wait: runnerWait }: Readonly<Record<string, string>>): string {
  if (wait === undefined) return '';
  return `, which had waited ${span(wait)}${runnerWait === undefined ? '' : `, ${span(runnerWait)} of it for a runner`}`;
}

function whyGone({ reason = '', proof = '', detail: why, console: last }: Readonly<Record<string, string>>): string {
  const facts = proof === '' ? '' : ` (${proofInWords(proof.split(','))})`;
  const words = [why === undefined ? '' : `; ${why}`, last === undefined ? '' : `; its console ended with: ${last}`];
  return `${reasonInWords(reason)}${facts}${words.join('')}`;
}

function say(event: RungarEvent, by: Teller, text: string, time = event.time): StoryEntry {
  return { time, by, about: event.name, text, facts: { action: event.action, ...event.attributes } };
}

/** Something at an instant that the event carries as text; nothing where it does not. */
function at(event: RungarEvent, instant: string | undefined, by: Teller, text: string): readonly StoryEntry[] {
  const time = instant === undefined ? Number.NaN : Date.parse(instant);
  return Number.isNaN(time) ? [] : [say(event, by, text, time)];
}

/** Something that began that long before the event. */
function before(event: RungarEvent, duration: string | undefined, by: Teller, text: string): readonly StoryEntry[] {
  const ms = millisecondsOf(duration);
  return ms === undefined ? [] : [say(event, by, text, event.time - ms)];
}

function millisecondsOf(duration: string | undefined): number | undefined {
  const nanoseconds = duration === undefined ? undefined : parseDuration(duration);
  return nanoseconds === undefined ? undefined : Number(nanoseconds / 1_000_000n);
}

/** A duration as a person says it; a text that is none stays as it is. */
function span(duration: string | undefined): string | undefined {
  const ms = millisecondsOf(duration);
  return ms === undefined ? duration : roundedDuration(ms);
}

function detail(message: string | undefined, pattern: RegExp): string {
  const found = pattern.exec(message ?? '')?.[1];
  return found === undefined ? '' : ` (${found})`;
}

const runnerOf = ({ runner = '' }: Readonly<Record<string, string>>): string => runner || 'a runner';

function lower(text: string | undefined): string {
  return text === undefined ? '' : text.charAt(0).toLowerCase() + text.slice(1);
}
