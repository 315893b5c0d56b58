export type { ComputeEngine, DiskLabels, InsertRequest, Page, PageRequest } from './client.js';
export { GceError, type RawOperationError, type Refusal } from './errors.js';
export type { TemplatePath } from './names.js';
export { openGcp, openGcpOn } from './provider.js';
export type { GcpRunner, GcpSettings } from './settings.js';
export { gcpType } from './type.js';
export type { RawDisk, RawInstance, RawItem, RawOperation, RawTemplate } from './wire.js';
