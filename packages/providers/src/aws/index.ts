export { openAws } from './provider.js';
export type { AwsRunner, AwsSettings } from './settings.js';
export { awsType } from './type.js';
