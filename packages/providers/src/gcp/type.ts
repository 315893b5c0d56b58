import type { ProviderType } from '@rungar/model';
import { configureGcp } from './config.js';
import { openGcp } from './provider.js';
import type { GcpRunner } from './settings.js';

/** `type: gcp`: one project and region of Google Cloud, over Compute Engine. The library is loaded when one is opened. */
export const gcpType: ProviderType<GcpRunner> = {
  type: 'gcp',
  secretKeys: [],
  configure(entry, path, problems) {
    const configured = configureGcp(entry, path, problems);
    if (!configured) return undefined;
    const { settings, ...rest } = configured;
    return { ...rest, open: (context) => openGcp(settings, context) };
  },
};
