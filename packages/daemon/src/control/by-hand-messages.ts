import type { Timestamp } from '@bufbuild/protobuf/wkt';
import type { DisableProviderRequest, PauseScaleSetRequest } from '../../gen/rungar/v1/rungar_pb.js';
import type { ByHandNote, Wish } from '../by-hand/by-hand.js';
import { fromTimestamp, toTimestamp } from './messages.js';

/** What is asked for with a pause or a disabling. */
export function toWish({ keep, reason, until }: PauseScaleSetRequest | DisableProviderRequest): Wish {
  return { keep, ...(reason !== '' && { reason }), ...(until && { until: fromTimestamp(until) }) };
}

/** What of a scale set's message is about a pause by hand. */
export interface PauseFields {
  readonly pauseReason?: string;
  readonly pauseKept?: boolean;
  readonly pauseUntil?: Timestamp;
}

/** What of a provider's message is about a disabling by hand. */
export interface DisablingFields {
  readonly disableReason?: string;
  readonly disableKept?: boolean;
  readonly disableUntil?: Timestamp;
}

/** @param paused a note outlives the state for no one to see */
export function toPause(note: ByHandNote | undefined, paused: boolean): PauseFields {
  if (!note || !paused) return {};
  const { reason = '', until, kept } = note;
  return { pauseReason: reason, pauseKept: kept, ...(until !== undefined && { pauseUntil: toTimestamp(until) }) };
}

/** @param disabled as with {@link toPause} */
export function toDisabling(note: ByHandNote | undefined, disabled: boolean): DisablingFields {
  if (!note || !disabled) return {};
  const { reason = '', until, kept } = note;
  return { disableReason: reason, disableKept: kept, ...(until !== undefined && { disableUntil: toTimestamp(until) }) };
}
