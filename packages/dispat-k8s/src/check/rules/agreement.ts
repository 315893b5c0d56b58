import { hash } from 'node:crypto';
import { probablySameRepository, readEndpoint, redactEndpoint } from '../../endpoint.js';
import type { Facts } from '../facts.js';
import { hasProgram } from '../image-contents.js';
import type { KubeValue } from '../kube/value.js';
import { linkFinder, NO_LINKS } from '../pools/orchestrator.js';
import type { PoolFacts } from '../pools/pool.js';
import { type Found, forPools, forPoolsWith, type Hit, PAGE, type Rule, someOf } from '../rule.js';
import { userOf } from './security-context.js';

/** dispat's own ceilings of what travels. */
const TRANSFER_DEFAULTS: Readonly<Record<string, number>> = {
  maxFiles: 20_000,
  maxBytes: 2_147_483_648,
  maxManifestBytes: 8_388_608,
  timeout: 1800,
};

export const agreementRules: readonly Rule[] = [
  {
    id: 'DWM123',
    severity: 'error',
    otherwise: ['warning'],
    title: 'one mailbox for both sides',
    why: 'Work is left where the node does not look. Endpoints are compared as text, because dispat keys its caches by the text.',
    when: "the endpoint in the worker's file differs from its link's (warning when they probably name one repository), or is missing",
    fix: "write the same endpoint, letter for letter, in the worker's file and in its link",
    page: PAGE.job,
    find: forPoolsWith(linkFinder, function* (pool, linksLike, facts): Iterable<Found> {
      const { settings, nodeNames } = pool;
      const { execution, endpointHash } = settings;
      const own = execution?.endpoint?.value;
      if (execution !== undefined && own === undefined) {
        yield {
          at: settings.at,
          message: "the worker's file names no endpoint, and a pod starts in no checkout it could take one from",
        };
        return;
      }
      if (own === undefined && endpointHash === undefined) return yield { unknown: settings.unread ?? 'the endpoint' };
      const like = linksLike(pool);
      if (like === undefined) return yield { unknown: NO_LINKS };
      const names = new Set(nodeNames?.map((name) => name.toLowerCase()));
      const links = like.filter(({ name }) => names.size === 0 || names.has(name.toLowerCase()));
      const endpoints = new Map(
        links.map(({ name, endpoint }) => [endpoint ?? facts.surroundings.releaseRemote, name]),
      );
      for (const [linked, name] of endpoints) {
        if (linked === undefined)
          yield {
            unknown: "the release's remote, which is the mailbox of links without an endpoint (--release-remote)",
          };
        else if (own === undefined) yield* comparedByHash(settings.at, endpointHash ?? '', linked, name);
        else yield* compared(settings.at, own, linked, name);
      }
    }),
  },
  {
    id: 'DWM124',
    severity: 'error',
    title: 'the signing secret reaches the worker',
    why: 'A node that cannot authenticate refuses to start (E225), and one with another secret accepts nothing.',
    when: "the worker's file has no secretEnv, the container has no variable of that name, its reference is optional, or two pools with one mailbox take it from different Secrets",
    fix: "name the variable in secretEnv, and set it from one Secret's key, not optional",
    page: PAGE.secrets,
    find: forPoolsWith(signingSecrets, function* (pool, secretsOf): Iterable<Found> {
      const { settings, worker } = pool;
      if (settings.execution === undefined) return yield { unknown: settings.unread ?? 'secretEnv' };
      const name = settings.execution.secretEnv?.value;
      if (name === undefined) return yield { at: settings.at, message: "the worker's file has no secretEnv" };
      const entry = worker.at('env').items.find((each) => each.at('name').source === name);
      const wholesale = worker.at('envFrom').items.some((each) => each.at('secretRef').exists);
      if (entry === undefined) {
        if (wholesale) yield { unknown: `whether a Secret in envFrom holds ${name}` };
        else yield { at: worker.at('env'), message: `the container has no variable ${name}` };
        return;
      }
      const optional = entry.at('valueFrom', 'secretKeyRef', 'optional');
      if (optional.boolean === true)
        yield {
          at: optional,
          message: `${name} is optional: without its Secret the pod starts and the node refuses to`,
        };
      const own = signingSecret(pool);
      const others = secretsOf.get(settings.execution.endpoint?.value) ?? new Map<string, PoolFacts>();
      const [, other] = [...others].find(([secret]) => own !== undefined && secret !== own) ?? [];
      if (other !== undefined)
        yield {
          at: entry,
          message: `the pool ${other.resource.name} has the same mailbox and takes its signing secret from elsewhere`,
        };
    }),
  },
  {
    id: 'DWM125',
    severity: 'error',
    title: 'a worker takes what it is sent',
    why: "A run whose transfer ceilings are above a node's is refused at the preflight.",
    when: "a transfer ceiling in the worker's file is below the orchestrator's",
    fix: 'write the same transfer block on both sides',
    page: PAGE.limits,
    find: forPools(function* ({ settings }, { configuration }): Iterable<Found> {
      const { execution } = settings;
      if (execution === undefined) return yield { unknown: settings.unread ?? 'the transfer ceilings' };
      const asked = configuration?.execution?.transfer?.value ?? {};
      const own = execution.transfer?.value ?? {};
      for (const [key, common] of Object.entries(TRANSFER_DEFAULTS)) {
        const [here, there] = [own[key] ?? common, asked[key] ?? common];
        if (here < there)
          yield {
            at: settings.at,
            message: `transfer.${key} is ${here} in the worker's file and ${there} in the orchestrator's`,
          };
      }
    }),
  },
  {
    id: 'DWM127',
    severity: 'error',
    otherwise: ['warning'],
    title: 'the file says worker',
    why: 'A file that says worker is refused for a release (E226), so nobody releases from a pod by mistake; and a worker may list no workers.',
    when: 'role is not worker, workers are listed beside it (error), or role is absent (warning)',
    fix: 'set "role": "worker" and list no workers',
    page: PAGE.job,
    find: forPools(function* ({ settings }): Iterable<Found> {
      const { execution, at } = settings;
      if (execution === undefined) return yield { unknown: settings.unread ?? 'the role' };
      const role = execution.role?.value;
      if (role === undefined)
        yield {
          at,
          severity: 'warning',
          message: "the worker's file has no role: nothing stops a release from being started with it",
        };
      else if (role !== 'worker') yield { at, message: `the worker's file has the role ${JSON.stringify(role)}` };
      if (execution.workers !== undefined) yield { at, message: "the worker's file lists workers" };
    }),
  },
  {
    id: 'DWM129',
    severity: 'info',
    otherwise: ['error'],
    title: 'what must be in the image',
    why: "The pod runs what the image carries: dispat, git, an ssh client where the endpoint needs one, the build's tools, and a passwd entry for the user, without which ssh refuses to start.",
    when: 'always, as a reminder; with --image-contents an error for what is missing and nothing else',
    fix: 'add what is missing to the image',
    page: PAGE.job,
    find: forPools(function* (pool, { surroundings: { imageContents } }): Iterable<Found> {
      const at = pool.worker.at('image');
      const ssh = needsSsh(pool);
      if (imageContents === undefined) {
        yield {
          at,
          message: `the image must hold dispat, git, ${ssh ? 'ssh, ' : ''}what builds call, and a passwd entry for the user (see it checked with --image-contents)`,
        };
        return;
      }
      const missing = ['dispat', 'git', ...(ssh ? ['ssh'] : [])].filter((name) => !hasProgram(imageContents, name));
      const uid = userOf(pool.pod, pool.worker);
      const entry =
        uid === undefined || imageContents.homes.size === 0 || imageContents.homes.has(uid)
          ? []
          : [`a passwd entry for user ${uid}`];
      const all = [...missing, ...entry];
      if (all.length > 0) yield { at, severity: 'error', message: `the image lacks ${someOf(all)}` };
    }),
  },
  {
    id: 'DWM321',
    severity: 'error',
    title: 'a configuration dispat runs with workers',
    why: 'dispat refuses such a run with E225.',
    when: 'workers stand beside unsafeDisableLock, commit.verify: false, a missing secretEnv or a name listed twice (letter case aside), or something runs only on workers and none is listed',
    fix: 'correct the configuration at the place named',
    page: PAGE.limits,
    *find(facts) {
      const [pool] = facts.pools;
      for (const hit of refusedConfiguration(facts)) yield { ...(pool && { pool }), ...hit };
    },
  },
];

