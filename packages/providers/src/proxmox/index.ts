export { openProxmox, openProxmoxWith, type Rhythm } from './provider.js';
export type { ProxmoxRunner, ProxmoxSettings, ProxmoxTls } from './settings.js';
export type { Connect, PveCredentials, PveReply, PveRequest, Transport } from './transport.js';
export { proxmoxType } from './type.js';
