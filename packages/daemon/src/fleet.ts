import type { ProviderSettings } from '@rungar/config';
import {
  type Clock,
  errorCodeOf,
  type Logger,
  messageOf,
  type Random,
  type Redactor,
  RungarError,
} from '@rungar/model';
import type { FleetProvider } from '@rungar/reconciler';

export interface FleetOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly redactor: Redactor;
  /** Names proxies. */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** The open providers of a configuration. */
export interface Fleet {
  /** In the order of the configuration. */
  readonly providers: readonly FleetProvider[];
  close(): Promise<void>;
}

/**
 * Opens every provider, one after another. None needs its backend to be up.
 * @throws RungarError naming the provider that cannot be opened; those already open are closed
 */
export async function openFleet(
  settings: readonly ProviderSettings[],
  options: FleetOptions,
  signal: AbortSignal,
): Promise<Fleet> {
  const providers: FleetProvider[] = [];
  const close = async (): Promise<void> => {
    await Promise.allSettled(providers.map(({ provider }) => provider.close()));
  };
  try {
    for (const one of settings) {
      signal.throwIfAborted();
      providers.push(await openOne(one, options));
    }
  } catch (error) {
    await close();
    throw error;
  }
  return { providers, close };
}

async function openOne(settings: ProviderSettings, options: FleetOptions): Promise<FleetProvider> {
  const { name, type, weight, maxRunners, disabled, configured } = settings;
  const logger = options.logger.with({ component: 'provider', provider: name });
  try {
    const provider = await configured.open({ ...options, name, logger });
    return { name, type, endpoint: configured.endpoint, weight, maxRunners, disabled, provider };
  } catch (error) {
    const hint = error instanceof Error && 'hint' in error && typeof error.hint === 'string' ? error.hint : undefined;
    throw new RungarError(errorCodeOf(error), `the provider "${name}" cannot be opened: ${messageOf(error)}`, {
      cause: error,
      ...(hint !== undefined && { hint }),
    });
  }
}
