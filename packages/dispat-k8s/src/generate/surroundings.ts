import { metadataWithin } from '../options/rules/network.js';
import { type EgressTarget, type KubeObject, LABEL_VALUES, LABELS, type Pool, type PoolOptions } from '../pool.js';
import { splitWorkerFile } from '../script/worker-file.js';
import { podSelector, poolLabels, sharedLabels } from './labels.js';
import { configMapName } from './pod.js';

/** The name of what all pools of a run share. */
function sharedName({ name, runId }: PoolOptions): string {
  return runId === undefined ? name : `${name}-${runId}`;
}

/** The workers' own namespace, at the strictest level of pod security that the pods meet. */
export function namespaceObject(options: PoolOptions): KubeObject {
  const level = options.podSecurity === 'restricted' ? 'restricted' : 'baseline';
  const { enforceVersion } = options;
  return {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: {
      name: options.namespace,
      labels: {
        ...sharedLabels(options),
        'pod-security.kubernetes.io/enforce': level,
        ...(enforceVersion !== undefined && { 'pod-security.kubernetes.io/enforce-version': enforceVersion }),
        'pod-security.kubernetes.io/audit': level,
        'pod-security.kubernetes.io/warn': level,
      },
    },
  };
}

export function serviceAccountObject(name: string, options: PoolOptions): KubeObject {
  const labels = sharedLabels(options);
  return {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { name, namespace: options.namespace, ...(labels && { labels }) },
    automountServiceAccountToken: false,
  };
}

/** The worker file's two halves, for pods that do not carry them. It never changes: another run has another. */
export function configMapObject(pool: Pool, options: PoolOptions): KubeObject {
  const labels = poolLabels(pool, options);
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: configMapName(pool), namespace: options.namespace, ...(labels && { labels }) },
    data: { ...splitWorkerFile(pool.prefix, options) },
  };
}

/**
 * A budget over all of a pool's pods. Over the pods of a Job only a whole number of `minAvailable` can be reckoned
 * with.
 */
export function disruptionBudget(pool: Pool, options: PoolOptions): KubeObject {
  const labels = poolLabels(pool, options);
  return {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name: pool.objectName, namespace: options.namespace, ...(labels && { labels }) },
    spec: {
      ...(options.variation === 'job' ? { minAvailable: pool.count } : { maxUnavailable: 0 }),
      selector: { matchLabels: podSelector(pool, options) },
    },
  };
}

export function networkPolicy(options: PoolOptions): KubeObject {
  return options.policyKind === 'cilium' ? ciliumPolicy(options) : standardPolicy(options);
}

/** Finds the pods of every pool of this run. */
function allPods({ pools, runId }: PoolOptions): Readonly<Record<string, unknown>> {
  const run = runId !== undefined && { [LABELS.run]: runId };
  const [only, ...others] = pools;
  if (others.length === 0) {
    return { matchLabels: { [LABELS.name]: LABEL_VALUES.name, [LABELS.pool]: only.name, ...run } };
  }
  return {
    matchLabels: { [LABELS.name]: LABEL_VALUES.name, ...run },
    matchExpressions: [{ key: LABELS.pool, operator: 'In', values: pools.map(({ name }) => name) }],
  };
}

const DNS_PORTS = [
  { port: 53, protocol: 'UDP' },
  { port: 53, protocol: 'TCP' },
];

function policyMetadata(options: PoolOptions): KubeObject['metadata'] {
  const labels = sharedLabels(options);
  return { name: sharedName(options), namespace: options.namespace, ...(labels && { labels }) };
}

/** Nothing comes in; DNS and the listed destinations are all that is reached. */
function standardPolicy(options: PoolOptions): KubeObject {
  const dns = {
    to: [
      {
        namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'kube-system' } },
        podSelector: { matchLabels: { 'k8s-app': 'kube-dns' } },
      },
      ...options.dnsCidrs.map((cidr) => ({ ipBlock: { cidr } })),
    ],
    ports: DNS_PORTS,
  };
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: policyMetadata(options),
    spec: {
      podSelector: allPods(options),
      policyTypes: ['Ingress', 'Egress'],
      ingress: [],
      egress: [dns, ...options.egress.map(standardRule)],
    },
  };
}

function standardRule({ cidr = '', port, protocol }: EgressTarget): Readonly<Record<string, unknown>> {
  const except = metadataWithin(cidr);
  return {
    to: [{ ipBlock: { cidr, ...(except !== undefined && { except: [except] }) } }],
    ...(port !== undefined && { ports: [{ port, protocol }] }),
  };
}

/** Cilium's kind knows names, and needs to see the DNS answers that they come from. */
function ciliumPolicy(options: PoolOptions): KubeObject {
  const dnsRules = { ports: [{ port: '53', protocol: 'ANY' }], rules: { dns: [{ matchPattern: '*' }] } };
  const dns = {
    toEndpoints: [{ matchLabels: { 'k8s:io.kubernetes.pod.namespace': 'kube-system', 'k8s:k8s-app': 'kube-dns' } }],
    toPorts: [dnsRules],
  };
  const caches = options.dnsCidrs.length > 0 && [{ toCIDR: options.dnsCidrs, toPorts: [dnsRules] }];
  return {
    apiVersion: 'cilium.io/v2',
    kind: 'CiliumNetworkPolicy',
    metadata: policyMetadata(options),
    spec: {
      endpointSelector: allPods(options),
      // One empty rule selects nobody: that is what turns the default denial on.
      ingress: [{}],
      egress: [dns, ...(caches || []), ...options.egress.map(ciliumRule)],
    },
  };
}

function ciliumRule({ cidr, name = '', port, protocol }: EgressTarget): Readonly<Record<string, unknown>> {
  const toPorts = port !== undefined && { toPorts: [{ ports: [{ port: `${port}`, protocol }] }] };
  if (cidr === undefined) {
    return { toFQDNs: [name.includes('*') ? { matchPattern: name } : { matchName: name }], ...toPorts };
  }
  const except = metadataWithin(cidr);
  return except === undefined
    ? { toCIDR: [cidr], ...toPorts }
    : { toCIDRSet: [{ cidr, except: [except] }], ...toPorts };
}
