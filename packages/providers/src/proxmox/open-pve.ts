import type { ProviderContext } from '@rungar/model';
import { proxySettingsOf } from '@rungar/proxies';
import { type Pve, pveOver } from './api.js';
import { readAuthorities, readTokenSecret } from './files.js';
import type { ProxmoxSettings } from './settings.js';
import type { Connect } from './transport.js';

/** An open way to a cluster. */
export interface OpenPve {
  readonly pve: Pve;
  close(): void;
}

/**
 * Reads the files the settings name and makes ready to ask the cluster; asks nothing yet.
 * @throws RungarError `invalid_argument` when a file cannot be used
 */
export async function openPve(
  connect: Connect,
  settings: ProxmoxSettings,
  { clock, redactor, environment = {} }: Pick<ProviderContext, 'clock' | 'redactor' | 'environment'>,
): Promise<OpenPve> {
  const { tokenSecret: inline, tokenSecretPath = '', tls } = settings;
  const tokenSecret = inline ?? (await readTokenSecret(tokenSecretPath));
  const authorities = tls.caFile === undefined ? [] : await readAuthorities(tls.caFile);
  const release = redactor.hold(tokenSecret.reveal());
  const transport = await connect(settings, { tokenSecret, authorities }, proxySettingsOf(environment));
  return {
    pve: pveOver({ transport, clock, redactor, timeoutMs: settings.timeoutMs }),
    close() {
      transport.close();
      release();
    },
  };
}
