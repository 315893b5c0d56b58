import type { CallCount } from './result.js';

/** Calls by who was called and what for, over all and hour by hour. */
export class CallCounts {
  readonly #byWho = new Map<string, Map<string, { total: number; thisHour: number; most: number }>>();
  /** By who, the calls of each hour that has ended. */
  readonly byHour: Record<string, number[]> = {};

  add(who: string, kind: string, count = 1): void {
    const kinds = this.#kindsOf(who);
    let calls = kinds.get(kind);
    if (!calls) {
      calls = { total: 0, thisHour: 0, most: 0 };
      kinds.set(kind, calls);
    }
    calls.total += count;
    calls.thisHour += count;
  }

  #kindsOf(who: string): Map<string, { total: number; thisHour: number; most: number }> {
    let kinds = this.#byWho.get(who);
    if (!kinds) {
      kinds = new Map();
      this.#byWho.set(who, kinds);
      this.byHour[who] = [];
    }
    return kinds;
  }

  endHour(): void {
    for (const [who, kinds] of this.#byWho) {
      let sum = 0;
      for (const calls of kinds.values()) {
        sum += calls.thisHour;
        calls.most = Math.max(calls.most, calls.thisHour);
        calls.thisHour = 0;
      }
      this.byHour[who]?.push(sum);
    }
  }

  summary(): CallCount[] {
    return [...this.#byWho].flatMap(([who, kinds]) =>
      [...kinds].map(([kind, { total, most }]) => ({ who, kind, total, mostInAnHour: most })),
    );
  }
}
