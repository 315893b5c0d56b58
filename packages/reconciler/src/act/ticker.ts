import { oldestForPass, syncStarting } from './pass.js';
import { Rounds } from './rounds.js';
import type { Deps, ScaleSet } from './scale-set.js';

/** How often starting runners are looked at: only while there are some is anybody asked. */
const TICK_MS = 5_000;
/** A tick this late means that the host slept or the clock jumped. */
const GAP_MS = 60_000;

/** Runs the passes of every scale set that serves, all at once so that they share their listings. */
export async function tick(deps: Deps, sets: ReadonlyMap<string, ScaleSet>, signal: AbortSignal): Promise<void> {
  const { clock } = deps;
  const rounds = new Rounds(deps);
  let passedAt = clock.now();
  for (;;) {
    const now = clock.now();
    const wall = clock.wallNow();
    // The interval may be another one by now.
    const left = (): number => passedAt + deps.reconcileIntervalMs - clock.now();
    await clock.sleep(Math.min(TICK_MS, Math.max(1, left())), signal);
    // A monotonic clock may stand still while the host sleeps: then only the wall clock shows the gap.
    const passed = Math.max(clock.now() - now, clock.wallNow() - wall);
    if (passed > GAP_MS) distrust(deps, sets, passed);
    deps.listings.forgetBefore(oldestForPass(deps));
    dropRetired(deps, sets);
    const due = left() <= 0;
    if (due) passedAt = clock.now();
    // A pass may do with an older listing, and first it lists the providers: who starts is looked at all the same.
    for (const set of sets.values()) if (set.canAct && set.book.counts.starting > 0) set.track(syncStarting(set));
    if (due) rounds.begin(sets.values());
  }
}

/** Only while every runner is known, or nobody serves: a session that is lost for a moment has none to show. */
function dropRetired({ fleet }: Deps, sets: ReadonlyMap<string, ScaleSet>): void {
  const all = [...sets.values()];
  if (all.every((set) => set.canAct) || all.every((set) => !set.serving)) fleet.dropRetired();
}

function distrust({ logger }: Deps, sets: ReadonlyMap<string, ScaleSet>, passedMs: number): void {
  logger.warn('Time has jumped; every session is proved again before anything is removed', { passedMs });
  for (const set of sets.values()) if (set.serving) set.distrustTime();
}
