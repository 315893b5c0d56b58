import type { Clock } from '@rungar/model';
import type { ClusterApi } from './api.js';
import { ClientApi } from './client-api.js';
import { ClusterClient } from './cluster-client.js';
import { installedClient } from './installed-client.js';
import { findKubeconfig, type KubeconfigSource } from './kubeconfig.js';
import { type ClientImport, loadClient } from './load-client.js';

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
  const library = await loadClient(options.client ?? installedClient);
  const found = await findKubeconfig(options, signal);
  return new ClientApi(new ClusterClient(library, found, options.clock), options.clock);
}
