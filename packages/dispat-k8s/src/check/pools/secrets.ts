import type { Resources } from '../kube/resources.js';
import type { KubeValue } from '../kube/value.js';
import { keysOf } from './environment.js';
import type { PoolFacts } from './pool.js';
import { allContainers } from './workload.js';

/** One place where a pod uses a Secret. */
export interface SecretUse {
  readonly name: string;
  /** The key, where one is named. */
  readonly key: string | undefined;
  readonly at: KubeValue;
  /** The environment variable it becomes, if it does. */
  readonly variable: string | undefined;
}

/** Every use of a Secret in a pod: variables, volumes, projections, credentials to pull images with. */
export function secretUses(pod: KubeValue): readonly SecretUse[] {
  const uses: SecretUse[] = [];
  const add = (at: KubeValue, name: string | undefined, key?: string, variable?: string): void => {
    if (name !== undefined) uses.push({ name, key, at, variable });
  };
  for (const container of allContainers(pod)) {
    for (const source of container.at('envFrom').items) add(source, source.at('secretRef', 'name').source);
    for (const entry of container.at('env').items) {
      const reference = entry.at('valueFrom', 'secretKeyRef');
      add(entry, reference.at('name').source, reference.at('key').source, entry.at('name').source);
    }
  }
  for (const volume of pod.at('volumes').items) {
    for (const secret of secretSources(volume)) add(volume, secretName(secret));
  }
  for (const reference of pod.at('imagePullSecrets').items) add(reference, reference.at('name').source);
  return uses;
}

/** The Secrets a volume shows. */
export function secretSources(volume: KubeValue): readonly KubeValue[] {
  return [volume.at('secret'), ...volume.at('projected', 'sources').items.map((source) => source.at('secret'))].filter(
    (secret) => secret.exists,
  );
}

function secretName(secret: KubeValue): string | undefined {
  return secret.at('secretName').source ?? secret.at('name').source;
}

/** The Secret with git's key, where it is mounted, and what is known of its files. */
export interface KeyMount {
  readonly path: string;
  readonly secret: string;
  readonly mount: KubeValue;
  /** The file names, when the manifest names them. */
  readonly files: readonly string[] | undefined;
}

/** The mounts that hold git's key: in an `.ssh` folder, or named by `GIT_SSH_COMMAND`. */
export function keyMounts({ mounts, settings, resource }: PoolFacts, resources: Resources): readonly KeyMount[] {
  const command = settings.run?.variables.get('GIT_SSH_COMMAND') ?? '';
  return mounts.flatMap(({ path, mount, volume }): KeyMount[] => {
    const isKey = /(^|\/)\.ssh(\/|$)/.test(path) || (path !== '/' && command.includes(path));
    const [secret] = secretSources(volume);
    const name = secret === undefined ? undefined : secretName(secret);
    if (!isKey || secret === undefined || name === undefined) return [];
    const object = resources.named(resource, 'Secret', name);
    const data = object && [object.root.at('data'), object.root.at('stringData')].find((each) => each.exists);
    const files = keysOf(secret, data).map(([, file]) => file);
    const subPath = mount.at('subPath').source;
    return [
      { path, secret: name, mount, files: subPath !== undefined ? [subPath] : files.length > 0 ? files : undefined },
    ];
  });
}
