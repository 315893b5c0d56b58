import { isIP } from 'node:net';
import { readEndpoint } from '../../endpoint.js';
import type { Facts } from '../facts.js';
import { allowsPort, type EgressRule, mayReach, type Policy, policyFinder } from '../kube/network-policy.js';
import { nameOf } from '../kube/resource.js';
import { selectsPlainly } from '../kube/selectors.js';
import type { KubeValue } from '../kube/value.js';
import type { PoolFacts } from '../pools/pool.js';
import { type Found, forPools, forPoolsWith, type Hit, PAGE, type Rule, someOf } from '../rule.js';

const METADATA_RANGE = '169.254.0.0/16';
const METADATA_EXCEPTIONS = new Set([METADATA_RANGE, '169.254.169.254/32']);
const EVERYWHERE = new Set(['0.0.0.0/0', '::/0']);

/** The kinds of policies in a namespace, as a Role calls them. */
const POLICIES: ReadonlyMap<string, string> = new Map([
  ['NetworkPolicy', 'networkpolicies'],
  ['CiliumNetworkPolicy', 'ciliumnetworkpolicies'],
]);

/** The rules of all policies that let something out. */
function egressOf(policies: readonly Policy[]): readonly EgressRule[] {
  return policies.flatMap((policy) => policy.egress);
}

function mailboxOf({ settings }: PoolFacts) {
  return readEndpoint(settings.execution?.endpoint?.value ?? '').endpoint;
}

/** Finds the policies of a pool whose egress is governed; none when nothing is, which DWM204 tells. */
function egressFinder({ resources }: Facts): (pool: PoolFacts) => readonly Policy[] {
  const policiesOn = policyFinder(resources);
  return (pool) => policiesOn(pool).filter(({ governsEgress }) => governsEgress);
}

const allPolicies = ({ resources }: Facts) => policyFinder(resources);

