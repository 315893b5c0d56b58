import type { Image } from '@aws-sdk/client-ec2';
import { awsTagFilters } from '@rungar/labels';
import {
  type OnlineFinding,
  type ProviderContext,
  quoted,
  RungarError,
  type RunnerToCheck,
  roundedDuration,
} from '@rungar/model';
import { createPacer } from '../shared/pacer.js';
import { type Ec2Inspection, openEc2, type SdkLoader, systemLoader } from './client.js';
import { Ec2Error, isThrottle, toRungarError } from './errors.js';
import { launchTemplate, runInstancesInput, setsRootVolume } from './run-input.js';
import type { AwsRunner, AwsSettings } from './settings.js';
import { encodeUserData } from './user-data.js';

/** A clock that is further off than this is worth a word; AWS refuses calls at five minutes. */
const BAD_CLOCK_MS = 30_000;
const RUN_PACE = { burst: 5, perSecond: 2 };
const PROFILE =
  /^(?:[\w+=,.@-]{1,128}|arn:aws[a-z-]*:iam::\d{12}:instance-profile\/(?:[\w+=,.@-]+\/)*[\w+=,.@-]{1,128})$/;

/** EC2's words for a credential that nobody may use, or not in this region. */
const REFUSED_CREDENTIALS = [
  'AuthFailure',
  'NoCredentials',
  'InvalidClientTokenId',
  'UnrecognizedClientException',
  'SignatureDoesNotMatch',
  'IncompleteSignature',
  'ExpiredToken',
  'ExpiredTokenException',
  'RequestExpired',
  'OptInRequired',
  'Blocked',
  'PendingVerification',
];
/** And for a call that this credential may not make. */
const NOT_ALLOWED = ['UnauthorizedOperation', 'AccessDenied', 'AccessDeniedException'];
/** What an endpoint says that is not AWS's own, and cannot be asked everything. */
const UNKNOWN_CALL = 'InvalidAction';

/**
 * Asks EC2, changing nothing, whether the credential works and may do what is needed, and whether what the entry and
 * the runner blocks name is there (docs/providers/aws.md, "Checking online").
 * @throws RungarError `unavailable` when EC2 does not answer
 */
export async function checkAwsOnline(
  settings: AwsSettings,
  runners: readonly RunnerToCheck<AwsRunner>[],
  context: ProviderContext,
  signal: AbortSignal,
  load: SdkLoader = systemLoader,
): Promise<readonly OnlineFinding[]> {
  const ec2 = await openEc2(load, settings, context);
  try {
    return await inspectEc2({ ec2, settings, runners, context, signal });
  } finally {
    ec2.close();
  }
}

/** What is checked, and who is asked. */
export interface InspectionOptions {
  readonly ec2: Ec2Inspection;
  readonly settings: AwsSettings;
  readonly runners: readonly RunnerToCheck<AwsRunner>[];
  readonly context: ProviderContext;
  readonly signal: AbortSignal;
}

/** What every check needs, and what later ones learn from earlier ones. */
interface Inspection extends InspectionOptions {
  /** The root devices of images. */
  readonly rootDevices: Map<string, string>;
  /** The zones of the subnets. */
  readonly zones: Set<string>;
}

/** What one check came to: findings, or the call the credential may not make, without which it could not be done. */
type Outcome = readonly OnlineFinding[] | { readonly notAllowed: string };

/** {@link checkAwsOnline}, once there is somebody to ask. */
export async function inspectEc2(options: InspectionOptions): Promise<readonly OnlineFinding[]> {
  const inspection: Inspection = { ...options, rootDevices: new Map(), zones: new Set() };
  const first = await checkCredential(inspection);
  if (first.ends) return first.findings;
  const outcomes = await Promise.all([
    checking('DescribeSubnets', inspection, checkSubnets),
    checking('DescribeSecurityGroups', inspection, checkGroups),
    checking('DescribeImages', inspection, checkImages),
    checking('DescribeLaunchTemplateVersions', inspection, checkTemplates),
  ]);
  outcomes.push(await checking('DescribeInstanceTypeOfferings', inspection, checkTypes));
  const findings = [...first.findings, ...checkProfile(inspection), ...outcomes.flatMap((each) => findingsOf(each))];
  const trials = await tryCreations(inspection, findings);
  return [...findings, ...trials, ...notAllowed(outcomes)];
}

