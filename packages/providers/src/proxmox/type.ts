import type { ProviderType } from '@rungar/model';
import { configureProxmox, PROXMOX_ENTRY_FIELDS } from './config.js';
import { PROXMOX_RUNNER_FIELDS, parseProxmoxRunner } from './runner.js';
import type { ProxmoxRunner } from './settings.js';

/** `type: proxmox`: one Proxmox VE cluster, over its HTTPS API. What speaks it is loaded when a provider is opened. */
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
      async checkOnline(runners, context, { signal }) {
        const [{ checkProxmoxOnline }, { connectWithGot }] = await Promise.all([
          import('./check-online.js'),
          import('./transport.js'),
        ]);
        return checkProxmoxOnline(connectWithGot, settings, runners, context, signal);
      },
      async open(context) {
        const { openProxmox } = await import('./provider.js');
        return openProxmox(settings, context);
      },
    };
  },
  checkRunner(block, at, path, problems) {
    parseProxmoxRunner(block, at, path, problems);
  },
};
