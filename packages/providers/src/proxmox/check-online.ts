import {
  messageOf,
  type OnlineFinding,
  type ProviderContext,
  quoted,
  type RunnerToCheck,
  roundedDuration,
} from '@rungar/model';
import type { Pve } from './api.js';
import { asRungarError, PveError } from './errors.js';
import { openPve } from './open-pve.js';
import { type Resources, readResources } from './resources.js';
import type { ProxmoxRunner, ProxmoxSettings } from './settings.js';
import type { Connect } from './transport.js';
import { readVmUses, type VmUses } from './vm-config.js';

type Runner = RunnerToCheck<ProxmoxRunner>;

/** What a token needs on the VMs it makes. */
const VM_PRIVILEGES = [
  'VM.Allocate',
  'VM.Audit',
  'VM.Config.CPU',
  'VM.Config.Memory',
  'VM.Config.Options',
  'VM.PowerMgmt',
] as const;
/** And for the guest agent in them, since Proxmox VE 9. */
const AGENT_PRIVILEGES = ['VM.GuestAgent.Audit', 'VM.GuestAgent.FileWrite'] as const;
const ANY_AGENT_PRIVILEGE = 'VM.GuestAgent.Unrestricted';
const OLD_AGENT_PRIVILEGE = 'VM.Monitor';
const FIRST_WITH_AGENT_PRIVILEGES = 9;
/** Since then a clone is refused to whoever may not use the bridges of its template. */
const FIRST_WITH_BRIDGE_PRIVILEGES = 8;

/** A clock that is further off than this is worth a word. */
const BAD_CLOCK_MS = 30_000;

/**
 * Asks a cluster, changing nothing, whether its certificate and the token are good, whether the token may do what is
 * needed, and whether the nodes, templates, storages and pools that are named are there
 * (docs/providers/proxmox.md, "Checking online").
 * @throws RungarError `unavailable` when the cluster does not answer
 */
export async function checkProxmoxOnline(
  connect: Connect,
  settings: ProxmoxSettings,
  runners: readonly Runner[],
  context: ProviderContext,
  signal: AbortSignal,
): Promise<readonly OnlineFinding[]> {
  const { pve, close } = await openPve(connect, settings, context);
  try {
    const resources = await readResources(pve, context.clock, signal);
    return [
      ...wrongClock(pve),
      ...missingNodes(settings, resources),
      ...runners.flatMap((runner) => missingThings(runner, resources)),
      ...(await missingPrivileges(pve, runners, resources, signal)),
    ];
  } catch (error) {
    signal.throwIfAborted();
    const finding = error instanceof PveError ? refusedEntry(error) : undefined;
    if (finding === undefined) throw asRungarError(error);
    return [finding];
  } finally {
    close();
  }
}

/** What a failure says of the entry, if it does. */
function refusedEntry(error: PveError): OnlineFinding | undefined {
  if (error.refusal === 'unauthorised') {
    return {
      severity: 'error',
      key: 'token_id',
      message: `names a token that is not taken: ${error.message}`,
      hint: 'compare it and its secret with Datacenter, Permissions, API Tokens',
    };
  }
  if (error.hint === undefined) return undefined;
  const message = `has a certificate that is not trusted: ${messageOf(error)}`;
  return { severity: 'error', key: 'url', message, hint: error.hint };
}

function wrongClock({ clockOffsetMs = 0 }: Pve): OnlineFinding[] {
  if (Math.abs(clockOffsetMs) <= BAD_CLOCK_MS) return [];
  const off = roundedDuration(Math.abs(clockOffsetMs));
  const message = `answers with another time: this host's clock is ${off} ${clockOffsetMs < 0 ? 'ahead of' : 'behind'} the cluster's`;
  return [{ severity: 'warning', message, hint: 'let both keep time by NTP' }];
}

function missingNodes(settings: ProxmoxSettings, { nodes }: Resources): OnlineFinding[] {
  const known = new Map(nodes.map((node) => [node.name, node]));
  return settings.nodes.flatMap((name, at): OnlineFinding[] => {
    const key = `nodes.${at}`;
    const node = known.get(name);
    if (node?.isOnline) return [];
    if (node) return [{ severity: 'warning', key, message: `names a node that is offline: ${quoted(name)}` }];
    const hint = `the cluster's nodes are ${[...known.keys()].join(', ')}`;
    return [{ severity: 'error', key, message: `names a node that the cluster does not have: ${quoted(name)}`, hint }];
  });
}

