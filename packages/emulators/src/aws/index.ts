export type { Paging } from './actions/action.js';
export type { Quota, StockScope } from './capacity.js';
export {
  defaultCatalogue,
  type Ec2Catalogue,
  type Ec2Image,
  type Ec2InstanceType,
  type Ec2LaunchTemplate,
  type Ec2LaunchTemplateData,
  type Ec2SecurityGroup,
  type Ec2Subnet,
} from './catalogue.js';
export type {
  CallEvent,
  Ec2Emulator,
  Ec2EmulatorOptions,
  Ec2Events,
  Ec2Stats,
  ForeignInstance,
  Latency,
} from './contract.js';
export { startEc2Emulator } from './emulator.js';
export type { FleetTimes, InstanceEvent, Lag } from './fleet.js';
export type { InstanceState, StateReason } from './instance.js';
export type { EmulatedInstance } from './instance-view.js';
export type { RootVolume } from './launch-plan.js';
export type { AccessKey } from './sigv4.js';
export type { Rate } from './throttle.js';
