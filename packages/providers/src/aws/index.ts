export type { Ec2 } from './client.js';
export type { InstanceListing } from './describe-instances.js';
export { Ec2Error, type Refusal } from './errors.js';
export type { SeenInstance } from './instances-page.js';
export { openAws, openAwsOn } from './provider.js';
export type { AwsRunner, AwsSettings } from './settings.js';
export { awsType } from './type.js';
