import { isIPv4 } from 'node:net';
import type { PoolFacts } from '../pools/pool.js';
import type { Resource } from './resource.js';
import type { Resources } from './resources.js';
import { selectorFinder } from './selectors.js';
import type { KubeValue } from './value.js';

/** A policy of the input that governs a pool's pods. */
export interface Policy {
  readonly resource: Resource;
  readonly kind: 'standard' | 'cilium';
  readonly governsEgress: boolean;
  readonly governsIngress: boolean;
  readonly egress: readonly EgressRule[];
  readonly ingress: KubeValue;
}

/** One rule of what may go out. */
export interface EgressRule {
  readonly at: KubeValue;
  /** Each destination; none at all means everywhere. */
  readonly to: readonly KubeValue[];
  readonly ports: readonly Port[];
}

export interface Port {
  /** Nothing for every port, or for one by name. */
  readonly from: number | undefined;
  readonly until: number | undefined;
  readonly protocol: string;
}

/** Where policies of the whole cluster select pods. */
const EVERYWHERE = '*';

/** Finds the policies that select a pool's pods. */
export function policyFinder(resources: Resources): (pool: PoolFacts) => readonly Policy[] {
  const find = selectorFinder([
    ...resources.ofKind('NetworkPolicy').map((resource) => ({
      item: () => standard(resource),
      scope: scopeOf(resource),
      selector: resource.root.at('spec', 'podSelector'),
    })),
    ...[...resources.ofKind('CiliumNetworkPolicy'), ...resources.ofKind('CiliumClusterwideNetworkPolicy')].map(
      (resource) => ({
        item: () => cilium(resource),
        scope: resource.kind === 'CiliumNetworkPolicy' ? scopeOf(resource) : EVERYWHERE,
        selector: resource.root.at('spec', 'endpointSelector'),
      }),
    ),
  ]);
  return ({ resource, podLabels }) =>
    [scopeOf(resource), EVERYWHERE].flatMap((scope) => find(scope, podLabels)).map((policy) => policy());
}

/** The namespace; nothing is one of its own. */
function scopeOf({ namespace }: Resource): string {
  return namespace === undefined ? '' : `in ${namespace}`;
}

function standard(resource: Resource): Policy {
  const spec = resource.root.at('spec');
  const types = spec.at('policyTypes');
  const named = new Set(types.texts);
  return {
    resource,
    kind: 'standard',
    // As the API defaults them: Ingress always, Egress when there are egress rules.
    governsEgress: types.exists ? named.has('Egress') : spec.at('egress').exists,
    governsIngress: types.exists ? named.has('Ingress') : true,
    egress: spec
      .at('egress')
      .items.map((at) => ({ at, to: at.at('to').items, ports: at.at('ports').items.map(portOf) })),
    ingress: spec.at('ingress'),
  };
}

const CILIUM_DESTINATIONS = [
  'toEndpoints',
  'toCIDR',
  'toCIDRSet',
  'toFQDNs',
  'toEntities',
  'toServices',
  'toGroups',
  'toNodes',
];

function cilium(resource: Resource): Policy {
  const spec = resource.root.at('spec');
  return {
    resource,
    kind: 'cilium',
    governsEgress: spec.at('egress').exists,
    governsIngress: spec.at('ingress').exists,
    egress: spec.at('egress').items.map((at) => ({
      at,
      to: CILIUM_DESTINATIONS.flatMap((key) => at.at(key).items),
      ports: at.at('toPorts').items.flatMap((each) => each.at('ports').items.map(portOf)),
    })),
    ingress: spec.at('ingress'),
  };
}

function portOf(at: KubeValue): Port {
  const source = at.at('port').source;
  const from = source !== undefined && /^[0-9]{1,5}$/.test(source) ? Number(source) : undefined;
  return { from, until: at.at('endPort').number ?? from, protocol: at.at('protocol').source ?? 'TCP' };
}

/** Whether a rule lets a port through; a rule without ports lets all of them. */
export function allowsPort({ at, ports }: EgressRule, port: number, protocol: string): boolean {
  if (ports.length === 0) return !at.at('ports').exists || at.at('ports').items.length === 0;
  return ports.some((each) => {
    const sameProtocol = each.protocol === protocol || each.protocol === 'ANY';
    return sameProtocol && (each.from === undefined || (port >= each.from && port <= (each.until ?? each.from)));
  });
}

/** Whether a rule may reach a host: an address is looked for in its ranges, a name may be anywhere. */
export function mayReach({ to }: EgressRule, host: string): boolean {
  if (to.length === 0 || !isIPv4(host)) return true;
  return to.some((each) => {
    const cidr = each.at('ipBlock', 'cidr').source ?? each.at('cidr').source ?? each.source;
    return cidr === undefined || !/^[0-9.]+\/[0-9]{1,2}$/.test(cidr) || contains(cidr, host);
  });
}

function contains(cidr: string, address: string): boolean {
  const [network = '', bits = '32'] = cidr.split('/');
  const size = 2 ** (32 - Math.min(32, Number(bits)));
  return Math.floor(numberOf(network) / size) === Math.floor(numberOf(address) / size);
}

function numberOf(address: string): number {
  return address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
}
