import { type Clock, type Random, RungarError } from '@rungar/model';
import { waitFor } from '../shared/within-limit.js';

/** VMIDs that may be given, both ends included. */
export interface VmidRange {
  readonly lowest: number;
  readonly highest: number;
}

/** Every VMID there can be. */
const EVERY: VmidRange = { lowest: 100, highest: 999_999_999 };
/** What Proxmox VE itself gives where the administrator has not said otherwise. */
const USUAL: VmidRange = { lowest: 100, highest: 999_999 };
const READ_AGAIN_MS = 60 * 60_000;
const TRIES = 64;

/**
 * A random VMID of the range that is not taken. Two programs that choose at random seldom choose the same, where the
 * lowest free one is what both would take.
 * @throws RungarError `no_capacity` when all are taken
 */
export function chooseVmid({ lowest, highest }: VmidRange, isTaken: (vmid: number) => boolean, random: Random): number {
  const count = highest - lowest + 1;
  const anywhere = (): number => lowest + Math.floor(random.fraction() * count);
  for (let tries = 0; tries < TRIES; tries++) {
    const vmid = anywhere();
    if (!isTaken(vmid)) return vmid;
  }
  const from = anywhere() - lowest;
  for (let step = 0; step < count; step++) {
    const vmid = lowest + ((from + step) % count);
    if (!isTaken(vmid)) return vmid;
  }
  throw new RungarError('no_capacity', `every VMID from ${lowest} to ${highest} is taken`, {
    hint: "widen next-id in the datacenter's options",
  });
}

/**
 * The range the administrator set for new VMs, asked for once an hour; every VMID where it cannot be read.
 * @param ask gives the datacenter's options; must not depend on any one caller
 */
export function watchVmidRange(clock: Clock, ask: () => Promise<unknown>): (signal: AbortSignal) => Promise<VmidRange> {
  let known = EVERY;
  let asked: { readonly until: number; readonly range: Promise<VmidRange> } | undefined;

  const read = async (): Promise<VmidRange> => {
    try {
      known = toRange(await ask());
    } catch {
      // As before: a creation can do without the administrator's wish, and not without a VMID.
    }
    return known;
  };

  return (signal) => {
    if (!asked || clock.now() >= asked.until) asked = { until: clock.now() + READ_AGAIN_MS, range: read() };
    return waitFor(asked.range, signal);
  };
}

/** The option comes as an object, and from older versions as `lower=…,upper=…`; its upper end is not part of it. */
function toRange(options: unknown): VmidRange {
  const { 'next-id': written } = (options ?? {}) as Record<string, unknown>;
  const { lower, upper } = (
    typeof written === 'string'
      ? Object.fromEntries(new URLSearchParams(written.replaceAll(',', '&')))
      : (written ?? {})
  ) as { lower?: unknown; upper?: unknown };
  const lowest = Math.max(EVERY.lowest, Number(lower ?? USUAL.lowest));
  const highest = Math.min(EVERY.highest, Number(upper ?? USUAL.highest + 1) - 1);
  return lowest <= highest ? { lowest, highest } : USUAL;
}
