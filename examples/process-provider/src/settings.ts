/** A provider's entry, checked. */
export interface ProcessSettings {
  /** Where the processes are kept, one folder each. */
  readonly state: string;
  /** Where the Actions runner is unpacked; each process gets a copy. */
  readonly folder?: string;
  readonly startsAtOnce: number;
  readonly timeoutMs: number;
}

/** A runner block, checked. */
export interface ProcessRunner {
  readonly command: readonly string[];
  readonly env: ReadonlyMap<string, string>;
}
