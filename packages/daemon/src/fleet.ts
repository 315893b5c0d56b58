import type { ProviderSettings } from '@rungar/config';
import {
  type Clock,
  errorCodeOf,
  type Logger,
  messageOf,
  type OpenProvider,
  type Random,
  type Redactor,
  RungarError,
} from '@rungar/model';
import type { FleetProvider } from '@rungar/reconciler';
import { digestOf } from './reload/secret-files.js';
import { type ReplaceableProvider, replaceable } from './replaceable-provider.js';

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
  /**
   * Opens what is new in other settings, and anew what has other ones or other secrets in its files. Nothing changes
   * before {@link NextFleet.take}.
   * @throws RungarError naming the provider that cannot be opened
   */
  prepare(settings: readonly ProviderSettings[], signal: AbortSignal): Promise<NextFleet>;
  /** Closes what is neither configured nor used by anybody. @param inUse names */
  closeUnused(inUse: ReadonlySet<string>): Promise<void>;
  close(): Promise<void>;
}

/** Other providers to go on with. */
export interface NextFleet {
  /** The names of those whose secret files have changed. */
  readonly renewed: readonly string[];
  /** Goes on with them. */
  take(): void;
  /** Closes what was opened for them. */
  discard(): Promise<void>;
}

interface Opened {
  readonly settings: ProviderSettings;
  /** Of its secret files, taken before it read them. */
  readonly digest: string;
  readonly provider: ReplaceableProvider;
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
  const open = new Map<string, Opened>();
  let configured: readonly ProviderSettings[] = [];

  const fleet: Fleet = {
    get providers() {
      return configured.flatMap((one) => {
        const opened = open.get(one.name);
        return opened ? [fleetProvider(one, opened.provider)] : [];
      });
    },
    async prepare(next, until) {
      const fresh = new Map<string, { readonly provider: OpenProvider; readonly digest: string }>();
      const renewed: string[] = [];
      const discard = async (): Promise<void> => {
        await Promise.allSettled([...fresh.values()].map(({ provider }) => provider.close()));
      };
      try {
        for (const one of next) {
          until.throwIfAborted();
          const digest = await digestOf(one.configured.secretFiles);
          const before = open.get(one.name);
          if (before && before.settings.configured === one.configured && before.digest === digest) continue;
          if (before && before.digest !== digest) renewed.push(one.name);
          fresh.set(one.name, { digest, provider: await openOne(one, options) });
        }
      } catch (error) {
        await discard();
        throw error;
      }
      return {
        renewed,
        discard,
        take() {
          configured = next;
          for (const one of next) {
            const opened = fresh.get(one.name);
            const before = open.get(one.name);
            if (!opened) continue;
            before?.provider.replace(opened.provider);
            const provider = before?.provider ?? replaceable(opened.provider);
            open.set(one.name, { settings: one, digest: opened.digest, provider });
          }
        },
      };
    },
    async closeUnused(inUse) {
      for (const [name, { provider }] of open) {
        if (inUse.has(name) || configured.some((one) => one.name === name)) continue;
        open.delete(name);
        await provider.close().catch((error: unknown) => {
          options.logger.warn('Something did not close', { what: `the provider ${name}`, error });
        });
      }
    },
    async close() {
      await Promise.allSettled([...open.values()].map(({ provider }) => provider.close()));
    },
  };
  (await fleet.prepare(settings, signal)).take();
  return fleet;
}

function fleetProvider(settings: ProviderSettings, provider: OpenProvider): FleetProvider {
  const { name, type, weight, maxRunners, disabled, configured } = settings;
  return { name, type, endpoint: configured.endpoint, weight, maxRunners, disabled, provider };
}

async function openOne(settings: ProviderSettings, options: FleetOptions): Promise<OpenProvider> {
  const { name, configured } = settings;
  const logger = options.logger.with({ component: 'provider', provider: name });
  try {
    return await configured.open({ ...options, name, logger });
  } catch (error) {
    const hint = error instanceof Error && 'hint' in error && typeof error.hint === 'string' ? error.hint : undefined;
    throw new RungarError(errorCodeOf(error), `the provider "${name}" cannot be opened: ${messageOf(error)}`, {
      cause: error,
      ...(hint !== undefined && { hint }),
    });
  }
}
