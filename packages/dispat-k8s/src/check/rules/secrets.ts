import type { Located } from '@rungar/model';
import { redactEndpoint } from '../../endpoint.js';
import type { Facts } from '../facts.js';
import { nameOf, type Resource } from '../kube/resource.js';
import { grouped, type Resources } from '../kube/resources.js';
import type { PoolFacts } from '../pools/pool.js';
import { keyMounts, type SecretUse, secretUses } from '../pools/secrets.js';
import { allContainers } from '../pools/workload.js';
import { type Found, forPools, forPoolsWith, PAGE, type Rule, someOf } from '../rule.js';
import { credentialName, isPublishCredential } from './credential-names.js';

/** Annotations by which common controllers copy a Secret into other namespaces. */
const REPLICATING = /(?:reflector\.v1\.k8s\.emberstack\.com|replicator\.v1\.mittwald\.de|kubed\.appscode\.com)/;

/** The Secrets a pool stands or falls with: the signing secret's and git's key's. */
function ownSecrets(pool: PoolFacts, resources: Resources): ReadonlySet<string> {
  const secretEnv = pool.settings.execution?.secretEnv?.value;
  const signing = secretUses(pool.pod).filter(({ variable }) => variable !== undefined && variable === secretEnv);
  return new Set([...signing.map(({ name }) => name), ...keyMounts(pool, resources).map(({ secret }) => secret)]);
}

interface SecretSharers {
  /** By a Secret's name, what uses one of that name and is no pool. */
  readonly users: ReadonlyMap<string, readonly { readonly resource: Resource; readonly use: SecretUse }[]>;
  /** By their source, the objects that fetch a Secret from outside. */
  readonly takers: ReadonlyMap<string, readonly Resource[]>;
}

function secretSharers({ pools, workloads, resources }: Facts): SecretSharers {
  const own = new Set(pools.map(({ resource }) => resource));
  const users = workloads
    .filter(({ resource }) => !own.has(resource))
    .flatMap(({ resource, pod }) => {
      const first = new Map(
        secretUses(pod)
          .toReversed()
          .map((use) => [use.name, use]),
      );
      return [...first.values()].map((use) => ({ resource, use }));
    });
  return {
    users: grouped(users, ({ use }) => use.name),
    takers: grouped(resources.ofKind('ExternalSecret'), externalSource),
  };
}

/** Which pools meet in one mailbox or one Secret, by their namespaces. */
class TrustZones {
  readonly #zones = new Map<string, Map<string | undefined, PoolFacts[]>>();

  /** @returns the pools of other namespaces that were there before */
  enter(zone: string, pool: PoolFacts): readonly PoolFacts[] {
    const { namespace } = pool.resource;
    const members = this.#zones.get(zone) ?? new Map<string | undefined, PoolFacts[]>();
    this.#zones.set(zone, members);
    const others = [...members].flatMap(([of, pools]) => (of === namespace ? [] : pools));
    const near = members.get(namespace);
    if (near === undefined) members.set(namespace, [pool]);
    else near.push(pool);
    return others;
  }
}

function elsewhere(pools: readonly PoolFacts[]): string {
  const names = someOf(pools.map(({ resource }) => nameOf(resource)));
  return `${names}, in ${pools.length === 1 ? 'another namespace' : 'other namespaces'}`;
}

