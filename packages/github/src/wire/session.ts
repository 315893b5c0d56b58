import type { ScaleSetStatistics } from '@rungar/model';
import { asShape, member, textOf } from './read.js';
import { decodeStatistics } from './statistics.js';

/** A message session as GitHub describes it. Any part may be missing: seen in the field, so that callers check. */
export interface SessionAnswer {
  readonly id: string;
  readonly queueUrl: string;
  readonly queueToken: string;
  readonly statistics?: ScaleSetStatistics;
}

const NIL_ID = '00000000-0000-0000-0000-000000000000';

export function decodeSession(body: unknown): SessionAnswer {
  const shape = asShape(body) ?? {};
  const id = textOf(shape, 'sessionId');
  const statistics = decodeStatistics(member(shape, 'statistics'));
  return {
    id: id === NIL_ID ? '' : id,
    queueUrl: textOf(shape, 'messageQueueUrl'),
    queueToken: textOf(shape, 'messageQueueAccessToken'),
    ...(statistics && { statistics }),
  };
}
