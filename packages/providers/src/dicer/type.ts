import type { OpenProvider, ProviderContext, ProviderType } from '@rungar/model';
import { configureDicer, DICER_ENTRY_FIELDS } from './config.js';
import { DICER_RUNNER_FIELDS, parseDicerRunner } from './runner.js';
import type { DicerRunner, DicerSettings } from './settings.js';

/** `type: dicer`: one host of a Dicer daemon. What speaks gRPC is loaded when it is needed. */
export const dicerType: ProviderType<DicerRunner> = {
  type: 'dicer',
  secretKeys: [],
  fields: { entry: DICER_ENTRY_FIELDS, runner: DICER_RUNNER_FIELDS },
  configure(entry, path, problems) {
    const configured = configureDicer(entry, path, problems);
    if (!configured) return undefined;
    const { settings, ...rest } = configured;
    return {
      ...rest,
      async checkOnline(runners, context, { signal }) {
        const { checkDicer } = await import('./online.js');
        return checkDicer(settings, runners, context, signal);
      },
      open: (context) => openDicer(settings, context),
    };
  },
  checkRunner(block, at, path, problems) {
    parseDicerRunner(block, at, path, problems);
  },
};

/**
 * Opens a provider over one Dicer host. Reads the files of `tls`; asks the daemon nothing yet.
 * @throws RungarError `invalid_argument` naming a file that cannot be used, and the cure
 */
export async function openDicer(settings: DicerSettings, context: ProviderContext): Promise<OpenProvider<DicerRunner>> {
  const { openDicerProvider } = await import('./provider.js');
  return openDicerProvider(settings, context);
}
