/** What is different between two configurations, and how a running daemon takes it up. */
export type ConfigChange = RunnersOutdated | NameChange | ValueChange;

interface Applied {
  /** Whether a reload of the running daemon is enough. */
  readonly applies: 'reload' | 'restart';
}

/** A scale set's runners on a provider are made from another runner block now: idle ones are replaced. */
export interface RunnersOutdated extends Applied {
  readonly kind: 'runners_outdated';
  readonly scaleSet: string;
  readonly provider: string;
  readonly oldRevision: string;
  readonly newRevision: string;
  /** The keys of the merged block that changed, defaults included: `image`, `env.A`. None when the type is another. */
  readonly keys: readonly string[];
}

/** Something that is named in one of the two only. */
export interface NameChange extends Applied {
  readonly kind:
    | 'scale_set_added'
    /** Its machines become leftovers. */
    | 'scale_set_removed'
    | 'provider_added'
    | 'provider_removed'
    /** A scale set uses a provider it did not use. */
    | 'use_added'
    /** A scale set does not use a provider any more: its runners there are outdated. */
    | 'use_removed';
  readonly scaleSet?: string;
  readonly provider?: string;
}

/** A value of one key. */
export interface ValueChange extends Applied {
  readonly kind: 'value_changed';
  /** Whose key it is, when it is one of a scale set or of a provider. */
  readonly scaleSet?: string;
  readonly provider?: string;
  /** The key as the configuration has it: `github.url`, `max_runners`. `order` of scale sets is which is the first. */
  readonly key: string;
  /** What it was, in the words of the configuration; absent when it was not set. A secret is `REDACTED`. */
  readonly from?: string;
  /** What it is now; absent when it is not set. */
  readonly to?: string;
}