export const networkRules: readonly Rule[] = [
  {
    id: 'DWM126',
    severity: 'warning',
    title: 'nothing connects to a worker',
    why: 'A worker polls its mailbox and pushes its answers. It needs no Service, no Ingress and no port.',
    when: 'a Service or an Ingress leads to the pool, or the worker declares ports',
    fix: 'take the Service, the Ingress or the ports away',
    page: PAGE.fits,
    find: forPools(function* (pool, facts): Iterable<Found> {
      const near = (kind: string) => facts.resources.near(pool.resource, kind);
      const services = near('Service').filter((each) =>
        selectsPlainly(each.root.at('spec', 'selector'), pool.podLabels),
      );
      for (const resource of services)
        yield {
          resource,
          at: resource.root.at('spec', 'selector'),
          message: `${nameOf(resource)} leads to the workers`,
        };
      const names = new Set(services.map(({ name }) => name));
      for (const resource of near('Ingress')) {
        if (backendsOf(resource.root.at('spec')).some((name) => names.has(name)))
          yield { resource, at: resource.root.at('spec'), message: `${nameOf(resource)} leads to the workers` };
      }
      const ports = pool.worker.at('ports');
      if (ports.items.length > 0) yield { at: ports, message: 'the worker declares ports' };
    }),
  },
  {
    id: 'DWM130',
    severity: 'error',
    title: 'one container that ends',
    why: 'An ordinary container beside the worker that does not end keeps the Job from ever completing.',
    when: "a Job's pod has another ordinary container (init containers with restartPolicy: Always are fine)",
    fix: 'make it an init container with restartPolicy: Always, or leave it out; pods of a mesh opt out of injection',
    page: PAGE.job,
    find: forPools(function* ({ form, pod, worker }): Iterable<Found> {
      if (form !== 'job') return;
      for (const at of pod.at('containers').items) {
        if (at.pointer !== worker.pointer)
          yield {
            at,
            message: `container ${at.at('name').source} stands beside the worker: unless it ends, the Job never does`,
          };
      }
    }),
  },
  {
    id: 'DWM204',
    severity: 'error',
    otherwise: ['warning', 'info'],
    title: 'a policy on what goes out',
    why: 'Whoever holds the signing secret runs commands here. Egress is limited to the Git host and the registries the builds read.',
    when: "no NetworkPolicy of the input selects the pool's pods with type Egress (info with --policy-elsewhere); with --live, the policies may not be listed (warning: it could not be checked)",
    fix: 'add a NetworkPolicy, as the generator does, or say --policy-elsewhere when it is applied with something else',
    page: PAGE.secrets,
    find: forPoolsWith(egressFinder, function* (pool, governing, { surroundings }): Iterable<Found> {
      if (governing(pool).length > 0) return;
      const at = pool.template.at('metadata', 'labels');
      const unlisted = surroundings.unlisted.flatMap((kind) => POLICIES.get(kind) ?? []);
      if (surroundings.policyElsewhere || unlisted.length === 0) {
        yield {
          at,
          ...(surroundings.policyElsewhere && { severity: 'info' }),
          message: 'no NetworkPolicy in the input limits what the pods may reach',
        };
        return;
      }
      yield {
        at,
        severity: 'warning',
        message: `whether a policy limits what the pods may reach could not be checked: may not list ${unlisted.join(' and ')}`,
        fix: `give this user the right to list ${unlisted.join(' and ')}, or check the manifests themselves`,
      };
    }),
  },
  {
    id: 'DWM205',
    severity: 'error',
    otherwise: ['warning'],
    title: 'and nothing else',
    why: "A rule that lets everything out is no limit, and one that reaches the machine's metadata service hands out its identity.",
    when: 'an egress rule has no destination, is open to every address without a port or without the exception 169.254.0.0/16, or to every namespace (error; DNS to a pod selector on port 53 is fine); it is open to every address on some ports (warning)',
    fix: "name the Git host's and the registries' addresses, with their ports",
    page: PAGE.secrets,
    find: forPoolsWith(egressFinder, function* (pool, governing): Iterable<Found> {
      for (const { resource, egress } of governing(pool)) {
        for (const rule of egress) for (const hit of tooWide(rule)) yield { resource, ...hit };
      }
    }),
  },
  {
    id: 'DWM206',
    severity: 'error',
    title: 'names can be resolved',
    why: "Without DNS the Git host's name cannot be resolved, and no probe is answered.",
    when: "a policy governs what goes out, the endpoint's host is a name, and no rule allows port 53 over UDP and TCP",
    fix: "allow port 53, UDP and TCP, to the cluster's DNS",
    page: PAGE.secrets,
    find: forPoolsWith(egressFinder, function* (pool, governing): Iterable<Found> {
      const policies = governing(pool);
      const [first] = policies;
      if (first === undefined) return;
      const mailbox = mailboxOf(pool);
      if (mailbox === undefined) return yield { unknown: pool.settings.unread ?? 'the endpoint' };
      if (mailbox.host === undefined || isIP(mailbox.host.replace(/^\[|\]$/g, '')) !== 0) return;
      const closed = ['UDP', 'TCP'].filter(
        (protocol) => !egressOf(policies).some((rule) => allowsPort(rule, 53, protocol)),
      );
      if (closed.length > 0)
        yield {
          resource: first.resource,
          at: first.resource.root.at('spec', 'egress'),
          message: `${mailbox.host} has to be resolved, and no rule allows port 53 over ${closed.join(' or ')}`,
        };
    }),
  },
  {
    id: 'DWM207',
    severity: 'warning',
    title: 'nothing comes in',
    why: 'Nothing connects to a worker, so nothing has to be let in.',
    when: 'the policies on the pool leave Ingress out of their types, or let something in',
    fix: 'name Ingress among the policyTypes and write no ingress rule',
    page: PAGE.secrets,
    find: forPoolsWith(allPolicies, function* (pool, policiesOn): Iterable<Found> {
      const policies = policiesOn(pool);
      const [first] = policies;
      if (first === undefined) return;
      if (!policies.some(({ governsIngress }) => governsIngress))
        yield {
          resource: first.resource,
          at: first.resource.root.at('spec', 'policyTypes'),
          message: 'what comes in is not limited',
        };
      for (const { resource, kind, ingress } of policies) {
        // An empty rule lets everything in; Cilium's lets nothing in, and is how nothing is said.
        if (ingress.items.some((rule) => rule.entries.length > 0 || (kind === 'standard' && rule.isMap)))
          yield { resource, at: ingress, message: `${nameOf(resource)} lets something in` };
      }
    }),
  },
  {
    id: 'DWM208',
    severity: 'warning',
    title: 'one policy says it all',
    why: 'Policies only add permissions: what a second one allows is allowed, whatever the first one says.',
    when: "more than one policy with egress rules selects the pool's pods",
    fix: "put all destinations into one policy, or narrow the other's selector",
    page: PAGE.secrets,
    find: forPoolsWith(egressFinder, function* (pool, governing): Iterable<Found> {
      const widening = governing(pool).filter(({ egress }) => egress.length > 0);
      for (const { resource } of widening.slice(1)) {
        yield {
          resource,
          at: resource.root.at('spec'),
          message: `${nameOf(resource)} adds to what ${widening[0]?.resource.name} allows`,
        };
      }
    }),
  },
  {
    id: 'DWM224',
    severity: 'error',
    title: 'the Git host can be reached',
    why: 'A worker that cannot reach its mailbox keeps running, answers nothing, and the run dies at the preflight.',
    when: "a policy governs what goes out, and no rule allows the endpoint's port (22 for ssh, 443 for https, unless written)",
    fix: 'allow the port to the Git host',
    page: PAGE.secrets,
    find: forPoolsWith(egressFinder, function* (pool, governing): Iterable<Found> {
      const policies = governing(pool);
      const [first] = policies;
      if (first === undefined) return;
      const mailbox = mailboxOf(pool);
      if (mailbox === undefined) return yield { unknown: pool.settings.unread ?? 'the endpoint' };
      const { host, port } = mailbox;
      if (host === undefined || port === undefined) return;
      if (egressOf(policies).some((rule) => allowsPort(rule, port, 'TCP') && mayReach(rule, host))) return;
      yield {
        resource: first.resource,
        at: first.resource.root.at('spec', 'egress'),
        message: `no rule allows port ${port} to ${host}`,
      };
    }),
  },
];

