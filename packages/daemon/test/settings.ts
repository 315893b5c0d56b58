import { join } from 'node:path';
import type { ProviderSettings, Settings } from '@rungar/config';
import { type ConfiguredProvider, type OpenProvider, Secret } from '@rungar/model';

/** Settings of a daemon that lives in `folder` and has no provider and no scale set. */
export function settingsIn(folder: string, more: Partial<Settings> = {}): Settings {
  return {
    file: join(folder, 'config.yaml'),
    github: {
      url: 'https://github.com/my-org',
      credentials: { kind: 'token', token: new Secret('ghp_0123456789abcdef') },
    },
    installation: 'gh-4e3651f01be5',
    providers: [],
    scaleSets: [],
    reconcileIntervalMs: 30_000,
    metrics: { enable: false, listen: '127.0.0.1:0' },
    page: { enable: false, listen: '127.0.0.1:0' },
    events: { file: join(folder, 'events.jsonl'), maxCount: 100 },
    socket: join(folder, 'rungar.sock'),
    logLevel: 'info',
    logFormat: 'text',
    holdsSecrets: true,
    ...more,
  };
}

const notAsked = (): never => {
  throw new Error('the provider was not to be asked this');
};

/** An open provider that does nothing but close. */
export function idleProvider(onClose: () => void = () => {}): OpenProvider {
  return { list: notAsked, create: notAsked, delete: notAsked, close: async () => onClose() };
}

export function providerSettings(
  name: string,
  open: ConfiguredProvider['open'] = async () => idleProvider(),
  more: Partial<ConfiguredProvider> = {},
): ProviderSettings {
  const configured: ConfiguredProvider = {
    endpoint: `fake:${name}`,
    secretFiles: [],
    effective: {},
    parseRunner: notAsked,
    checkRunnerName: () => undefined,
    checkFiles: async () => {},
    open,
    ...more,
  };
  return { name, type: 'fake', weight: 1, maxRunners: 0, disabled: false, configured };
}
