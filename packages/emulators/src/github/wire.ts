import type { Runner, ScaleSet, Session } from './entities.js';
import { timeText } from './job-messages.js';
import type { Envelope, JobMessage } from './message-queue.js';
import { type Statistics, statisticsOf } from './statistics.js';

/** Many of something, as the Actions service puts it. */
export function wireList(values: readonly unknown[]): object {
  return { count: values.length, value: values };
}

export function wireScaleSet(scaleSet: ScaleSet): object {
  return {
    id: scaleSet.id,
    name: scaleSet.name,
    runnerGroupId: scaleSet.group.id,
    runnerGroupName: scaleSet.group.name,
    labels: scaleSet.labels.map(({ type, name }, index) => ({ id: index + 1, name, type })),
    runnerSetting: { ephemeral: true, isElastic: true, disableUpdate: scaleSet.disableUpdate },
    createdOn: timeText(scaleSet.createdAt),
    runnerJitConfigUrl: `_apis/runtime/runnerscalesets/${scaleSet.id}/generatejitconfig`,
    statistics: statisticsOf(scaleSet),
  };
}

export function wireRunner({ id, name, scaleSet }: Runner): object {
  return { id, name, runnerScaleSetId: scaleSet.id };
}

export function wireSession(session: Session, messageQueueUrl: string): Record<string, unknown> {
  return {
    sessionId: session.id,
    ownerName: session.ownerName,
    runnerScaleSet: wireScaleSet(session.scaleSet),
    messageQueueUrl,
    messageQueueAccessToken: session.queueToken,
    statistics: statisticsOf(session.scaleSet),
  };
}

/** A message with the statistics as they are now, or others. */
export function wireMessage({ id, entries }: Envelope, statistics: Statistics | null): Record<string, unknown> {
  return { messageId: id, messageType: 'RunnerScaleSetJobMessages', body: wireBody(entries), statistics };
}

/** The same JSON with the name of every member begun with a capital, also in the text inside a message. */
export function withCapitals(body: string): string {
  const capital = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(capital);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => [
        name.charAt(0).toUpperCase() + name.slice(1),
        name === 'body' && typeof member === 'string' ? withCapitals(member) : capital(member),
      ]),
    );
  };
  return JSON.stringify(capital(JSON.parse(body)));
}

/** The entries of a message travel as text inside it. */
export function wireBody(entries: readonly JobMessage[]): string {
  return JSON.stringify(entries);
}
