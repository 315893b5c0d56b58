import { readFile } from 'node:fs/promises';
import {
  type ConfiguredProvider,
  field,
  formatDurationMs,
  type LocatedMap,
  messageOf,
  type ProblemSink,
  RungarError,
  readMapping,
  type Values,
} from '@rungar/model';
import { effectiveAwsRunner } from './effective-runner.js';
import { parseAwsRunner } from './runner.js';
import type { AwsRunner, AwsSettings } from './settings.js';

/** The keys of an `aws` entry beside those every provider has (docs/providers/aws.md). */
export const AWS_ENTRY_FIELDS = {
  region: field.text({
    describe: 'the AWS region, such as eu-central-1',
    required: true,
    pattern: /^[a-z]{2}(?:-[a-z]+)+-[0-9]+$/,
    want: 'must be a region like eu-central-1',
  }),
  subnets: field.list(
    field.text({
      describe: 'a subnet by its ID',
      pattern: /^subnet-[0-9a-f]{8,17}$/,
      want: 'must be a subnet like subnet-0a1b2c3d',
    }),
    { describe: 'the subnets to create instances in, tried in this order', required: true, unique: true },
  ),
  security_groups: field.list(
    field.text({
      describe: 'a security group by its ID',
      pattern: /^sg-[0-9a-f]{8,17}$/,
      want: 'must be a security group like sg-0a1b2c3d',
    }),
    { describe: "the security groups of every instance; without any, the VPC's default", default: [] },
  ),
  public_ip: field.boolean({
    describe: 'whether instances get a public address; when not set, the subnet decides',
  }),
  instance_profile: field.text({ describe: 'the instance profile of every instance, by name or ARN' }),
  profile: field.text({ describe: 'the named profile of the shared AWS files to use' }),
  credentials_file: field.text({ describe: 'a shared credentials file, instead of ~/.aws/credentials' }),
  endpoint_url: field.text({
    describe: "where EC2's API is, instead of AWS's own address for the region",
    rule: 'an address without user, query or fragment',
    check: checkEndpoint,
    addition: true,
  }),
  timeout: field.duration({ describe: 'the time limit of each call', default: 30_000 }),
} as const;

/** Everything of a configured `aws` provider but how to open it. */
export interface ConfiguredAws extends Omit<ConfiguredProvider<AwsRunner>, 'open'> {
  readonly settings: AwsSettings;
}

/**
 * Reads an `aws` provider's entry, less the keys every provider has. Contacts nothing and reads no file.
 * @returns nothing when the entry has problems, which then went to `problems`
 */
export function configureAws(entry: LocatedMap, path: string, problems: ProblemSink): ConfiguredAws | undefined {
  const { all } = readMapping(entry, AWS_ENTRY_FIELDS, path, problems);
  if (all === undefined) return undefined;
  const settings = toSettings(all);
  return {
    settings,
    endpoint: endpointOf(settings),
    secretFiles: settings.credentialsFile === undefined ? [] : [settings.credentialsFile],
    effective: effectiveEntry(settings),
    parseRunner: parseAwsRunner,
    effectiveRunner: effectiveAwsRunner,
    checkRunnerName: () => undefined,
    async checkFiles({ signal }) {
      if (settings.credentialsFile !== undefined) await requireReadable(settings.credentialsFile, signal);
    },
  };
}

function toSettings(entry: Values<typeof AWS_ENTRY_FIELDS>): AwsSettings {
  return {
    region: entry.region,
    subnets: entry.subnets,
    securityGroups: entry.security_groups,
    ...(entry.public_ip !== undefined && { publicIp: entry.public_ip }),
    ...(entry.instance_profile !== undefined && { instanceProfile: entry.instance_profile }),
    ...(entry.profile !== undefined && { profile: entry.profile }),
    ...(entry.credentials_file !== undefined && { credentialsFile: entry.credentials_file }),
    ...(entry.endpoint_url !== undefined && { endpointUrl: entry.endpoint_url }),
    timeoutMs: entry.timeout,
  };
}

/** `aws:REGION` or `aws:PROFILE/REGION`, and where the API is if that is not AWS's own place. */
function endpointOf({ region, profile, endpointUrl }: AwsSettings): string {
  const account = profile === undefined ? `aws:${region}` : `aws:${profile}/${region}`;
  if (endpointUrl === undefined) return account;
  const { origin, pathname } = new URL(endpointUrl);
  return `${account}@${origin}${pathname.replace(/\/+$/, '')}`;
}

function effectiveEntry(settings: AwsSettings): Record<string, unknown> {
  return {
    region: settings.region,
    subnets: settings.subnets,
    ...(settings.securityGroups.length > 0 && { security_groups: settings.securityGroups }),
    ...(settings.publicIp !== undefined && { public_ip: settings.publicIp }),
    ...(settings.instanceProfile !== undefined && { instance_profile: settings.instanceProfile }),
    ...(settings.profile !== undefined && { profile: settings.profile }),
    ...(settings.credentialsFile !== undefined && { credentials_file: settings.credentialsFile }),
    ...(settings.endpointUrl !== undefined && { endpoint_url: settings.endpointUrl }),
    timeout: formatDurationMs(settings.timeoutMs),
  };
}

function checkEndpoint(text: string): string | undefined {
  const want = 'must be an address like https://ec2.example.com';
  if (!URL.canParse(text)) return want;
  const { protocol, username, password, search, hash } = new URL(text);
  if (protocol !== 'https:' && protocol !== 'http:') return want;
  return username + password + search + hash === '' ? undefined : `${want}, without user, query or fragment`;
}

async function requireReadable(path: string, signal: AbortSignal): Promise<void> {
  try {
    await readFile(path, { signal });
  } catch (error) {
    signal.throwIfAborted();
    throw new RungarError('invalid_argument', `credentials_file: ${path} cannot be read: ${messageOf(error)}`, {
      cause: error,
      hint: 'put a shared AWS credentials file there, or let the daemon read it',
    });
  }
}