/** Whether the mailbox is reached with ssh. */
export function needsSsh({ settings }: PoolFacts): boolean {
  const form = readEndpoint(settings.execution?.endpoint?.value ?? '').endpoint?.form;
  return form === 'ssh' || form === 'scp';
}

function* compared(at: KubeValue, own: string, linked: string, name: string): Iterable<Hit> {
  if (own === linked) return;
  const same = probablySameRepository(own, linked);
  const shown = `the worker's file has ${redactEndpoint(own)}, the link of ${name} ${redactEndpoint(linked)}`;
  yield same
    ? { at, severity: 'warning', message: `${shown}: probably the same repository, but two mailboxes to dispat` }
    : { at, message: shown };
}

function* comparedByHash(at: KubeValue, endpointHash: string, linked: string, name: string): Iterable<Hit> {
  if (endpointHash === `sha256:${hash('sha256', linked)}`) return;
  yield { at, message: `the endpoint of ${name}, ${redactEndpoint(linked)}, is not the one the pool was made for` };
}

/** By mailbox, where signing secrets come from and the first pool that takes each. */
function signingSecrets({ pools }: Facts): ReadonlyMap<string | undefined, ReadonlyMap<string, PoolFacts>> {
  const byMailbox = new Map<string | undefined, Map<string, PoolFacts>>();
  for (const pool of pools) {
    const secret = signingSecret(pool);
    if (secret === undefined) continue;
    const mailbox = pool.settings.execution?.endpoint?.value;
    const takers = byMailbox.get(mailbox) ?? new Map<string, PoolFacts>();
    byMailbox.set(mailbox, takers);
    if (!takers.has(secret)) takers.set(secret, pool);
  }
  return byMailbox;
}

