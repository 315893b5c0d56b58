import { type Clock, messageOf } from '@rungar/model';
import { inputError } from '../problems.js';
import type { ClusterApi } from './api.js';
import { installedClient } from './installed-client.js';
import { findKubeconfig, type KubeconfigSource } from './kubeconfig.js';
import { type ClientImport, loadClient } from './load-client.js';
import { RestApi } from './rest-api.js';
import { Transport } from './transport.js';

export interface ConnectOptions extends KubeconfigSource {
  readonly clock: Clock;
  /** Where the client library comes from, when not from what is installed. */
  readonly client?: ClientImport;
}

/**
 * Opens the way to a cluster. Nothing is sent yet.
 * @throws InputError `CLIENT_MISSING` without the optional peer `@kubernetes/client-node`; `CONFIG_NOT_READABLE`,
 * `YAML_INVALID`, `OPTION_INVALID` for a kubeconfig that does not lead to a cluster
 */
export async function connectCluster(options: ConnectOptions, signal: AbortSignal): Promise<ClusterApi> {
  const { KubeConfig } = await loadClient(options.client ?? installedClient);
  const found = await findKubeconfig(options, signal);
  const config = new KubeConfig();
  try {
    config.loadFromString(found.json);
  } catch (error) {
    throw inputError({
      code: 'OPTION_INVALID',
      at: found.name,
      found: messageOf(error),
      allowed: 'a kubeconfig as kubectl reads it',
      fix: 'mend it, or name another with --kubeconfig',
    });
  }
  return new RestApi(new Transport(config, options.clock), options.clock);
}
