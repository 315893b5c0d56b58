import type { ProviderType } from '@rungar/model';
import { awsType } from './aws/type.js';
import { dicerType } from './dicer/type.js';
import { gcpType } from './gcp/type.js';
import { proxmoxType } from './proxmox/type.js';

/** Every type of provider there is. Having them costs nothing: a cloud's SDK is loaded when a provider opens. */
export const providerTypes: readonly ProviderType[] = [awsType, dicerType, gcpType, proxmoxType];
