import type { Secret } from '@rungar/model';

/** How the certificate of a cluster is checked. Without any of these, against the system's authorities. */
export interface ProxmoxTls {
  /** A file of PEM certificates to trust instead. */
  readonly caFile?: string;
  /** The SHA-256 of the one certificate to trust: 64 hex digits in capitals, without colons. An addition of ours. */
  readonly fingerprint?: string;
  readonly insecureSkipVerify: boolean;
}

/** A `proxmox` provider's entry, checked (docs/providers/proxmox.md). */
export interface ProxmoxSettings {
  /** `https://host:port`, in lower case. */
  readonly url: string;
  /** `USER@REALM!NAME`. */
  readonly tokenId: string;
  /** Exactly one of these two. */
  readonly tokenSecret?: Secret;
  readonly tokenSecretPath?: string;
  readonly tls: ProxmoxTls;
  /** Where machines may be made; empty for every node. */
  readonly nodes: readonly string[];
  /** The time limit of each request. */
  readonly timeoutMs: number;
}

/** A `proxmox` runner block, merged and with defaults filled in. */
export interface ProxmoxRunner {
  /** The VMID of the template. */
  readonly template: number;
  readonly cores: number;
  /** Bytes, whole MiB. */
  readonly memory: bigint;
  readonly fullClone: boolean;
  /** Where a full clone's disks go; empty for where the template's are. */
  readonly storage: string;
  /** Empty for none. */
  readonly pool: string;
  /** Where in the machine its registration is written. */
  readonly jitPath: string;
}