function findingsOf(outcome: Outcome): readonly OnlineFinding[] {
  return 'notAllowed' in outcome ? [] : outcome;
}

/** One warning for all that could not be looked at: creating needs none of these calls. */
function notAllowed(outcomes: readonly Outcome[]): readonly OnlineFinding[] {
  const calls = outcomes.flatMap((each) => ('notAllowed' in each ? [`ec2:${each.notAllowed}`] : []));
  if (calls.length === 0) return [];
  const message = `could not be checked as a whole: the credential may not call ${calls.join(', ')}`;
  return [{ severity: 'warning', message, hint: 'these are for this check only; the daemon does without them' }];
}

async function checking(
  call: string,
  inspection: Inspection,
  check: (inspection: Inspection) => Promise<readonly OnlineFinding[]>,
): Promise<Outcome> {
  try {
    return await check(inspection);
  } catch (error) {
    inspection.signal.throwIfAborted();
    if (error instanceof Ec2Error && NOT_ALLOWED.includes(error.code)) return { notAllowed: call };
    if (error instanceof Ec2Error && error.code === UNKNOWN_CALL) return [];
    throw asUnanswered(error, call);
  }
}

/** The listing every pass begins with shows whether the credential works; the answer carries EC2's time. */
async function checkCredential({
  ec2,
  signal,
}: Inspection): Promise<{ readonly findings: readonly OnlineFinding[]; readonly ends: boolean }> {
  try {
    const Filters = awsTagFilters({ 'rungar.sh/managed': 'true' });
    const { instances, clockOffsetMs = 0 } = await ec2.describeInstances({ Filters }, signal);
    const findings = Math.abs(clockOffsetMs) < BAD_CLOCK_MS ? [] : [badClock(clockOffsetMs)];
    return { findings: [...findings, ...(await tryDeletion(ec2, instances[0]?.InstanceId, signal))], ends: false };
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof Ec2Error)) throw error;
    if (REFUSED_CREDENTIALS.includes(error.code)) {
      const message = `has no credential that works: ${wordsOf(error)}`;
      const hint = 'see which one the SDK takes: environment, profile, credentials_file, or the role of this machine';
      return { findings: [{ severity: 'error', message, hint }], ends: true };
    }
    if (NOT_ALLOWED.includes(error.code)) return { findings: [lacks('DescribeInstances', error)], ends: true };
    throw asUnanswered(error, 'DescribeInstances');
  }
}

async function tryDeletion(
  ec2: Ec2Inspection,
  id: string | undefined,
  signal: AbortSignal,
): Promise<readonly OnlineFinding[]> {
  if (id === undefined) return [];
  try {
    await ec2.tryTerminateInstance(id, signal);
    return [];
  } catch (error) {
    signal.throwIfAborted();
    return error instanceof Ec2Error && NOT_ALLOWED.includes(error.code) ? [lacks('TerminateInstances', error)] : [];
  }
}

function lacks(call: string, error: Ec2Error): OnlineFinding {
  return {
    severity: 'error',
    message: `has a credential that may not call ec2:${call}: ${wordsOf(error)}`,
    hint: 'give it the permissions that docs/providers/aws.md lists',
  };
}

function badClock(offsetMs: number): OnlineFinding {
  const off = roundedDuration(Math.abs(offsetMs));
  return {
    severity: 'warning',
    message: `answers with another time: this host's clock is ${off} ${offsetMs < 0 ? 'ahead of' : 'behind'} EC2's`,
    hint: 'let the host keep its clock by NTP: AWS refuses calls that are five minutes off',
  };
}

async function checkSubnets({ ec2, settings, signal, zones }: Inspection): Promise<readonly OnlineFinding[]> {
  const subnets = await ec2.describeSubnets(settings.subnets, signal);
  const found = new Set(subnets.map(({ SubnetId }) => SubnetId));
  const findings: OnlineFinding[] = settings.subnets.flatMap((id, index) =>
    found.has(id) ? [] : { severity: 'error', key: `subnets.${index}`, message: absent('a subnet', id, settings) },
  );
  for (const { SubnetId = '', AvailabilityZone, AvailableIpAddressCount } of subnets) {
    if (AvailabilityZone !== undefined) zones.add(AvailabilityZone);
    if (AvailableIpAddressCount !== 0) continue;
    const message = `names a subnet without a free address now: ${quoted(SubnetId)}`;
    findings.push({ severity: 'warning', key: `subnets.${settings.subnets.indexOf(SubnetId)}`, message });
  }
  return findings;
}

