import { type ConfigChange, diffConfigs, type ParsedConfig, type Settings } from '@rungar/config';

/** A configuration as it was read. */
export type ReadConfig = Pick<ParsedConfig, 'root'> & { readonly settings: Settings };

/** What is different, by whether it is in force or waits for a restart. */
export interface Changes {
  readonly applied: readonly ConfigChange[];
  readonly needsRestart: readonly ConfigChange[];
}

export interface Compared {
  /** What the daemon started with: what only a restart changes is as it is there. */
  readonly started: ReadConfig;
  /** What was read last. */
  readonly before: ReadConfig;
  readonly next: ReadConfig;
  /** What the daemon goes on with. */
  readonly inForce: Settings;
}

export function changesOf({ started, before, next, inForce }: Compared): Changes {
  const waits = (change: ConfigChange): boolean => change.applies === 'restart' || !isDone(change, inForce);
  return {
    applied: diffConfigs(before, next).filter((change) => !waits(change)),
    needsRestart: diffConfigs(started, next).filter(waits),
  };
}

/** Whether what comes or goes has: some of it has to wait for what needs a restart. */
function isDone({ kind, scaleSet, provider }: ConfigChange, inForce: Settings): boolean {
  const hasScaleSet = inForce.scaleSets.some(({ name }) => name === scaleSet);
  const uses = inForce.scaleSets.some(
    ({ name, providers }) => name === scaleSet && providers.some((one) => one.name === provider),
  );
  const hasProvider = inForce.providers.some(({ name }) => name === provider);
  switch (kind) {
    case 'scale_set_added':
      return hasScaleSet;
    case 'scale_set_removed':
      return !hasScaleSet;
    case 'provider_removed':
      return !hasProvider;
    case 'use_added':
      return uses;
    default:
      return true;
  }
}
