import { EVENT_ACTIONS, type EventAction, type RungarEvent } from '@rungar/model';
import { fromRfc3339, toRfc3339 } from './instant.js';

/** An event as a line of the file, without its line break: fields in a fixed order, attributes by name. */
export function toEventLine(event: RungarEvent): string {
  const { time, kind, name, action, scaleSet, provider, message, attributes = {} } = event;
  const names = Object.keys(attributes).sort();
  return JSON.stringify({
    time: toRfc3339(time),
    kind,
    name,
    action,
    scale_set: scaleSet || undefined,
    provider: provider || undefined,
    message: message || undefined,
    attributes: names.length > 0 ? Object.fromEntries(names.map((key) => [key, attributes[key]])) : undefined,
  });
}

/** Reads a line of the file, whoever wrote it; nothing when it is not a whole event of a kind this version knows. */
export function fromEventLine(line: string): RungarEvent | undefined {
  const value = parse(line);
  if (!isRecord(value)) return undefined;
  const time = typeof value.time === 'string' ? fromRfc3339(value.time) : undefined;
  const { kind, name, action } = value;
  if (time === undefined || typeof name !== 'string' || !isAction(action) || EVENT_ACTIONS[action] !== kind) {
    return undefined;
  }
  const attributes = isRecord(value.attributes) ? strings(value.attributes) : undefined;
  return {
    time,
    kind: EVENT_ACTIONS[action],
    name,
    action,
    ...(isText(value.scale_set) && { scaleSet: value.scale_set }),
    ...(isText(value.provider) && { provider: value.provider }),
    ...(isText(value.message) && { message: value.message }),
    ...(attributes && { attributes }),
  };
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isAction(value: unknown): value is EventAction {
  return typeof value === 'string' && Object.hasOwn(EVENT_ACTIONS, value);
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function strings(record: Record<string, unknown>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(record).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}
