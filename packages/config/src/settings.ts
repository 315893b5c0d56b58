import type { ConfiguredProvider, ScaleSetPolicy, Secret } from '@rungar/model';

/** How to prove to GitHub who asks. */
export type GitHubCredentials =
  | {
      readonly kind: 'app';
      readonly clientId: string;
      readonly installationId: number;
      /** Exactly one of these two. */
      readonly privateKey?: Secret;
      readonly privateKeyPath?: string;
    }
  | {
      readonly kind: 'token';
      /** Exactly one of these two. Without surrounding white space. */
      readonly token?: Secret;
      readonly tokenPath?: string;
    };

/** Where the runners belong, and how GitHub is asked (docs/reference/configuration.md). */
export interface GitHubSettings {
  /** The organisation, repository or enterprise, as written. */
  readonly url: string;
  readonly credentials: GitHubCredentials;
}

/** One provider of a configuration, its defaults filled in and its block read by its type. */
export interface ProviderSettings {
  readonly name: string;
  readonly type: string;
  readonly weight: number;
  /** 0 is no limit. */
  readonly maxRunners: number;
  readonly disabled: boolean;
  readonly configured: ConfiguredProvider;
}

/** What could be read of a file, whatever else is wrong in it: for checks that no other mistake should hide. */
export interface ReadableParts {
  readonly credentials?: GitHubCredentials;
  readonly providers: readonly ProviderSettings[];
}

/** The whole configuration, checked, with every default filled in. */
export interface Settings {
  /** The file it came from. */
  readonly file: string;
  readonly github: GitHubSettings;
  readonly installation: string;
  readonly providers: readonly ProviderSettings[];
  readonly scaleSets: readonly ScaleSetPolicy[];
  readonly reconcileIntervalMs: number;
  readonly metrics: { readonly enable: boolean; readonly listen: string };
  /** The page to look at. */
  readonly page: { readonly enable: boolean; readonly listen: string };
  readonly events: { readonly file: string; readonly maxCount: number; readonly maxAgeMs?: number };
  readonly socket: string;
  readonly logLevel: 'debug' | 'info' | 'warn' | 'error';
  readonly logFormat: 'text' | 'json';
  /** Whether the file itself holds a secret, and so should be readable by nobody else. */
  readonly holdsSecrets: boolean;
}