/** A type that some zone lacks is passed over there; one that none has is never of use. */
async function checkTypes({ ec2, runners, signal, zones }: Inspection): Promise<readonly OnlineFinding[]> {
  const wanted = [...new Set(runners.flatMap(({ spec }) => spec.instanceTypes))];
  if (wanted.length === 0 || zones.size === 0) return [];
  const offered = await ec2.typesOffered(wanted, [...zones], signal);
  return runners.flatMap(({ scaleSet, spec }) => {
    const missing = spec.instanceTypes.filter((type) => !offered.has(type));
    const severity = missing.length === spec.instanceTypes.length ? 'error' : 'warning';
    return missing.map((type) => ({
      severity,
      scaleSet,
      key: 'instance_type',
      message: `names an instance type that no zone of the subnets has (${[...zones].join(', ')}): ${quoted(type)}`,
    }));
  });
}

async function checkGroups({ ec2, settings, signal }: Inspection): Promise<readonly OnlineFinding[]> {
  if (settings.securityGroups.length === 0) return [];
  const groups = await ec2.describeSecurityGroups(settings.securityGroups, signal);
  const found = new Set(groups.map(({ GroupId }) => GroupId));
  return settings.securityGroups.flatMap((id, index) => {
    const key = `security_groups.${index}`;
    return found.has(id) ? [] : { severity: 'error', key, message: absent('a security group', id, settings) };
  });
}

async function checkImages({
  ec2,
  settings,
  runners,
  signal,
  rootDevices,
}: Inspection): Promise<readonly OnlineFinding[]> {
  const wanted = [...new Set(runners.flatMap(({ spec }) => (spec.image === '' ? [] : [spec.image])))];
  if (wanted.length === 0) return [];
  const images = await ec2.describeImages({ Filters: [{ Name: 'image-id', Values: wanted }] }, signal);
  for (const { ImageId, RootDeviceName } of images)
    if (ImageId && RootDeviceName) rootDevices.set(ImageId, RootDeviceName);
  const byId = new Map(images.map((image) => [image.ImageId, image]));
  return runners.flatMap(({ scaleSet, spec }) => {
    const message = spec.image === '' ? undefined : wrongImage(spec, byId.get(spec.image), settings);
    return message === undefined ? [] : [{ severity: 'error', scaleSet, key: 'image', message }];
  });
}

function wrongImage(spec: AwsRunner, found: Image | undefined, settings: AwsSettings): string | undefined {
  const id = quoted(spec.image);
  if (found === undefined) return absent('an image', spec.image, settings);
  if (found.State !== 'available')
    return `names an image that cannot be used, being ${found.State ?? 'nowhere'}: ${id}`;
  return setsRootVolume(spec) && !found.RootDeviceName ? `names an image without a root device: ${id}` : undefined;
}

async function checkTemplates({ ec2, runners, signal }: Inspection): Promise<readonly OnlineFinding[]> {
  const found = new Map<string, Promise<Ec2Error | undefined>>();
  const look = async (written: string): Promise<Ec2Error | undefined> => {
    try {
      await ec2.findLaunchTemplate(launchTemplate(written), signal);
      return undefined;
    } catch (error) {
      if (error instanceof Ec2Error && error.code.startsWith('InvalidLaunchTemplate')) return error;
      throw error;
    }
  };
  const findings = runners.map(async ({ scaleSet, spec }): Promise<readonly OnlineFinding[]> => {
    const written = spec.launchTemplate;
    if (written === '') return [];
    const answer = found.get(written) ?? look(written);
    found.set(written, answer);
    const error = await answer;
    if (error === undefined) return [];
    const message = `names a launch template that EC2 does not have: ${quoted(written)} (${wordsOf(error)})`;
    return [{ severity: 'error', scaleSet, key: 'launch_template', message }];
  });
  return (await Promise.all(findings)).flat();
}

/** There is no asking for it without permissions of another service. */
function checkProfile({ settings: { instanceProfile } }: Inspection): readonly OnlineFinding[] {
  if (instanceProfile === undefined || PROFILE.test(instanceProfile)) return [];
  const message = `is neither the name nor the ARN of an instance profile: ${quoted(instanceProfile)}`;
  return [{ severity: 'error', key: 'instance_profile', message }];
}

