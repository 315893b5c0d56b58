import type { Random } from '@rungar/model';

/** Everything that can go wrong, by the words the summary uses. */
export const FAULTS = [
  'github 4xx',
  'github 5xx',
  'github no answer',
  'github answer lost',
  'github slow',
  'github outage',
  'runner missed between pages',
  'message lost',
  'message delayed',
  'message repeated',
  'messages reordered',
  'numbers contradict',
  'unknown message',
  'session lost',
  'session of somebody else',
  'scale set vanished',
  'foreign registration',
  'list late',
  'list in part',
  'list incomplete',
  'list fails',
  'provider outage',
  'full',
  'throttled',
  'create refused',
  'create answer lost',
  'create late',
  'create hangs',
  'delete refused',
  'delete answer lost',
  'delete hangs',
  'machine undeletable',
  'machine vanishes',
  'machine ends',
  'machine state unknown',
  'machine copied',
  'labels copied',
  'foreign machine',
  'runner never connects',
  'runner dies young',
  'runner offline briefly',
  'runner offline for long',
  'jobs cancelled',
  'daemon killed',
  'daemon stopped',
  'second daemon',
  'configuration changed',
  'pause',
  'clock set wrong',
] as const;
export type Fault = (typeof FAULTS)[number];

/** Which faults a run has, how often, and how often each has struck. */
export class Faults {
  readonly enabled: ReadonlySet<Fault>;
  readonly counts = new Map<Fault, number>();
  /** Once calm, nothing goes wrong any more. */
  calm = false;
  readonly #random: Random;
  readonly #rate: number;

  /** @param rate what every share is multiplied by */
  constructor(random: Random, enabled: ReadonlySet<Fault>, rate: number) {
    this.#random = random;
    this.enabled = enabled;
    this.#rate = rate;
  }

  /** Whether this fault strikes now: the luck is tried in every run, so that runs with fewer faults stay alike. */
  hit(fault: Fault, share: number): boolean {
    const struck = this.#random.fraction() < share * this.#rate;
    if (!struck || this.calm || !this.enabled.has(fault)) return false;
    this.counts.set(fault, (this.counts.get(fault) ?? 0) + 1);
    return true;
  }

  /** Counts one that was struck on purpose; false when this run has none of its kind. */
  strike(fault: Fault): boolean {
    if (this.calm || !this.enabled.has(fault)) return false;
    this.counts.set(fault, (this.counts.get(fault) ?? 0) + 1);
    return true;
  }
}