function backendsOf(spec: KubeValue): readonly string[] {
  const paths = spec
    .at('rules')
    .items.flatMap((rule) => rule.at('http', 'paths').items.map((path) => path.at('backend')));
  return [...paths, spec.at('defaultBackend')].flatMap(
    (backend) => backend.at('service', 'name').source ?? backend.at('serviceName').source ?? [],
  );
}

function* tooWide({ at, to, ports }: EgressRule): Iterable<Hit> {
  if (to.length === 0) {
    yield { at, message: 'a rule without a destination lets everything out' };
    return;
  }
  const onlyDns = ports.length > 0 && ports.every(({ from, until }) => from === 53 && until === 53);
  for (const each of to) {
    const block = each.at('ipBlock').exists ? each.at('ipBlock') : each;
    const cidr = block.at('cidr').source ?? each.source ?? '';
    if (EVERYWHERE.has(cidr) || cidr === 'world' || cidr === 'all') yield openToAll(block, cidr, ports.length > 0);
    const namespaces = each.at('namespaceSelector');
    if (!namespaces.isMap || namespaces.entries.length > 0) continue;
    const toSomePods = each.at('podSelector').entries.length > 0;
    if (!(toSomePods && onlyDns)) yield { at: namespaces, message: 'a rule lets the pods reach every namespace' };
  }
}

function openToAll(at: KubeValue, cidr: string, hasPorts: boolean): Hit {
  const exceptions = at.at('except').texts;
  if (!hasPorts) return { at, message: `a rule lets the pods reach ${cidr} on every port` };
  if (cidr !== '::/0' && !exceptions.some((each) => METADATA_EXCEPTIONS.has(each))) {
    return {
      at,
      message: `a rule to ${cidr} without the exception ${METADATA_RANGE}: builds reach the machine's metadata service`,
    };
  }
  return {
    at,
    severity: 'warning',
    message: `a rule lets the pods reach ${someOf([cidr])} on some ports: anybody can be there`,
  };
}
