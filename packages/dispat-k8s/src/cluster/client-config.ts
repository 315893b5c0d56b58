import type { KubeConfig } from '@kubernetes/client-node';
import { messageOf } from '@rungar/model';
import { inputError } from '../problems.js';
import type { ClientCalls } from './client-call.js';
import { withoutUser } from './failures.js';
import type { FoundConfig } from './kubeconfig.js';
import type { ClientLibrary } from './load-client.js';

/** A kubeconfig that leads to a cluster, and that cluster's address. */
export interface ClientConfig {
  readonly config: KubeConfig;
  readonly server: string;
}

/**
 * Has the client library read a kubeconfig. Calls made with it say so when its user cannot sign in, and those that the
 * library would not end before they are answered (watches, logs) lose their connection with the call's signal.
 * @throws InputError `OPTION_INVALID` when it does not lead to a cluster
 */
export function clientConfig(library: ClientLibrary, { name, json }: FoundConfig, calls: ClientCalls): ClientConfig {
  class CallConfig extends library.KubeConfig {
    override async applySecurityAuthentication(
      ...[context]: Parameters<KubeConfig['applySecurityAuthentication']>
    ): Promise<void> {
      await signIn(this, () => super.applySecurityAuthentication(context));
      closeWith(calls.getStore()?.begin(), dispatcherOf(context));
    }

    override async applyToFetchOptions(...[options]: Parameters<KubeConfig['applyToFetchOptions']>) {
      const request = await signIn(this, () => super.applyToFetchOptions(options));
      closeWith(calls.getStore()?.begin(), request.agent);
      return request;
    }
  }

  const config = new CallConfig();
  try {
    config.loadFromString(json);
  } catch (error) {
    throw inputError({
      code: 'OPTION_INVALID',
      at: name,
      found: messageOf(error),
      allowed: 'a kubeconfig as kubectl reads it',
      fix: 'mend it, or name another with --kubeconfig',
    });
  }
  const server = serverOf(config);
  if (server === undefined) {
    throw inputError({
      code: 'OPTION_INVALID',
      at: 'kubeconfig',
      found: `the context ${JSON.stringify(config.getCurrentContext())} without a cluster`,
      allowed: 'a context whose cluster the kubeconfig describes',
      fix: 'choose another context with --context',
    });
  }
  return { config, server };
}

function serverOf(config: KubeConfig): string | undefined {
  return config.getCurrentCluster()?.server;
}

/** What carries a request in version 2 of the library, where an agent does in version 1. */
function dispatcherOf(context: object): unknown {
  return 'getDispatcher' in context && typeof context.getDispatcher === 'function'
    ? context.getDispatcher()
    : undefined;
}

/** Closes what carries a request, which the library makes anew for each. */
function closeWith(signal: AbortSignal | undefined, carrier: unknown): void {
  if (typeof carrier !== 'object' || carrier === null) return;
  if (!('destroy' in carrier && typeof carrier.destroy === 'function')) return;
  const destroy: () => unknown = carrier.destroy.bind(carrier);
  signal?.addEventListener('abort', () => void destroy(), { once: true });
}

async function signIn<T>(config: KubeConfig, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw inputError({
      code: 'CLUSTER_FORBIDDEN',
      at: withoutUser(serverOf(config) ?? 'kubeconfig'),
      found: `credentials that cannot be used: ${messageOf(error)}`,
      allowed: 'a user that can sign in',
      fix: 'sign in again, or choose another context with --context',
    });
  }
}
