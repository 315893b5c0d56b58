/** A state that somebody asked for, as the daemon tells of it. */
export interface ByHand {
  readonly reason?: string | undefined;
  readonly until?: string | undefined;
  readonly kept?: boolean | undefined;
}

/**
 * When a state that somebody asked for ends, and why it is so: ` until 2027-01-04T11:00:00Z (new image)`.
 * @param otherwise when it ends where nothing was said of that
 */
export function endOf({ reason, until, kept }: ByHand, otherwise: string): string {
  const end = until ? `until ${until}` : kept ? 'kept over restarts' : otherwise;
  return `${end}${reason ? ` (${reason})` : ''}`;
}
