/** Filled in by the build. */
declare const __BUILD__: { version: string } | undefined;

/** The version of this program. */
export function version(): string {
  return typeof __BUILD__ === 'undefined' ? '0.0.0-source' : __BUILD__.version;
}
