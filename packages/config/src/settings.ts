import type { ConfiguredProvider, ScaleSetPolicy } from '@rungar/model';

/** How to prove to GitHub who asks. */
export type GitHubCredentials =
  | {
      readonly kind: 'app';
      readonly clientId: string;
      readonly installationId: number;
      /** Exactly one of these two. */
      readonly privateKey?: string;
      readonly privateKeyPath?: string;
    }
  | {
      readonly kind: 'token';
      /** Exactly one of these two. */
      readonly token?: string;
      readonly tokenPath?: string;
    };

export interface ProviderSettings {
  readonly name: string;
  readonly type: string;
  readonly weight: number;
  /** 0 is no limit. */
  readonly maxRunners: number;
  readonly disabled: boolean;
  readonly configured: ConfiguredProvider;
}

/** The whole configuration, checked, with every default filled in. */
export interface Settings {
  /** The file it came from. */
  readonly file: string;
  readonly github: { readonly url: string; readonly credentials: GitHubCredentials };
  readonly installation: string;
  readonly providers: readonly ProviderSettings[];
  readonly scaleSets: readonly ScaleSetPolicy[];
  readonly reconcileIntervalMs: number;
  readonly metrics: { readonly enable: boolean; readonly listen: string };
  readonly events: { readonly file: string; readonly maxCount: number; readonly maxAgeMs?: number };
  readonly socket: string;
  readonly logLevel: 'debug' | 'info' | 'warn' | 'error';
  readonly logFormat: 'text' | 'json';
}
