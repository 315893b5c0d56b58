import type { ProviderType } from '@rungar/model';
import { configureGcp, GCP_ENTRY_FIELDS } from './config.js';
import { GCP_RUNNER_FIELDS, parseGcpRunner } from './runner.js';
import type { GcpRunner } from './settings.js';

/** `type: gcp`: one project and region of Google Cloud, over Compute Engine. The library is loaded when one is opened. */
export const gcpType: ProviderType<GcpRunner> = {
  type: 'gcp',
  secretKeys: [],
  fields: { entry: GCP_ENTRY_FIELDS, runner: GCP_RUNNER_FIELDS },
  configure(entry, path, problems) {
    const configured = configureGcp(entry, path, problems);
    if (!configured) return undefined;
    const { settings, ...rest } = configured;
    return {
      ...rest,
      async checkOnline(runners, context, { signal }) {
        const { checkGcpOnline } = await import('./check-online.js');
        return checkGcpOnline(settings, runners, context, signal);
      },
      async open(context) {
        const { openGcp } = await import('./provider.js');
        return openGcp(settings, context);
      },
    };
  },
  checkRunner(block, at, path, problems) {
    parseGcpRunner(block, at, path, problems);
  },
};
