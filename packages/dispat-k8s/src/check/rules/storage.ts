import type { Facts } from '../facts.js';
import type { Resources } from '../kube/resources.js';
import type { Mount } from '../pools/environment.js';
import type { PoolFacts } from '../pools/pool.js';
import { type Found, forPools, forPoolsWith, PAGE, type Rule } from '../rule.js';

/** The mount a path lies in, the nearest one. */
export function mountOf(mounts: readonly Mount[], path: string): Mount | undefined {
  return mounts
    .filter((mount) => path === mount.path || path.startsWith(mount.path === '/' ? '/' : `${mount.path}/`))
    .toSorted((a, b) => b.path.length - a.path.length)[0];
}

function stateMount({ settings, mounts }: PoolFacts): { path: string; mount: Mount | undefined } | undefined {
  const path = settings.flags?.stateDir;
  return path === undefined ? undefined : { path, mount: mountOf(mounts, path) };
}

const STATE_UNREAD = 'the state folder';

export const storageRules: readonly Rule[] = [
  {
    id: 'DWM118',
    severity: 'warning',
    title: 'a StatefulSet that keeps its state',
    why: 'The variation exists to keep fetched objects between releases.',
    when: 'a StatefulSet has no claim template, or its state folder is not on one',
    fix: 'mount a volumeClaimTemplate at the --state-dir',
    page: PAGE.job,
    find: forPools(function* (pool): Iterable<Found> {
      if (pool.form !== 'statefulset') return;
      const claims = pool.spec.at('volumeClaimTemplates');
      if (claims.items.length === 0)
        return yield { at: claims, message: 'no claim template: nothing is kept between releases' };
      const state = stateMount(pool);
      if (state === undefined) yield { unknown: pool.settings.unread ?? STATE_UNREAD };
      else if (state.mount?.isClaimTemplate !== true)
        yield { at: pool.worker.at('volumeMounts'), message: `the state folder ${state.path} is not on a claim` };
    }),
  },
  {
    id: 'DWM119',
    severity: 'error',
    otherwise: ['warning'],
    title: 'a state folder of its own',
    why: "State in the image's layer is slow and counts against the machine's disk; state that two nodes of one name share corrupts; state on a read-only volume cannot be written.",
    when: 'the --state-dir lies under no mounted volume (warning), on a read-only one, or on a ReadWriteMany claim that pods with the same node name share (error)',
    fix: 'mount an emptyDir at the --state-dir',
    page: PAGE.fits,
    find: forPoolsWith(mountedClaims, function* (pool, mountedBy, facts): Iterable<Found> {
      const state = stateMount(pool);
      if (state === undefined) return yield { unknown: pool.settings.unread ?? STATE_UNREAD };
      const { path, mount } = state;
      if (mount === undefined) {
        yield {
          at: pool.worker.at('volumeMounts'),
          severity: 'warning',
          message: `the state folder ${path} is on no volume`,
        };
        return;
      }
      const readOnly = mount.mount.at('readOnly');
      if (readOnly.boolean === true || mount.volume.at('persistentVolumeClaim', 'readOnly').boolean === true) {
        yield { at: readOnly, message: `the state folder ${path} is on a read-only volume` };
      }
      const claim = mount.volume.at('persistentVolumeClaim', 'claimName').source;
      if (claim !== undefined && isSharedByMany(pool, claim, facts.resources) && sharesNames(pool, claim, mountedBy)) {
        yield { at: mount.mount, message: `the claim ${claim} is shared by nodes of the same name` };
      }
    }),
  },
  {
    id: 'DWM318',
    severity: 'warning',
    title: 'claims that outlive a scale-down',
    why: 'Scaling to zero after a release would throw the cache away, and keeping it is what the StatefulSet is for.',
    when: 'persistentVolumeClaimRetentionPolicy.whenScaled is Delete',
    fix: 'set whenScaled: Retain',
    page: PAGE.job,
    find: forPools(function* ({ form, spec }): Iterable<Found> {
      const at = spec.at('persistentVolumeClaimRetentionPolicy', 'whenScaled');
      if (form === 'statefulset' && at.source === 'Delete')
        yield { at, message: 'claims are deleted when the pool is scaled down' };
    }),
  },
];

function isSharedByMany(pool: PoolFacts, claim: string, resources: Resources): boolean {
  const found = resources.named(pool.resource, 'PersistentVolumeClaim', claim);
  return found?.root.at('spec', 'accessModes').texts.includes('ReadWriteMany') === true;
}

/** By claim and node name, the pools whose nodes of that name mount it. */
type MountedBy = ReadonlyMap<string, ReadonlySet<PoolFacts>>;

function mountedClaims({ pools }: Facts): MountedBy {
  const byNode = new Map<string, Set<PoolFacts>>();
  for (const pool of pools) {
    for (const { volume } of pool.mounts) {
      const claim = volume.at('persistentVolumeClaim', 'claimName').source;
      for (const node of claim === undefined ? [] : (pool.nodeNames ?? [])) {
        const key = nodeKey(pool, claim, node);
        byNode.set(key, (byNode.get(key) ?? new Set()).add(pool));
      }
    }
  }
  return byNode;
}

function nodeKey({ resource: { namespace } }: PoolFacts, claim: string | undefined, node: string): string {
  return JSON.stringify([namespace, claim, node]);
}

function sharesNames(pool: PoolFacts, claim: string, mountedBy: MountedBy): boolean {
  if (pool.settings.names?.hasIndex === false) return true;
  return pool.nodeNames?.some((node) => (mountedBy.get(nodeKey(pool, claim, node))?.size ?? 0) > 1) === true;
}
