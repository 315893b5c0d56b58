import { type OpenProvider, type ProviderContext, type ProviderType, RungarError } from '@rungar/model';
import { configureDicer, DICER_ENTRY_FIELDS } from './config.js';
import { DICER_RUNNER_FIELDS } from './runner.js';
import type { DicerRunner, DicerSettings } from './settings.js';

/** `type: dicer`: one host of a Dicer daemon. What speaks gRPC is loaded when a provider is opened. */
export const dicerType: ProviderType<DicerRunner> = {
  type: 'dicer',
  secretKeys: [],
  fields: { entry: DICER_ENTRY_FIELDS, runner: DICER_RUNNER_FIELDS },
  configure(entry, path, problems) {
    const configured = configureDicer(entry, path, problems);
    if (!configured) return undefined;
    const { settings, ...rest } = configured;
    return { ...rest, open: (context) => openDicer(settings, context) };
  },
};

export function openDicer(_settings: DicerSettings, { name }: ProviderContext): Promise<OpenProvider<DicerRunner>> {
  const message = `provider ${name}: this version checks providers of type dicer but does not run them yet`;
  return Promise.reject(new RungarError('internal', message));
}
