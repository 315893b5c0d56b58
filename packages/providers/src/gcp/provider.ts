import { type OpenProvider, type ProviderContext, RungarError } from '@rungar/model';
import type { GcpRunner, GcpSettings } from './settings.js';

/** Opens a provider over one project and region. */
export async function openGcp(_settings: GcpSettings, context: ProviderContext): Promise<OpenProvider<GcpRunner>> {
  throw new RungarError(
    'invalid_argument',
    `provider ${context.name}: this version checks a provider of type gcp but does not run it yet`,
  );
}
