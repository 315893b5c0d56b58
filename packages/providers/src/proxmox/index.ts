export { openProxmox } from './provider.js';
export type { ProxmoxRunner, ProxmoxSettings, ProxmoxTls } from './settings.js';
export { proxmoxType } from './type.js';
