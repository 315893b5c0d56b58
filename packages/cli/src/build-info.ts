/** Filled in by the build. */
declare const __BUILD__: { version: string; date?: string; commit?: string } | undefined;

/** The version, and when and from what it was built where that is known. */
export function build(): { version: string; date?: string; commit?: string } {
  return typeof __BUILD__ === 'undefined' ? { version: '0.0.0-source' } : __BUILD__;
}

/** `1.4.0`, or `1.4.0 (built 2027-01-30T12:00:00Z from commit 9c0ffee)`. */
export function buildInfo(): string {
  const { version, date, commit } = build();
  const more = [date && `built ${date}`, commit && `from commit ${commit}`].filter(Boolean).join(' ');
  return more ? `${version} (${more})` : version;
}
