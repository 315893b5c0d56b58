/** A provider left to one scale set, as it has no room for it now. */
export interface Hold {
  readonly scaleSet: string;
  readonly priority: number;
  readonly since: number;
}

/** A hold lapses when its owner has stopped asking for longer than this. */
export const holdDownMs = (reconcileIntervalMs: number): number => 2 * reconcileIntervalMs;

export function holdInForce(hold: Hold | undefined, now: number, holdDown: number): hold is Hold {
  return hold !== undefined && now - hold.since <= holdDown;
}

/** The hold after a scale set found the provider full: a stronger one in force stays. */
export function placeHold(before: Hold | undefined, claim: Hold, holdDown: number): Hold {
  return holdInForce(before, claim.since, holdDown) && before.priority > claim.priority ? before : claim;
}

/** The hold after a scale set of that priority placed a runner somewhere. */
export function liftHold(before: Hold | undefined, priority: number): Hold | undefined {
  return before && before.priority <= priority ? undefined : before;
}
