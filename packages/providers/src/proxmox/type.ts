import type { ProviderType } from '@rungar/model';
import { checkProxmoxOnline } from './check-online.js';
import { configureProxmox, PROXMOX_ENTRY_FIELDS } from './config.js';
import { openProxmox } from './provider.js';
import { PROXMOX_RUNNER_FIELDS, parseProxmoxRunner } from './runner.js';
import type { ProxmoxRunner } from './settings.js';
import { connectWithGot } from './transport.js';

/** `type: proxmox`: one Proxmox VE cluster, over its HTTPS API. The HTTP client is loaded when a provider is opened. */
export const proxmoxType: ProviderType<ProxmoxRunner> = {
  type: 'proxmox',
  secretKeys: ['token_secret'],
  fields: { entry: PROXMOX_ENTRY_FIELDS, runner: PROXMOX_RUNNER_FIELDS },
  configure(entry, path, problems) {
    const configured = configureProxmox(entry, path, problems);
    if (!configured) return undefined;
    const { settings, ...rest } = configured;
    return {
      ...rest,
      checkOnline: (runners, context, { signal }) =>
        checkProxmoxOnline(connectWithGot, settings, runners, context, signal),
      open: (context) => openProxmox(settings, context),
    };
  },
  checkRunner(block, at, path, problems) {
    parseProxmoxRunner(block, at, path, problems);
  },
};
