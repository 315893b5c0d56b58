import type {
  DescribeImagesCommandInput,
  DescribeInstancesCommandInput,
  EC2ClientConfig,
  Filter,
  Image,
  RunInstancesCommandInput,
  SecurityGroup,
  Subnet,
} from '@aws-sdk/client-ec2';
import { isRungarError, type ProviderContext, RungarError } from '@rungar/model';
import { type Agents, openAgents, proxySettingsOf } from '@rungar/proxies';
import { requireInstalled } from '../shared/require-installed.js';
import { withinLimit } from '../shared/within-limit.js';
import { describeAll, type InstanceListing } from './describe-instances.js';
import { Ec2Error, toEc2Error, unreadable } from './errors.js';
import { readStartedInstances, type SeenInstance } from './instances-page.js';
import { sendAndRead } from './send-and-read.js';
import { holdSessionToken } from './session-token.js';
import type { AwsSettings } from './settings.js';

/** What the provider asks of EC2. Every call ends within the provider's time limit. */
export interface Ec2 {
  /** @throws Ec2Error; the signal's reason when it aborts */
  runInstances(input: RunInstancesCommandInput, signal: AbortSignal): Promise<SeenInstance>;
  /** All pages, within one time limit. */
  describeInstances(input: DescribeInstancesCommandInput, signal: AbortSignal): Promise<InstanceListing>;
  /** The images, of those asked for, that the account can see; none is no error. */
  describeImages(input: DescribeImagesCommandInput, signal: AbortSignal): Promise<readonly Image[]>;
  /**
   * What an instance has written to its console, as EC2 has it: bytes of the machine's own, newest last.
   * @param latest as it is now, which only some types can; else as it was some minutes ago
   */
  getConsoleOutput(id: string, latest: boolean, signal: AbortSignal): Promise<Buffer>;
  /**
   * Begins to terminate instances. Repeating it is harmless.
   * @throws Ec2Error when one of them does not exist, and then it may have ended none
   */
  terminateInstances(ids: readonly string[], signal: AbortSignal): Promise<void>;
  /** Closes its connections. */
  close(): void;
}

/** What is asked of EC2 only to check a configuration. Nothing of it changes anything. */
export interface Ec2Inspection extends Pick<Ec2, 'describeInstances' | 'describeImages' | 'close'> {
  /** Those of the ids that exist. */
  describeSubnets(ids: readonly string[], signal: AbortSignal): Promise<readonly Subnet[]>;
  /** Those of the ids that exist. */
  describeSecurityGroups(ids: readonly string[], signal: AbortSignal): Promise<readonly SecurityGroup[]>;
  /** The types, of those given, that any of the zones has. */
  typesOffered(types: readonly string[], zones: readonly string[], signal: AbortSignal): Promise<ReadonlySet<string>>;
  /** @throws Ec2Error when there is no such launch template, or not in that version */
  findLaunchTemplate(template: LaunchTemplateVersion, signal: AbortSignal): Promise<void>;
  /** Whether EC2 would carry a call out. @throws Ec2Error why it would not */
  tryRunInstances(input: RunInstancesCommandInput, signal: AbortSignal): Promise<void>;
  tryTerminateInstance(id: string, signal: AbortSignal): Promise<void>;
}

export type LaunchTemplateVersion = NonNullable<RunInstancesCommandInput['LaunchTemplate']>;

type Sdk = typeof import('@aws-sdk/client-ec2');
type CredentialProviders = typeof import('@aws-sdk/credential-providers');
type Credentials = NonNullable<EC2ClientConfig['credentials']>;
type SdkLogger = NonNullable<EC2ClientConfig['logger']>;

/** How the parts of the SDK are loaded; another one in tests. */
export interface SdkLoader {
  ec2(): Promise<Sdk>;
  /** The default credential chain, with another file than the usual one. */
  credentials(file: string, profile: string | undefined, logger: SdkLogger): Promise<Credentials>;
}

/** The SDK would keep what its files said at the first look, even that they were not there, until the process ends. */
const READ_ANEW = { ignoreCache: true };

export const systemLoader: SdkLoader = {
  ec2: async () => requireInstalled('@aws-sdk/client-ec2') as Sdk,
  async credentials(filepath, profile, logger) {
    const { fromNodeProviderChain } = requireInstalled('@aws-sdk/credential-providers') as CredentialProviders;
    return fromNodeProviderChain({ filepath, logger, ...READ_ANEW, ...(profile !== undefined && { profile }) });
  },
};

