import { type Clock, type Random, RungarError } from '@rungar/model';
import type { Pve } from './api.js';

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

/** Reads the range the administrator set for new VMs, once an hour; every VMID where it cannot be read. */
export function watchVmidRange(pve: Pve, clock: Clock): (signal: AbortSignal) => Promise<VmidRange> {
  let range = EVERY;
  let readAgainAt = Number.NEGATIVE_INFINITY;
  return async (signal) => {
    if (clock.now() < readAgainAt) return range;
    readAgainAt = clock.now() + READ_AGAIN_MS;
    try {
      range = toRange(await pve.get('cluster/options', signal));
    } catch {
      if (signal.aborted) readAgainAt = Number.NEGATIVE_INFINITY;
      signal.throwIfAborted();
    }
    return range;
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