export const secretRules: readonly Rule[] = [
  {
    id: 'DWM209',
    severity: 'error',
    title: 'secrets that only this namespace mounts',
    why: "Whoever has the signing secret or the mailbox's key runs commands in these pods.",
    when: 'a workload of another namespace uses a Secret of the same name, two namespaces get one from the same external source, or the Secret carries an annotation that copies it elsewhere',
    fix: 'keep the signing secret and the key in this namespace alone',
    page: PAGE.secrets,
    find: forPoolsWith(secretSharers, function* (pool, { users, takers }, facts): Iterable<Found> {
      const own = ownSecrets(pool, facts.resources);
      const home = pool.resource.namespace;
      for (const { resource, use } of [...own].flatMap((name) => users.get(name) ?? [])) {
        if (resource.namespace !== home)
          yield { resource, at: use.at, message: `${nameOf(resource)} uses a Secret ${use.name} too` };
      }
      for (const resource of facts.resources.near(pool.resource, 'ExternalSecret')) {
        const source = own.has(targetOf(resource)) ? externalSource(resource) : '';
        const other = source === '' ? undefined : takers.get(source)?.find(({ namespace }) => namespace !== home);
        if (other !== undefined)
          yield { resource, at: resource.root.at('spec'), message: `${nameOf(other)} takes the same external secret` };
      }
      for (const resource of facts.resources.ofKind('ClusterExternalSecret')) {
        const spec = resource.root.at('spec');
        const target = spec.at('externalSecretSpec', 'target', 'name').source ?? spec.at('externalSecretName').source;
        if (own.has(target ?? resource.name))
          yield {
            resource,
            at: spec,
            message: `${nameOf(resource)} writes the Secret into every namespace it selects`,
          };
      }
      for (const resource of facts.resources.near(pool.resource, 'Secret')) {
        if (!own.has(resource.name)) continue;
        const copying = resource.root.at('metadata', 'annotations').entries.find(([key]) => REPLICATING.test(key));
        if (copying !== undefined)
          yield { resource, at: copying[1], message: `the annotation ${copying[0]} copies the Secret elsewhere` };
      }
    }),
  },
  {
    id: 'DWM210',
    severity: 'error',
    title: 'no credentials of the release here',
    why: "A worker runs what the mailbox orders; the release job's credentials do not belong within its reach.",
    when: "a Secret named with --release-secret is used by anything in the pool's namespace",
    fix: 'take the reference away: the release job alone uses it',
    page: PAGE.secrets,
    *find({ pools, workloads, surroundings }) {
      const secrets = new Set(surroundings.releaseSecrets);
      if (secrets.size === 0) return;
      const byResource = new Map(pools.map((pool) => [pool.resource, pool]));
      const byNamespace = grouped(pools, ({ resource }) => resource.namespace);
      for (const { resource, pod } of workloads) {
        const pool = byResource.get(resource) ?? byNamespace.get(resource.namespace)?.[0];
        if (pool === undefined) continue;
        for (const { name, at } of secretUses(pod)) {
          if (secrets.has(name))
            yield { pool, resource, at, message: `the release's Secret ${name} is used in the workers' namespace` };
        }
      }
    },
  },
  {
    id: 'DWM211',
    severity: 'error',
    title: 'one secret, one trust zone',
    why: "Pools that share a mailbox or a secret can run each other's commands. Namespaces that should not need two of each.",
    when: 'pools in different namespaces have the same endpoint, or take their signing secret or key from Secrets of one name',
    fix: 'give each namespace its own mailbox repository and its own secret',
    page: PAGE.secrets,
    *find({ pools, resources }) {
      const zones = new TrustZones();
      for (const pool of pools) {
        const endpoint = pool.settings.execution?.endpoint?.value;
        const mailbox = endpoint === undefined ? undefined : `mailbox ${redactEndpoint(endpoint)}`;
        const sharers = mailbox === undefined ? [] : zones.enter(`${mailbox} ${endpoint}`, pool);
        if (sharers.length > 0)
          yield { pool, at: pool.settings.at, message: `the ${mailbox} is also that of ${elsewhere(sharers)}` };
        const told = new Set(sharers);
        for (const name of ownSecrets(pool, resources)) {
          const others = zones.enter(`Secret ${name}`, pool).filter((other) => !told.has(other));
          if (others.length > 0)
            yield { pool, at: pool.pod, message: `a Secret ${name} is also that of ${elsewhere(others)}` };
          for (const other of others) told.add(other);
        }
      }
    },
  },
  {
    id: 'DWM212',
    severity: 'warning',
    otherwise: ['error'],
    title: 'publishing credentials stay off the workers',
    why: 'Every build of the release runs where they are. A publish needs them on the orchestrator alone.',
    when: "a variable or a Secret's key looks like a registry's credential and is not named with --build-secret (error when the configuration uses it to publish)",
    fix: 'keep the credential on the orchestrator; name what builds really read with --build-secret',
    page: PAGE.secrets,
    find: forPools(function* ({ pod, worker }, { surroundings, configuration }): Iterable<Found> {
      const allowed = new Set(surroundings.buildSecrets);
      const uses = secretUses(pod).map(({ name, key, variable, at }) => ({ names: [variable, key], secret: name, at }));
      const literals = worker
        .at('env')
        .items.filter((entry) => !entry.at('valueFrom').exists)
        .map((at) => ({ names: [at.at('name').source], secret: undefined, at }));
      for (const { names, secret, at } of [...uses, ...literals]) {
        const name = names.find((each) => each !== undefined && isPublishCredential(each));
        if (
          name === undefined ||
          names.some((each) => each !== undefined && allowed.has(each)) ||
          (secret !== undefined && allowed.has(secret))
        )
          continue;
        const published = configuration !== undefined && publishesWith(configuration.map, name);
        yield {
          at,
          ...(published && { severity: 'error' }),
          message: published
            ? `${name} is on the workers, and the configuration publishes with it`
            : `${name} looks like a credential to publish with`,
        };
      }
    }),
  },
  {
    id: 'DWM215',
    severity: 'error',
    title: 'no secret in a manifest',
    why: 'What is in a manifest is in Git, and in everything that reads it.',
    when: "the secret's variable or one with a credential's name has a literal value, or a Secret with data stands beside the pool",
    fix: 'take the value from a Secret that is made elsewhere',
    page: PAGE.secrets,
    find: forPools(function* (pool, facts): Iterable<Found> {
      const secretEnv = pool.settings.execution?.secretEnv?.value;
      for (const entry of allContainers(pool.pod).flatMap((container) => container.at('env').items)) {
        const name = entry.at('name').source ?? '';
        const literal = entry.at('value');
        if (literal.exists && literal.source !== '' && (name === secretEnv || credentialName(name)))
          yield { at: literal, message: `the variable ${name} holds its value in clear` };
      }
      for (const resource of facts.resources.near(pool.resource, 'Secret')) {
        const at = [resource.root.at('data'), resource.root.at('stringData')].find(({ entries }) =>
          entries.some(([, value]) => value.source !== undefined && value.source !== ''),
        );
        if (at !== undefined) yield { resource, at, message: `${nameOf(resource)} holds its data in clear` };
      }
    }),
  },
  {
    id: 'DWM220',
    severity: 'warning',
    title: 'one read-only mount of the key',
    why: 'Builds run as the same user and can read the key, so it is kept to one place.',
    when: "the key's mount is not read-only, the key is also in the environment, or another container mounts it",
    fix: "mount the key's Secret once, with readOnly: true",
    page: PAGE.secrets,
    find: forPools(function* (pool, facts): Iterable<Found> {
      for (const { mount, secret } of keyMounts(pool, facts.resources)) {
        const at = mount.at('readOnly');
        if (at.boolean !== true) yield { at, message: `the key's Secret ${secret} is mounted writable` };
        const use = secretUses(pool.pod).find(
          ({ name, variable, at: used }) => name === secret && (variable !== undefined || used.at('secretRef').exists),
        );
        if (use !== undefined) yield { at: use.at, message: `the key's Secret ${secret} is in the environment too` };
        const volume = mount.at('name').source;
        const others = [...pool.pod.at('initContainers').items, ...pool.pod.at('containers').items].filter(
          (each) => each.pointer !== pool.worker.pointer,
        );
        const other = others.find((each) =>
          each.at('volumeMounts').items.some((each) => each.at('name').source === volume),
        );
        if (other !== undefined)
          yield { at: other.at('volumeMounts'), message: `container ${other.at('name').source} mounts the key too` };
      }
    }),
  },
];

function targetOf({ root, name }: Resource): string {
  return root.at('spec', 'target', 'name').source ?? name;
}

function externalSource({ root }: Resource): string {
  const references = [
    ...root.at('spec', 'data').items.map((each) => each.at('remoteRef', 'key').source),
    ...root.at('spec', 'dataFrom').items.map((each) => each.at('extract', 'key').source),
  ].filter((key) => key !== undefined);
  return references.length === 0
    ? ''
    : `${root.at('spec', 'secretStoreRef', 'name').source ?? ''} ${references.toSorted().join(' ')}`;
}

/** Whether something below a key that is about publishing names the variable. */
function publishesWith(value: Located, name: string, publishing = false): boolean {
  if (value.kind === 'scalar') return publishing && value.source.includes(name);
  if (value.kind === 'list') return value.items.some((item) => publishesWith(item, name, publishing));
  return value.entries.some((entry) =>
    publishesWith(entry.value, name, publishing || /publish|login/i.test(entry.key)),
  );
}