/** More than the creations, deletions and listings a provider has in flight at once. */
const SOCKETS = 128;
const CONNECT_MS = 5_000;
const READ_ATTEMPTS = 3;

/**
 * Loads the SDK and makes ready to ask EC2; asks nothing yet.
 * @throws RungarError `invalid_argument` when a package of the SDK is not installed, with the command that installs it
 */
export async function openEc2(
  load: SdkLoader,
  settings: AwsSettings,
  context: ProviderContext,
): Promise<Ec2 & Ec2Inspection> {
  const sdk = await loadPackage('@aws-sdk/client-ec2', load.ec2);
  const logger = warningsTo(context);
  const { credentialsFile, profile } = settings;
  const credentials =
    credentialsFile === undefined
      ? undefined
      : await loadPackage('@aws-sdk/credential-providers', () => load.credentials(credentialsFile, profile, logger));
  const url = new URL(settings.endpointUrl ?? `https://ec2.${settings.region}.amazonaws.com`);
  const proxies = proxySettingsOf(context.environment ?? {});
  const agents = await openAgents(proxies, url, { keepAlive: true, maxSockets: SOCKETS });
  return askWith(sdk, clientConfig(settings, credentials, logger, agents), settings, context);
}

async function loadPackage<T>(name: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (error) {
    if (!isMissing(error, name)) throw error;
    throw new RungarError(
      'invalid_argument',
      `a provider of type aws needs the package ${name}, which is not installed`,
      {
        cause: error,
        hint: `Install it beside Rungar: npm install ${name}`,
      },
    );
  }
}

function isMissing(error: unknown, name: string): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  // What follows the first line names who wanted it, which may be the package itself.
  return (
    code === 'MODULE_NOT_FOUND' && error instanceof Error && error.message.startsWith(`Cannot find module '${name}'`)
  );
}

/** The SDK writes to the console where it has no logger. Its other levels carry what is sent, so they go nowhere. */
function warningsTo({ logger, redactor }: ProviderContext): SdkLogger {
  const nowhere = (): void => {};
  const warn = (...words: unknown[]): void =>
    logger.warn('warning of the AWS SDK', { text: redactor.redact(words.map(String).join(' ')) });
  return { debug: nowhere, info: nowhere, error: nowhere, warn };
}

function clientConfig(
  settings: AwsSettings,
  credentials: Credentials | undefined,
  logger: SdkLogger,
  agents: Agents,
): EC2ClientConfig {
  return {
    region: settings.region,
    logger,
    ...READ_ANEW,
    // No environment variable and no shared file may send a credential to a host that the configuration does not name.
    ignoreConfiguredEndpointUrls: true,
    retryMode: 'standard', // an adaptive one would pace calls too, beside us
    ...(settings.endpointUrl !== undefined && { endpoint: settings.endpointUrl }),
    ...(settings.profile !== undefined && { profile: settings.profile }),
    ...(credentials !== undefined && { credentials }),
    requestHandler: {
      connectionTimeout: Math.min(CONNECT_MS, settings.timeoutMs),
      requestTimeout: settings.timeoutMs,
      throwOnRequestTimeout: true,
      httpAgent: agents.http,
      httpsAgent: agents.https,
    },
  };
}

