import { parseProxmoxDescription } from '@rungar/labels';
import type { Labels } from '@rungar/model';
import { type Pve, vmPath } from './api.js';
import { PveError } from './errors.js';

/** What a VM's configuration says of it. */
export interface VmConfig {
  /** Empty for one that is being cloned. */
  readonly name: string;
  /** Why it is locked; empty when it is not. */
  readonly lock: string;
  /** The labels in its description; nothing when the VM is not Rungar's. */
  readonly labels: Labels | undefined;
  /** Epoch milliseconds, as its description says. */
  readonly createdAt: number | undefined;
}

/** Reads a VM's configuration as it is now. @throws PveError */
export async function readVmConfig(pve: Pve, node: string, vmid: number, signal: AbortSignal): Promise<VmConfig> {
  const { name, lock, description } = await readRawConfig(pve, node, vmid, signal);
  const described = parseProxmoxDescription(typeof description === 'string' ? description : undefined);
  return {
    name: typeof name === 'string' ? name : '',
    lock: typeof lock === 'string' ? lock : '',
    labels: described?.labels,
    createdAt: described?.created?.getTime(),
  };
}

const DISK = /^(?:scsi|virtio|sata|ide)\d+$/;

/** The storage a VM's first disk is on; nothing when it has no disk. @throws PveError */
export async function readDiskStorage(
  pve: Pve,
  node: string,
  vmid: number,
  signal: AbortSignal,
): Promise<string | undefined> {
  const config = await readRawConfig(pve, node, vmid, signal);
  for (const [key, value] of Object.entries(config)) {
    if (!DISK.test(key) || typeof value !== 'string' || value.includes('media=cdrom')) continue;
    const [storage, volume] = value.split(':');
    if (volume !== undefined) return storage;
  }
  return undefined;
}

/** What a VM's clones take up beside itself. */
export interface VmUses {
  /** The storages its disks are on. */
  readonly storages: ReadonlySet<string>;
  /** The bridges of its hosts that its network is on, each with the VLAN's tag where it has one: `vmbr0/12`. */
  readonly bridges: ReadonlySet<string>;
}

/** Reads what a VM is connected with. Of networks those that hosts have by themselves are told. @throws PveError */
export async function readVmUses(pve: Pve, node: string, vmid: number, signal: AbortSignal): Promise<VmUses> {
  const storages = new Set<string>();
  const bridges = new Set<string>();
  for (const [key, value] of Object.entries(await readRawConfig(pve, node, vmid, signal))) {
    if (typeof value !== 'string') continue;
    if (DISK.test(key) && !value.includes('media=cdrom') && value.includes(':'))
      storages.add(value.split(':')[0] ?? '');
    const bridge = /^net\d+$/.test(key) ? /(?:^|,)bridge=(vmbr\d+)(?:,|$)/.exec(value)?.[1] : undefined;
    const tag = /(?:^|,)tag=(\d+)/.exec(value)?.[1];
    if (bridge !== undefined) bridges.add(tag === undefined ? bridge : `${bridge}/${tag}`);
  }
  return { storages, bridges };
}

async function readRawConfig(
  pve: Pve,
  node: string,
  vmid: number,
  signal: AbortSignal,
): Promise<Readonly<Record<string, unknown>>> {
  const config = await pve.get(vmPath(node, vmid, '/config'), signal);
  if (typeof config === 'object' && config !== null) return config as Record<string, unknown>;
  throw new PveError('unanswered', `the configuration of VM ${vmid} is not one of Proxmox VE`);
}
