import { isIP } from 'node:net';
import { readEndpoint } from '../../endpoint.js';
import type { EgressTarget, PoolOptions } from '../../pool.js';
import { shown } from '../forms.js';
import type { Gathered } from '../gather.js';

type Network = Pick<PoolOptions, 'policyKind' | 'egress' | 'dnsCidrs'>;

/** What the workers may reach. */
export function readNetwork(gathered: Gathered, endpoint: string): Network {
  const policyKind = gathered.input.policyKind ?? 'standard';
  const egress = readEgress(gathered, policyKind);
  if (policyKind === 'none') warnOfNone(gathered);
  else checkReach(gathered, egress, endpoint);
  return { policyKind, egress, dnsCidrs: readDns(gathered) };
}

function warnOfNone(gathered: Gathered): void {
  gathered.report('policyKind', {
    code: 'OPTION_QUESTIONABLE',
    severity: 'warning',
    found: 'none',
    allowed: 'it, when a policy from elsewhere limits what workers may reach',
    fix: 'list the Git host and the registries in egress',
  });
}

function readEgress(gathered: Gathered, policyKind: Network['policyKind']): EgressTarget[] {
  const written = gathered.input.egress ?? [];
  if (written.length === 0 && policyKind !== 'none' && !gathered.wrong.has('egress')) {
    gathered.report('egress', {
      code: 'EGRESS_MISSING',
      found: 'none',
      allowed: 'the addresses of the Git host and of the registries that builds read, as CIDR[:PORT[/PROTO]]',
      fix: 'write it like 192.0.2.0/24:22, or leave the policy out with --no-network-policy',
    });
  }
  const targets: EgressTarget[] = [];
  for (const text of written) {
    const target = readTarget(text);
    const refused =
      target === undefined ? whyNoTarget(text) : policyKind !== 'cilium' && target.name !== undefined && NAMES;
    if (refused) gathered.report('egress', { code: 'EGRESS_INVALID', found: shown(text), ...refused });
    else if (target !== undefined) targets.push(target);
  }
  return targets;
}

const NAMES = {
  allowed: 'addresses alone: the standard NetworkPolicy knows no names',
  fix: "write the host's address range, or use policyKind cilium",
};

function whyNoTarget(text: string): { allowed: string; fix: string } {
  return {
    allowed: 'CIDR[:PORT[/PROTO]]; with policyKind cilium also NAME[:PORT[/PROTO]]',
    fix: isIP(text) === 0 ? 'write it like 192.0.2.0/24:443' : `write ${text}/${isIP(text) === 6 ? 128 : 32}`,
  };
}

const TARGET =
  /^(?:([0-9A-Fa-f.:]+\/[0-9]{1,3})|([A-Za-z0-9*_-]+(?:\.[A-Za-z0-9*_-]+)+))(?::([0-9]{1,5})(?:\/(TCP|UDP))?)?$/i;

function readTarget(text: string): EgressTarget | undefined {
  const [, cidr, name, portText, protocolText = 'TCP'] = TARGET.exec(text) ?? [];
  const port = portText === undefined ? undefined : Number(portText);
  if (port !== undefined && (port < 1 || port > 65535)) return undefined;
  const protocol = protocolText.toUpperCase() === 'UDP' ? 'UDP' : 'TCP';
  const more = { protocol, ...(port !== undefined && { port }) } as const;
  if (cidr !== undefined) return isCidr(cidr) ? { cidr, ...more } : undefined;
  return name !== undefined && !/^[0-9.]+$/.test(name) ? { name: name.toLowerCase(), ...more } : undefined;
}

function isCidr(text: string): boolean {
  const [address = '', length = ''] = text.split('/');
  const version = isIP(address);
  return version !== 0 && /^(0|[1-9][0-9]*)$/.test(length) && Number(length) <= (version === 4 ? 32 : 128);
}

function readDns(gathered: Gathered): readonly string[] {
  const cidrs = gathered.input.dnsCidr ?? [];
  for (const cidr of cidrs) {
    if (isCidr(cidr)) continue;
    gathered.report('dnsCidr', {
      code: 'EGRESS_INVALID',
      found: shown(cidr),
      allowed: 'an address range',
      fix: 'write it like 169.254.20.10/32',
    });
  }
  return cidrs;
}

/** Addresses at which clouds hand out a machine's own credentials. */
const METADATA = { v4: '169.254.0.0/16', v6: 'fe80::/10' } as const;

/** What must be excepted of a range so that no pod asks the cloud for the machine's credentials. */
export function metadataWithin(cidr: string): string | undefined {
  const [address = '', length = ''] = cidr.split('/');
  if (isIP(address) === 6) return Number(length) === 0 ? METADATA.v6 : undefined;
  const bits = Number(length);
  if (bits >= 16) return undefined;
  const shift = 32 - bits;
  const holds = bits === 0 || numberOf(address) >>> shift === METADATA_NUMBER >>> shift;
  return holds ? METADATA.v4 : undefined;
}

const numberOf = (address: string): number => address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);

const METADATA_NUMBER = numberOf('169.254.0.0');

function checkReach(gathered: Gathered, egress: readonly EgressTarget[], endpoint: string): void {
  const wide = egress.find(({ cidr }) => cidr?.endsWith('/0'));
  if (wide !== undefined) {
    gathered.report('egress', {
      code: 'OPTION_QUESTIONABLE',
      severity: 'warning',
      found: `${wide.cidr}${wide.port === undefined ? ', without a port' : ''}`,
      allowed: 'the Git host and the registries, and nothing else; the metadata addresses are excepted for you',
      fix: 'list address ranges',
    });
  }
  const port = readEndpoint(endpoint).endpoint?.port;
  if (port === undefined || egress.length === 0) return;
  if (egress.some((target) => target.protocol === 'TCP' && (target.port ?? port) === port)) return;
  gathered.report('egress', {
    code: 'OPTION_QUESTIONABLE',
    severity: 'warning',
    found: `nothing for port ${port}`,
    allowed: `the Git host at port ${port}, or workers cannot reach their mailbox`,
    fix: `add it like 192.0.2.0/24:${port}`,
  });
}