function askWith(
  sdk: Sdk,
  config: EC2ClientConfig,
  settings: AwsSettings,
  { clock, redactor }: ProviderContext,
): Ec2 & Ec2Inspection {
  // Two clients over one set of connections and credentials: how often the SDK tries is a client's setting, and what
  // makes or ends machines must be repeated by us alone, who pace it.
  const reader = new sdk.EC2Client({ ...config, maxAttempts: READ_ATTEMPTS });
  const { credentials, requestHandler } = reader.config;
  const writer = new sdk.EC2Client({ ...config, credentials, requestHandler, maxAttempts: 1 });
  const letGo = holdSessionToken([reader, writer], redactor);
  // It prepares all that is sent and answered for a log whose words go nowhere here.
  for (const client of [reader, writer]) client.middlewareStack.remove('loggerMiddleware');

  const ask = async <T>(what: string, signal: AbortSignal, send: (signal: AbortSignal) => Promise<T>): Promise<T> => {
    try {
      return await withinLimit(clock, settings.timeoutMs, what, signal, send);
    } catch (error) {
      signal.throwIfAborted();
      if (isRungarError(error)) throw new Ec2Error('NoAnswer', error.message, 'uncertain');
      throw toEc2Error(error, redactor);
    }
  };

  return {
    runInstances: (input, signal) =>
      ask('RunInstances', signal, async (abortSignal) => {
        const command = new sdk.RunInstancesCommand(input);
        const { content } = await sendAndRead(writer, command, readStartedInstances, abortSignal);
        const instance = content?.[0];
        if (!instance?.InstanceId) throw unreadable('RunInstances');
        return instance;
      }),

    describeInstances: (input, signal) =>
      ask('DescribeInstances', signal, (abortSignal) => describeAll(sdk, reader, input, clock, abortSignal)),

    describeImages: (input, signal) =>
      ask('DescribeImages', signal, async (abortSignal) => {
        const answer = await reader.send(new sdk.DescribeImagesCommand(input), { abortSignal });
        if (!answer.Images) throw unreadable('DescribeImages');
        return answer.Images;
      }),

    getConsoleOutput: (id, latest, signal) =>
      ask('GetConsoleOutput', signal, async (abortSignal) => {
        const command = new sdk.GetConsoleOutputCommand({ InstanceId: id, ...(latest && { Latest: true }) });
        return Buffer.from((await reader.send(command, { abortSignal })).Output ?? '', 'base64');
      }),

    terminateInstances: (ids, signal) =>
      ask('TerminateInstances', signal, async (abortSignal) => {
        const answer = await writer.send(new sdk.TerminateInstancesCommand({ InstanceIds: [...ids] }), { abortSignal });
        if (!answer.TerminatingInstances) throw unreadable('TerminateInstances');
      }),

    describeSubnets: (ids, signal) =>
      ask('DescribeSubnets', signal, async (abortSignal) => {
        const command = new sdk.DescribeSubnetsCommand({ Filters: [withIds('subnet-id', ids)] });
        return (await reader.send(command, { abortSignal })).Subnets ?? [];
      }),

    describeSecurityGroups: (ids, signal) =>
      ask('DescribeSecurityGroups', signal, async (abortSignal) => {
        const command = new sdk.DescribeSecurityGroupsCommand({ Filters: [withIds('group-id', ids)] });
        return (await reader.send(command, { abortSignal })).SecurityGroups ?? [];
      }),

    typesOffered: (types, zones, signal) =>
      ask('DescribeInstanceTypeOfferings', signal, async (abortSignal) => {
        const command = new sdk.DescribeInstanceTypeOfferingsCommand({
          LocationType: 'availability-zone',
          Filters: [withIds('instance-type', types), withIds('location', zones)],
        });
        const { InstanceTypeOfferings = [] } = await reader.send(command, { abortSignal });
        return new Set(InstanceTypeOfferings.flatMap(({ InstanceType }) => InstanceType ?? []));
      }),

    findLaunchTemplate: ({ Version, ...template }, signal) =>
      ask('DescribeLaunchTemplateVersions', signal, async (abortSignal) => {
        const command = new sdk.DescribeLaunchTemplateVersionsCommand({
          ...template,
          Versions: [Version ?? '$Default'],
        });
        await reader.send(command, { abortSignal });
      }),

    tryRunInstances: (input, signal) =>
      wouldDo(
        ask('RunInstances', signal, async (abortSignal) => {
          await writer.send(new sdk.RunInstancesCommand({ ...input, DryRun: true }), { abortSignal });
        }),
      ),

    tryTerminateInstance: (id, signal) =>
      wouldDo(
        ask('TerminateInstances', signal, async (abortSignal) => {
          await writer.send(new sdk.TerminateInstancesCommand({ InstanceIds: [id], DryRun: true }), { abortSignal });
        }),
      ),

    close() {
      writer.destroy();
      reader.destroy();
      letGo();
    },
  };
}

/** A filter that lets through only what exists: naming the ids themselves refuses them all for one that does not. */
function withIds(Name: string, ids: readonly string[]): Filter {
  return { Name, Values: [...ids] };
}

/** EC2 refuses what it was only to try, in words of their own when it would have done it. */
async function wouldDo(trial: Promise<void>): Promise<void> {
  try {
    await trial;
  } catch (error) {
    if (!(error instanceof Ec2Error && error.code === 'DryRunOperation')) throw error;
  }
}
