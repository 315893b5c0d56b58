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
      calls.getStore()?.begin();
    }

    override async applyToFetchOptions(...[options]: Parameters<KubeConfig['applyToFetchOptions']>) {
      const request = await signIn(this, () => super.applyToFetchOptions(options));
      const { agent } = request;
      const signal = calls.getStore()?.begin();
      // The agent is this call's own.
      if (typeof agent === 'object') signal?.addEventListener('abort', () => agent.destroy(), { once: true });
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
