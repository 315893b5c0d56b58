import { type ProviderType, RungarError } from '@rungar/model';
import { configureProxmox, PROXMOX_ENTRY_FIELDS } from './config.js';
import { PROXMOX_RUNNER_FIELDS } from './runner.js';
import type { ProxmoxRunner } from './settings.js';

/** `type: proxmox`: one Proxmox VE cluster, over its HTTPS API. */
export const proxmoxType: ProviderType<ProxmoxRunner> = {
  type: 'proxmox',
  secretKeys: ['token_secret'],
  fields: { entry: PROXMOX_ENTRY_FIELDS, runner: PROXMOX_RUNNER_FIELDS },
  configure(entry, path, problems) {
    const configured = configureProxmox(entry, path, problems);
    if (!configured) return undefined;
    const { settings: _, ...rest } = configured;
    return {
      ...rest,
      open: () =>
        Promise.reject(new RungarError('internal', 'this version checks a proxmox provider, but does not run it yet')),
    };
  },
};