/** Where the signing secret comes from: `Secret's name/key`. */
function signingSecret({ settings, worker }: PoolFacts): string | undefined {
  const name = settings.execution?.secretEnv?.value;
  const entry = worker.at('env').items.find((each) => each.at('name').source === name);
  const reference = entry?.at('valueFrom', 'secretKeyRef');
  return reference?.exists === true ? `${reference.at('name').source}/${reference.at('key').source}` : undefined;
}

function* refusedConfiguration({ configuration, links }: Facts): Iterable<Hit> {
  if (configuration === undefined) return;
  const { unsafeDisableLock, commitVerify, execution, defaults, spaces, packages } = configuration;
  const hasWorkers = links !== undefined && links.length > 0;
  if (!hasWorkers) {
    for (const { runOnly } of [defaults, ...spaces.values(), ...packages.values()]) {
      if (runOnly === undefined || (runOnly.value.build !== 'worker' && runOnly.value.publish !== 'worker')) continue;
      yield { place: runOnly.place, message: 'runs only on workers, and none is listed' };
    }
    return;
  }
  if (unsafeDisableLock?.value === true)
    yield { place: unsafeDisableLock.place, message: 'the release lock is off, which workers need' };
  if (commitVerify?.value === false)
    yield { place: commitVerify.place, message: 'commit.verify is off, which workers need' };
  if (execution?.secretEnv === undefined)
    yield {
      place: execution?.place ?? configuration.map.place,
      message: 'workers are listed and no secretEnv names their secret',
    };
  const seen = new Map<string, string>();
  for (const { name, written } of links) {
    const first = seen.get(name.toLowerCase());
    if (first === undefined) seen.set(name.toLowerCase(), name);
    else
      yield {
        ...(written && { place: written.place }),
        message: `the name ${name} is listed twice${first === name ? '' : `, once as ${first}`}`,
      };
  }
}
