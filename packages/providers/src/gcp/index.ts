export { openGcp } from './provider.js';
export type { GcpRunner, GcpSettings } from './settings.js';
export { gcpType } from './type.js';
