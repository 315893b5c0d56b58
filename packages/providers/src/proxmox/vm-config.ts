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
