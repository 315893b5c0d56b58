import type { ProviderType } from '@rungar/model';
import { AWS_ENTRY_FIELDS, configureAws } from './config.js';
import { AWS_RUNNER_FIELDS, parseAwsRunner } from './runner.js';
import type { AwsRunner } from './settings.js';

/** `type: aws`: one AWS account and region, over EC2. The SDK is loaded when a provider is opened. */
export const awsType: ProviderType<AwsRunner> = {
  type: 'aws',
  secretKeys: [],
  fields: { entry: AWS_ENTRY_FIELDS, runner: AWS_RUNNER_FIELDS },
  configure(entry, path, problems) {
    const configured = configureAws(entry, path, problems);
    if (!configured) return undefined;
    const { settings, ...rest } = configured;
    return {
      ...rest,
      async checkOnline(runners, context, { signal }) {
        const { checkAwsOnline } = await import('./check-online.js');
        return checkAwsOnline(settings, runners, context, signal);
      },
      async open(context) {
        const { openAws } = await import('./provider.js');
        return openAws(settings, context);
      },
    };
  },
  checkRunner(block, at, path, problems) {
    parseAwsRunner(block, at, path, problems);
  },
};