/** Has EC2 try a creation of each kind, which shows what the credential may do, and the rest of what it would refuse. */
async function tryCreations(
  inspection: Inspection,
  known: readonly OnlineFinding[],
): Promise<readonly OnlineFinding[]> {
  const { context, runners } = inspection;
  if (known.some(({ severity, scaleSet }) => severity === 'error' && scaleSet === undefined)) return [];
  const wrong = new Set(known.flatMap(({ severity, scaleSet }) => (severity === 'error' ? (scaleSet ?? []) : [])));
  const { clock, random } = context;
  const pacer = createPacer({ clock, random, ...RUN_PACE, isThrottle, onThrottle() {} });
  const tried = new Set<string>();
  const trials = runners.map(async ({ scaleSet, spec }) => {
    const kind = JSON.stringify([spec.instanceTypes[0], spec.image, spec.launchTemplate, spec.spot]);
    if (wrong.has(scaleSet) || tried.has(kind)) return [];
    tried.add(kind);
    return tryCreation(inspection, scaleSet, spec, (send) => pacer.run(send, inspection.signal));
  });
  const findings = (await Promise.all(trials)).flat();
  return findings.filter(({ scaleSet, message }, index) => {
    if (scaleSet !== undefined) return true;
    return findings.findIndex((other) => other.message === message) === index;
  });
}

async function tryCreation(
  { ec2, settings, context, signal, rootDevices }: Inspection,
  scaleSet: string,
  spec: AwsRunner,
  paced: (send: () => Promise<void>) => Promise<void>,
): Promise<readonly OnlineFinding[]> {
  const [subnet = ''] = settings.subnets;
  const [instanceType] = spec.instanceTypes;
  const name = `rungar-validate-${Buffer.from(context.random.bytes(4)).toString('hex')}`;
  const rootDevice = setsRootVolume(spec) ? rootDevices.get(spec.image) : undefined;
  const launch = {
    name,
    labels: { 'rungar.sh/managed': 'true' },
    spec,
    userData: encodeUserData(spec.userData, ''),
    ...(rootDevice !== undefined && { rootDevice }),
  };
  const input = runInstancesInput(settings, launch, { subnet, ...(instanceType !== undefined && { instanceType }) });
  try {
    await paced(() => ec2.tryRunInstances(input, signal));
    return [];
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof Ec2Error)) throw error;
    return [refusedCreation(error, scaleSet)];
  }
}

/** EC2's words for what is wrong, and the key they speak of. */
const KEYS: readonly (readonly [RegExp, key: string, isOfEntry: boolean])[] = [
  [/^InvalidAMIID/, 'image', false],
  [/^Unsupported|instance ?type/i, 'instance_type', false],
  [/^InvalidLaunchTemplate/, 'launch_template', false],
  [/^InvalidSubnet/, 'subnets', true],
  [/^InvalidGroup|^InvalidSecurityGroup/, 'security_groups', true],
  [/iam ?instance ?profile/i, 'instance_profile', true],
  [/volume|disk|iops|throughput/i, 'disk_size', false],
];

function refusedCreation(error: Ec2Error, scaleSet: string): OnlineFinding {
  if (NOT_ALLOWED.includes(error.code)) return lacks('RunInstances', error);
  const isLasting = error.refusal === 'invalid' || error.refusal === 'unsupported' || error.refusal === 'other';
  const message = `${isLasting ? 'would be refused' : 'could not be created now'} by EC2: ${wordsOf(error)}`;
  const severity = isLasting ? 'error' : 'warning';
  const [, key, isOfEntry = false] = KEYS.find(([words]) => words.test(error.reason)) ?? [];
  return { severity, message, ...(!isOfEntry && { scaleSet }), ...(key !== undefined && { key }) };
}

/** EC2's own words, less the part that only its operators can read. */
function wordsOf(error: Ec2Error): string {
  return error.reason.replace(/\s*Encoded authorization failure message:.*$/s, '').replace(/\.$/, '');
}

function absent(what: string, id: string, { region }: AwsSettings): string {
  return `names ${what} that does not exist in ${region}: ${quoted(id)}`;
}

function asUnanswered(error: unknown, call: string): unknown {
  if (!(error instanceof Ec2Error)) return error;
  const known = toRungarError(error, call);
  return known.code === 'unavailable' ? known : new RungarError('unavailable', known.message, { cause: error });
}
