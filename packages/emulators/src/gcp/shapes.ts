import type { Shape } from './shape.js';

const DISK_PARAMETERS: Shape = {
  diskName: 'string',
  diskSizeGb: 'int64',
  diskType: 'string',
  labels: 'texts',
  resourceManagerTags: 'texts',
  sourceImage: 'string',
};

const ATTACHED_DISK: Shape = {
  architecture: 'string',
  autoDelete: 'boolean',
  boot: 'boolean',
  deviceName: 'string',
  diskSizeGb: 'int64',
  index: 'number',
  initializeParams: DISK_PARAMETERS,
  interface: 'string',
  kind: 'string',
  licenses: ['string'],
  mode: 'string',
  source: 'string',
  type: 'string',
};

const NETWORK_INTERFACE: Shape = {
  accessConfigs: [{ kind: 'string', name: 'string', natIP: 'string', networkTier: 'string', type: 'string' }],
  fingerprint: 'string',
  kind: 'string',
  name: 'string',
  network: 'string',
  networkIP: 'string',
  nicType: 'string',
  stackType: 'string',
  subnetwork: 'string',
};

const METADATA: Shape = { fingerprint: 'string', items: [{ key: 'string', value: 'string' }], kind: 'string' };

const SCHEDULING: Shape = {
  automaticRestart: 'boolean',
  instanceTerminationAction: 'string',
  maxRunDuration: { nanos: 'number', seconds: 'int64' },
  onHostMaintenance: 'string',
  preemptible: 'boolean',
  provisioningModel: 'string',
  terminationTime: 'string',
};

/** What an instance is made of, in a request and in an answer. */
const COMMON: { readonly [field: string]: Shape } = {
  canIpForward: 'boolean',
  confidentialInstanceConfig: { enableConfidentialCompute: 'boolean' },
  deletionProtection: 'boolean',
  description: 'string',
  disks: [ATTACHED_DISK],
  displayDevice: { enableDisplay: 'boolean' },
  hostname: 'string',
  keyRevocationActionType: 'string',
  labels: 'texts',
  machineType: 'string',
  metadata: METADATA,
  minCpuPlatform: 'string',
  name: 'string',
  networkInterfaces: [NETWORK_INTERFACE],
  reservationAffinity: { consumeReservationType: 'string', key: 'string', values: ['string'] },
  scheduling: SCHEDULING,
  serviceAccounts: [{ email: 'string', scopes: ['string'] }],
  shieldedInstanceConfig: { enableIntegrityMonitoring: 'boolean', enableSecureBoot: 'boolean', enableVtpm: 'boolean' },
  shieldedInstanceIntegrityPolicy: { updateAutoLearnPolicy: 'boolean' },
  tags: { fingerprint: 'string', items: ['string'] },
};

/** The body of an insert. */
export const INSTANCE_BODY: Shape = COMMON;

/** The body of setLabels. */
export const LABELS_BODY: Shape = { labelFingerprint: 'string', labels: 'texts' };

export const INSTANCE: Shape = {
  ...COMMON,
  cpuPlatform: 'string',
  creationTimestamp: 'string',
  fingerprint: 'string',
  id: 'string',
  kind: 'string',
  labelFingerprint: 'string',
  lastStartTimestamp: 'string',
  lastStopTimestamp: 'string',
  selfLink: 'string',
  sourceMachineImage: 'string',
  startRestricted: 'boolean',
  status: 'string',
  statusMessage: 'string',
  zone: 'string',
};

export const OPERATION: Shape = {
  clientOperationId: 'string',
  endTime: 'string',
  error: { errors: [{ code: 'string', errorDetails: [{ '*': 'string' }], location: 'string', message: 'string' }] },
  httpErrorMessage: 'string',
  httpErrorStatusCode: 'number',
  id: 'string',
  insertTime: 'string',
  kind: 'string',
  name: 'string',
  operationType: 'string',
  progress: 'number',
  selfLink: 'string',
  startTime: 'string',
  status: 'string',
  statusMessage: 'string',
  targetId: 'string',
  targetLink: 'string',
  user: 'string',
  zone: 'string',
};

export const DISK: Shape = {
  creationTimestamp: 'string',
  id: 'string',
  kind: 'string',
  labelFingerprint: 'string',
  labels: 'texts',
  name: 'string',
  selfLink: 'string',
  sizeGb: 'string',
  sourceImage: 'string',
  status: 'string',
  type: 'string',
  users: ['string'],
  zone: 'string',
};

export const TEMPLATE: Shape = {
  creationTimestamp: 'string',
  id: 'string',
  kind: 'string',
  name: 'string',
  properties: COMMON,
  region: 'string',
  selfLink: 'string',
};

/** Of everything else, whose answers are small. */
export const SMALL: Shape = {
  creationTimestamp: 'string',
  defaultServiceAccount: 'string',
  description: 'string',
  diskSizeGb: 'string',
  family: 'string',
  guestCpus: 'number',
  id: 'string',
  kind: 'string',
  memoryMb: 'number',
  name: 'string',
  network: 'string',
  region: 'string',
  selfLink: 'string',
  status: 'string',
  zone: 'string',
};

export const SERIAL_PORT: Shape = {
  contents: 'string',
  kind: 'string',
  next: 'string',
  selfLink: 'string',
  start: 'string',
};

const WARNING: Shape = { code: 'string', data: [{ key: 'string', value: 'string' }], message: 'string' };

/** A page of `item`. */
export function listOf(item: Shape): Shape {
  return {
    id: 'string',
    items: [item],
    kind: 'string',
    nextPageToken: 'string',
    selfLink: 'string',
    unreachables: ['string'],
    warning: WARNING,
  };
}

/** A page of instances of every zone. */
export const AGGREGATED_INSTANCES: Shape = {
  id: 'string',
  items: { '*': { instances: [INSTANCE], warning: WARNING } },
  kind: 'string',
  nextPageToken: 'string',
  selfLink: 'string',
  unreachables: ['string'],
  warning: WARNING,
};
