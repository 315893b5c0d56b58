import type { ProviderSettings, Settings } from '@rungar/config';
import { type ScaleSetPolicy, Secret } from '@rungar/model';
import { expect, test } from 'vitest';
import { providerSettings, settingsIn } from '../../test/settings.js';
import { settingsInForce } from './settings-in-force.js';

const rack = providerSettings('rack');
const cloud = providerSettings('cloud');

/** A provider of that name with another backend. */
const moved = (name: string): ProviderSettings => ({
  ...providerSettings(name, undefined, { endpoint: `fake:${name}-elsewhere` }),
  weight: 5,
});

function scaleSet(name: string, providers: readonly string[], revision = '1'): ScaleSetPolicy {
  return {
    ...{ name, labels: [name], runnerGroup: 'Default', minRunners: 0, maxRunners: 4, priority: 0 },
    ...{ placement: 'spread', startTimeoutMs: 300_000, paused: false },
    providers: providers.map((provider) => ({ name: provider, spec: {}, revision, size: '' })),
  };
}

const running = (more: Partial<Settings> = {}): Settings =>
  settingsIn('/run', {
    providers: [rack, cloud],
    scaleSets: [scaleSet('a', ['rack']), scaleSet('b', ['cloud'])],
    ...more,
  });

const usesOf = ({ scaleSets }: Settings): unknown =>
  scaleSets.map(({ name, providers }) => [name, providers.map((one) => `${one.name}@${one.revision}`)]);

test('what only a restart can change stays as it is, and everything else is as the file says', () => {
  const next = running({
    github: { url: 'https://github.com/other', credentials: { kind: 'token', token: new Secret('ghp_next') } },
    installation: 'other',
    socket: '/elsewhere',
    metrics: { enable: true, listen: '127.0.0.1:1' },
    events: { file: '/elsewhere/events', maxCount: 5 },
    logLevel: 'debug',
    reconcileIntervalMs: 60_000,
  });
  const inForce = settingsInForce(running(), next);
  const { installation, socket, metrics, github } = running();
  expect(inForce).toMatchObject({ installation, socket, metrics, logLevel: 'debug', reconcileIntervalMs: 60_000 });
  expect(inForce.events).toEqual({ file: '/run/events.jsonl', maxCount: 5 });
  expect(inForce.github.url).toBe(github.url);
  expect(inForce.github.credentials).toBe(next.github.credentials);
});

test('another kind of credentials waits for the restart', () => {
  const credentials = { kind: 'app', clientId: 'Iv1', installationId: 1, privateKeyPath: '/key' } as const;
  const now = running();
  const next = running({ github: { url: now.github.url, credentials } });
  expect(settingsInForce(now, next).github.credentials).toBe(now.github.credentials);
});

test('a provider with another backend stays what it was, with its new weight and the runners it had', () => {
  const next = running({
    providers: [moved('rack'), cloud],
    scaleSets: [scaleSet('a', ['rack', 'cloud'], '2'), scaleSet('b', ['cloud', 'rack'], '2'), scaleSet('c', ['rack'])],
  });
  const inForce = settingsInForce(running(), next);
  expect(inForce.providers[0]).toMatchObject({ name: 'rack', weight: 5, configured: { endpoint: 'fake:rack' } });
  // A scale set that had no runners there has to wait, and one that has nothing else comes with the restart.
  expect(usesOf(inForce)).toEqual([
    ['a', ['rack@1', 'cloud@2']],
    ['b', ['cloud@2']],
  ]);
});

test('the first scale set stays the first, and is served on when it is gone, with the providers it needs', () => {
  const reordered = running({ scaleSets: [scaleSet('b', ['cloud'], '2'), scaleSet('a', ['rack'], '2')] });
  expect(usesOf(settingsInForce(running(), reordered))).toEqual([
    ['a', ['rack@2']],
    ['b', ['cloud@2']],
  ]);
  const gone = running({ providers: [cloud], scaleSets: [scaleSet('b', ['cloud'], '2')] });
  const inForce = settingsInForce(running(), gone);
  expect(usesOf(inForce)).toEqual([
    ['a', ['rack@1']],
    ['b', ['cloud@2']],
  ]);
  expect(inForce.providers.map(({ name }) => name)).toEqual(['cloud', 'rack']);
});

test('a file without any scale set ends them all', () => {
  expect(settingsInForce(running(), running({ scaleSets: [] })).scaleSets).toEqual([]);
});