function missingThings({ scaleSet, spec }: Runner, { vms, storages, pools }: Resources): OnlineFinding[] {
  const findings: OnlineFinding[] = [];
  const say = (key: string, message: string, hint: string): void =>
    void findings.push({ severity: 'error', scaleSet, key, message, hint });
  const template = vms.find(({ vmid }) => vmid === spec.template);
  if (template === undefined) {
    say(
      'template',
      `names a VM that does not exist: ${spec.template}`,
      'or that the token may not see: it needs VM.Audit',
    );
  } else if (!template.isTemplate) {
    say('template', `names a VM that is not a template: ${spec.template}`, 'convert it to a template');
  }
  const hidden = 'or that the token may not see';
  if (spec.storage !== '' && !storages.has(spec.storage)) {
    say(
      'storage',
      `names a storage that does not exist: ${quoted(spec.storage)}`,
      `${hidden}: it needs Datastore.Audit`,
    );
  }
  if (spec.pool !== '' && !pools.has(spec.pool)) {
    say('pool', `names a pool that does not exist: ${quoted(spec.pool)}`, `${hidden}: it needs Pool.Audit`);
  }
  return findings;
}

/** One privilege that is needed, and on what. */
interface Need {
  readonly path: string;
  /** Any one of these will do. */
  readonly oneOf: readonly string[];
  readonly scaleSet?: string;
  readonly key: string;
}

async function missingPrivileges(
  pve: Pve,
  runners: readonly Runner[],
  resources: Resources,
  signal: AbortSignal,
): Promise<OnlineFinding[]> {
  const major = await majorVersion(pve, signal);
  const uses = await usesOf(pve, runners, resources, signal);
  const needs: Need[] = [
    { path: '/nodes', oneOf: ['Sys.Audit'], key: 'token_id' },
    ...runners.flatMap((runner) => needsOf(runner, uses.get(runner.spec.template), major)),
  ];
  const held = new Map<string, ReadonlySet<string>>();
  for (const path of new Set(needs.map((need) => need.path))) held.set(path, await privilegesOn(pve, path, signal));
  return needs
    .filter(({ path, oneOf }) => !oneOf.some((privilege) => held.get(path)?.has(privilege)))
    .map(({ path, oneOf, scaleSet, key }) => ({
      severity: 'error',
      ...(scaleSet !== undefined && { scaleSet }),
      key,
      message: `needs the privilege ${oneOf[0]} on ${path}, which the token does not have`,
      hint: `add a permission for the token on ${path} with a role that has it`,
    }));
}

/** What the templates are connected with, by their VMIDs; of one that cannot be read now nothing is told. */
async function usesOf(
  pve: Pve,
  runners: readonly Runner[],
  { vms }: Resources,
  signal: AbortSignal,
): Promise<ReadonlyMap<number, VmUses>> {
  const uses = new Map<number, VmUses>();
  for (const template of new Set(runners.map(({ spec }) => spec.template))) {
    const found = vms.find(({ vmid, isTemplate }) => isTemplate && vmid === template);
    if (found === undefined) continue;
    try {
      uses.set(template, await readVmUses(pve, found.node, template, signal));
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof PveError)) throw error;
    }
  }
  return uses;
}

function needsOf({ scaleSet, spec }: Runner, uses: VmUses | undefined, majorVersion: number): Need[] {
  const template = `/vms/${spec.template}`;
  const made = spec.pool === '' ? '/vms' : `/pool/${spec.pool}`;
  const agent: readonly (readonly string[])[] =
    majorVersion >= FIRST_WITH_AGENT_PRIVILEGES
      ? AGENT_PRIVILEGES.map((privilege) => [privilege, ANY_AGENT_PRIVILEGE])
      : [[OLD_AGENT_PRIVILEGE]];
  const storages = spec.storage === '' ? [...(uses?.storages ?? [])] : [spec.storage];
  const bridges = majorVersion >= FIRST_WITH_BRIDGE_PRIVILEGES ? [...(uses?.bridges ?? [])] : [];
  return [
    { path: template, oneOf: ['VM.Clone'], scaleSet, key: 'template' },
    ...VM_PRIVILEGES.map((privilege) => ({ path: made, oneOf: [privilege], scaleSet, key: 'pool' })),
    ...agent.map((oneOf) => ({ path: made, oneOf, scaleSet, key: 'jit_path' })),
    ...storages.map((storage) => ({
      path: `/storage/${storage}`,
      oneOf: ['Datastore.AllocateSpace'],
      scaleSet,
      key: spec.storage === '' ? 'template' : 'storage',
    })),
    ...bridges.map((bridge) => ({
      path: `/sdn/zones/localnetwork/${bridge}`,
      oneOf: ['SDN.Use'],
      scaleSet,
      key: 'template',
    })),
  ];
}

async function majorVersion(pve: Pve, signal: AbortSignal): Promise<number> {
  const { version } = ((await pve.get('version', signal)) ?? {}) as { version?: unknown };
  return Number.parseInt(String(version), 10);
}

async function privilegesOn(pve: Pve, path: string, signal: AbortSignal): Promise<ReadonlySet<string>> {
  const answer = ((await pve.get('access/permissions', signal, { path })) ?? {}) as Record<string, unknown>;
  const here = answer[path];
  return new Set(typeof here === 'object' && here !== null ? Object.keys(here) : []);
}
