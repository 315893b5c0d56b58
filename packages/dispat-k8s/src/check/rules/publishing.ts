import { probablySameRepository, readEndpoint } from '../../endpoint.js';
import { means, preemptibleMarkers } from '../../preemptible.js';
import type { Facts } from '../facts.js';
import { type NodeDemand, nodeDemands } from '../kube/node-choice.js';
import { nameOf } from '../kube/resource.js';
import { type PackageFacts, packagesOf } from '../pools/orchestrator.js';
import { type Found, forPools, forPoolsWith, type Hit, PAGE, type Rule } from '../rule.js';
import { QUEUE_LABEL } from './autoscaling.js';

/** Where the code of a mailbox is open to anybody. */
const PUBLIC_HOSTS = new Set(['github.com', 'gitlab.com', 'bitbucket.org', 'codeberg.org']);

/** What a demand means for preemptible machines. */
function meaningOf(demand: NodeDemand, spotLabels: readonly string[]): 'preemptible' | 'not preemptible' | undefined {
  if (demand.key === undefined) return demand.operator === 'Exists' ? 'preemptible' : undefined;
  const marker = preemptibleMarkers(spotLabels).find(({ key }) => key === demand.key);
  if (marker === undefined) return undefined;
  const { values } = marker;
  const named = demand.values.some((value) => means(marker, value));
  switch (demand.operator) {
    case 'In':
      // A marker that says "false", or another kind of capacity, chooses machines that stay.
      return named ? 'preemptible' : 'not preemptible';
    case 'Exists':
      return values === undefined || demand.strength === 'tolerated' ? 'preemptible' : undefined;
    case 'NotIn':
      return named ? 'not preemptible' : undefined;
    case 'DoesNotExist':
      return 'not preemptible';
    default:
      return undefined;
  }
}

/** Flavours that a queue may give; which one it gives is decided at admission. */
function* preemptibleFlavours(facts: Facts): Iterable<Hit> {
  const markers = preemptibleMarkers(facts.surroundings.spotLabels);
  for (const resource of facts.resources.ofKind('ResourceFlavor')) {
    const labels = resource.root.at('spec', 'nodeLabels').textMap;
    const isMarked = markers.some((marker) => means(marker, labels.get(marker.key) ?? 'false'));
    if (isMarked || /spot|preempt/i.test(resource.name))
      yield {
        resource,
        at: resource.root.at('metadata', 'name'),
        severity: 'info',
        message: `the queue may give machines of ${nameOf(resource)}, which looks preemptible`,
      };
  }
}

/** The first package that may publish on a worker. */
function publishingWorker(facts: Facts): PackageFacts | undefined {
  return packagesOf(facts).find(({ publishOn }) => publishOn?.value === 'worker');
}

export const publishingRules: readonly Rule[] = [
  {
    id: 'DWM213',
    severity: 'warning',
    otherwise: ['error'],
    title: 'publishing stays on the orchestrator',
    why: 'Publishes of one repository run one after another, so a worker saves no time, and it needs credentials every build can read.',
    when: 'runOnly makes a package that may release publish on a worker (error when its space has a login script, which dispat refuses)',
    fix: 'set runOnly: [both, orchestrator], or leave the publish out of runOnly',
    page: PAGE.secrets,
    *find(facts) {
      const [pool] = facts.pools;
      for (const { name, publishOn, login } of packagesOf(facts)) {
        if (publishOn?.value !== 'worker') continue;
        yield {
          ...(pool && { pool }),
          place: publishOn.place,
          ...(login && { severity: 'error' }),
          message: login
            ? `${name} publishes on a worker and logs in by a script: dispat refuses that`
            : `${name} publishes on a worker`,
        };
      }
    },
  },
  {
    id: 'DWM214',
    severity: 'warning',
    otherwise: ['error', 'info'],
    title: 'no machine that is taken away',
    why: "A preempted build costs its package and up to the whole task timeout. A preempted publish has an unknown outcome (E228), and that repository's release lock stays until a person has looked.",
    when: 'a selector, an affinity or a toleration allows preemptible machines (error when any package publishes on workers), or nothing says either way, or a queue may give machines of a flavour that is preemptible by its name or labels (info)',
    fix: 'select machines that stay, or exclude preemptible ones with NotIn; take the toleration away',
    page: PAGE.secrets,
    find: forPoolsWith(publishingWorker, function* ({ pod, resource }, publisher, facts): Iterable<Found> {
      if (resource.root.at('metadata', 'labels', QUEUE_LABEL).exists) yield* preemptibleFlavours(facts);
      const meanings = nodeDemands(pod).map((demand) => ({
        demand,
        meaning: meaningOf(demand, facts.surroundings.spotLabels),
      }));
      const allowing = meanings.filter(({ meaning }) => meaning === 'preemptible');
      for (const { demand } of allowing) {
        const does =
          demand.strength === 'tolerated' ? 'permits' : demand.strength === 'preferred' ? 'prefers' : 'selects';
        const cost = publisher === undefined ? '' : `, and ${publisher.name} publishes on workers`;
        yield {
          at: demand.at,
          ...(publisher && { severity: 'error' }),
          message: `${demand.key ?? 'a toleration of everything'} ${does} preemptible machines${cost}`,
        };
      }
      if (
        allowing.length > 0 ||
        meanings.some(({ meaning, demand }) => meaning === 'not preemptible' && demand.strength === 'required')
      )
        return;
      yield {
        at: pod.at('nodeSelector'),
        severity: 'info',
        message: 'preemptible machines are neither chosen nor excluded',
      };
    }),
  },
  {
    id: 'DWM221',
    severity: 'info',
    title: 'who reads the mailbox',
    why: 'Whatever travels to and from a worker is readable by everyone who reads the mailbox repository.',
    when: "the endpoint is on a public host and the mailbox is the release's own repository",
    fix: 'use a private repository of its own as the mailbox',
    page: PAGE.secrets,
    find: forPools(function* ({ settings }, { surroundings, links }): Iterable<Found> {
      const endpoint = settings.execution?.endpoint?.value;
      const host = readEndpoint(endpoint ?? '').endpoint?.host?.toLowerCase();
      if (endpoint === undefined || host === undefined || !PUBLIC_HOSTS.has(host)) return;
      const remote = surroundings.releaseRemote;
      const isRemote = remote !== undefined && (remote === endpoint || probablySameRepository(remote, endpoint));
      if (!isRemote && links?.some((link) => link.endpoint === undefined) !== true) return;
      yield { at: settings.at, message: `the mailbox is the release's own repository, on ${host}` };
    }),
  },
  {
    id: 'DWM222',
    severity: 'warning',
    title: "what the mailbox's credential can write",
    why: "A holder of the mailbox's credential can write any ref it can reach, release branches and tags included.",
    when: 'always, as a reminder, unless --refs-protected says that it is seen to',
    fix: 'use a repository of its own for the mailbox, or protect branches and tags from the key; then say --refs-protected',
    page: PAGE.secrets,
    *find({ pools, surroundings }) {
      const [pool] = pools;
      if (surroundings.refsProtected || pool === undefined) return;
      yield {
        pool,
        at: pool.settings.at,
        message: "the mailbox's key can write every ref of its repository that is not protected",
      };
    },
  },
];
