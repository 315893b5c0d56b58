/** Where a Dicer daemon listens. */
export type DicerAddress =
  | { readonly kind: 'socket'; readonly path: string }
  /** `host` without the brackets of an IPv6 address. */
  | { readonly kind: 'tcp'; readonly host: string; readonly port: number };

/** How a connection over TCP is secured. */
export interface DicerTls {
  /** The client's own certificate and key, both PEM files; neither when the daemon asks for none. */
  readonly pair?: { readonly certFile: string; readonly keyFile: string };
  /** Authorities that vouch for the daemon, instead of the system's. */
  readonly caFile?: string;
  /** The name the daemon's certificate must have, instead of the address's host. */
  readonly serverName?: string;
}

/** A `dicer` provider's entry, checked (docs/providers/dicer.md). */
export interface DicerSettings {
  /** As it was written. */
  readonly address: string;
  readonly target: DicerAddress;
  /** Without it a TCP connection is in the clear. */
  readonly tls?: DicerTls;
  readonly timeoutMs: number;
}

/** What a runner's machine has mounted. */
export interface DicerMount {
  readonly type: 'volume' | 'file' | 'tmpfs';
  /** A volume's name, or a host file's absolute path; empty for `tmpfs`. */
  readonly source: string;
  readonly target: string;
  readonly readOnly: boolean;
}

/** A `dicer` runner block, merged and with defaults filled in. */
export interface DicerRunner {
  readonly image: string;
  readonly command: readonly string[];
  readonly vcpus: number;
  /** Bytes, whole MiB. */
  readonly memory: bigint;
  /** Bytes. */
  readonly disk: bigint;
  /** Empty for the host's default. */
  readonly kernel: string;
  /** Empty for the host's default. */
  readonly network: string;
  /** `undefined` when never set, which has another revision than empty. */
  readonly env: ReadonlyMap<string, string> | undefined;
  /** `undefined` when never set, which has another revision than empty. */
  readonly mounts: readonly DicerMount[] | undefined;
}
