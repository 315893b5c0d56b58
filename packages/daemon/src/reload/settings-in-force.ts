import type { ProviderSettings, Settings } from '@rungar/config';
import type { ScaleSetPolicy } from '@rungar/model';

/**
 * What a running daemon goes on with when its file says something else: the file's word, but what only a restart can
 * change. A provider whose backend is another one stays what it was, with the runners it had; the first scale set
 * stays the first, and stays served, since its session decides which daemon serves at all.
 */
export function settingsInForce(running: Settings, next: Settings): Settings {
  const moved = movedProviders(running, next);
  const scaleSets = next.scaleSets
    .map((policy) => withKnownBackends(policy, running, moved))
    .filter(({ providers }) => providers.length > 0);
  const led = withLead(scaleSets, running);
  const providers = next.providers.map((provider) => ({ ...provider, ...moved.get(provider.name) }));
  return {
    ...next,
    github: { url: running.github.url, credentials: credentialsInForce(running, next) },
    installation: running.installation,
    providers: [...providers, ...stillUsed(led, providers, running)],
    scaleSets: led,
    metrics: running.metrics,
    page: running.page,
    events: { ...next.events, file: running.events.file },
    socket: running.socket,
  };
}

function credentialsInForce({ github: running }: Settings, { github: next }: Settings) {
  return running.credentials.kind === next.credentials.kind ? next.credentials : running.credentials;
}

type Backend = Pick<ProviderSettings, 'type' | 'configured'>;

/** The backends of the providers whose file names another one. */
function movedProviders(running: Settings, next: Settings): ReadonlyMap<string, Backend> {
  const before = new Map(running.providers.map((provider) => [provider.name, provider]));
  return new Map(
    next.providers.flatMap(({ name, type, configured }): readonly [string, Backend][] => {
      const old = before.get(name);
      const same = !old || (old.type === type && old.configured.endpoint === configured.endpoint);
      return same ? [] : [[name, { type: old.type, configured: old.configured }]];
    }),
  );
}

/** On a backend that stays what it was, a scale set keeps the runners it had there, and begins none. */
function withKnownBackends(
  policy: ScaleSetPolicy,
  running: Settings,
  moved: ReadonlyMap<string, Backend>,
): ScaleSetPolicy {
  const old = running.scaleSets.find(({ name }) => name === policy.name);
  const providers = policy.providers.flatMap((provider) => {
    if (!moved.has(provider.name)) return provider;
    return old?.providers.find(({ name }) => name === provider.name) ?? [];
  });
  return { ...policy, providers };
}

function withLead(scaleSets: readonly ScaleSetPolicy[], running: Settings): readonly ScaleSetPolicy[] {
  const [lead] = running.scaleSets;
  if (!lead || scaleSets.length === 0) return scaleSets;
  const now = scaleSets.find(({ name }) => name === lead.name) ?? lead;
  return [now, ...scaleSets.filter(({ name }) => name !== lead.name)];
}

/** Providers that the file has no more, and that a scale set which stays until the restart still needs. */
function stillUsed(
  scaleSets: readonly ScaleSetPolicy[],
  providers: readonly ProviderSettings[],
  running: Settings,
): readonly ProviderSettings[] {
  const known = new Set(providers.map(({ name }) => name));
  const used = new Set(scaleSets.flatMap((policy) => policy.providers.map(({ name }) => name)));
  return running.providers.filter(({ name }) => used.has(name) && !known.has(name));
}
