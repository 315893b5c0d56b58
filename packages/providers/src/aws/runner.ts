import { revisionOf } from '@rungar/labels';
import {
  field,
  formatSize,
  type LocatedMap,
  type ParsedRunner,
  type Place,
  type ProblemSink,
  readMapping,
  type Values,
} from '@rungar/model';
import { addMistakes, type Mistake } from '../shared/mistakes.js';
import { DEFAULT_USER_DATA } from './default-user-data.js';
import type { AwsRunner } from './settings.js';

const GIB = 1024n ** 3n;
const TIB = 1024n * GIB;
const DEFAULT_DISK_SIZE = 50n * GIB;
/** What a gp3 volume does without being told, and what needs no room on it. */
const BASE_IOPS = 3_000;
const BASE_THROUGHPUT = 125;
const IOPS_PER_GIB = 500;
const IOPS_PER_MIB = 4;
const USER_DATA_BYTES = 10_240;

/** The keys of an `aws` runner block (docs/providers/aws.md). */
export const AWS_RUNNER_FIELDS = {
  instance_type: field.list(
    field.text({
      describe: 'an instance type',
      pattern: /^[a-z][a-z0-9-]*\.[a-z0-9-]+$/,
      want: 'must be an instance type like m7i.xlarge',
    }),
    {
      describe: 'the instance type, or several to try in this order; required without a launch template',
      alsoOne: true,
      unique: true,
      default: [],
    },
  ),
  image: field.text({
    describe: 'the machine image; required without a launch template',
    pattern: /^ami-[0-9a-f]{8,17}$/,
    want: 'must be an image like ami-0a1b2c3d',
  }),
  disk_size: field.size({
    describe: 'the size of the root volume; 50GiB unless set, or what the launch template says',
    rule: 'whole GiB, from 1GiB to 64TiB, of gp2 to 16TiB',
    check: checkDiskSize,
  }),
  disk_type: field.choice(['gp3', 'gp2'], {
    describe: 'the type of the root volume; gp3 unless set, or what the launch template says',
  }),
  disk_iops: field.integer({
    describe: "the root volume's operations a second",
    min: BASE_IOPS,
    max: 80_000,
    zeroIsUnset: true,
  }),
  disk_throughput: field.integer({
    describe: "the root volume's throughput, in MiB a second",
    min: BASE_THROUGHPUT,
    max: 2_000,
    zeroIsUnset: true,
  }),
  launch_template: field.text({
    describe: 'a launch template by ID or name, with a version after a colon if it is not the default one',
    pattern: /^(?:lt-[0-9a-f]{8,17}|[A-Za-z0-9()./_-]{3,128})(?::(?:0*[1-9][0-9]*|\$Latest|\$Default))?$/,
    want: 'must be a launch template like lt-0a1b2c3d or runners:$Latest (a version is a number, $Latest or $Default)',
  }),
  spot: field.boolean({ describe: 'whether to use spot capacity', default: false }),
  tags: field.textMap({
    describe: 'further tags of the instance and its volumes',
    checkKey: checkTagKey,
    checkValue: (value) => (lengthOf(value) > 256 ? 'must have at most 256 characters' : undefined),
  }),
  user_data: field.text({
    describe: 'the script an instance runs at its first boot, instead of our own',
    secret: true,
    check: checkUserData,
  }),
} as const;

type Block = Values<typeof AWS_RUNNER_FIELDS>;

/**
 * Reads a merged `aws` runner block.
 * @param at where to point when the whole block is missing
 * @returns nothing when it has problems, which then went to `problems`
 */
export function parseAwsRunner(
  block: LocatedMap | undefined,
  at: Place,
  path: string,
  problems: ProblemSink,
): ParsedRunner<AwsRunner> | undefined {
  const map: LocatedMap = block ?? { kind: 'map', entries: [], place: at };
  const { values, wrong, all } = readMapping(map, AWS_RUNNER_FIELDS, path, problems);
  const mistakes = [...checkSource(values, wrong), ...checkVolume(values, wrong)];
  addMistakes(map, path, mistakes, problems);
  if (all === undefined || mistakes.length > 0) return undefined;
  const spec = toRunner(all);
  return { spec, revision: revisionOf(revisionRecord(spec)), size: describeSize(spec) };
}

function toRunner(block: Block): AwsRunner {
  const template = block.launch_template ?? '';
  return {
    instanceTypes: block.instance_type,
    image: block.image ?? '',
    diskSize: block.disk_size ?? (template === '' ? DEFAULT_DISK_SIZE : 0n),
    diskType: block.disk_type ?? (template === '' ? 'gp3' : ''),
    diskIops: block.disk_iops ?? 0,
    diskThroughput: block.disk_throughput ?? 0,
    launchTemplate: template,
    spot: block.spot,
    tags: block.tags,
    userData: block.user_data ?? DEFAULT_USER_DATA,
  };
}

/** What the revision is the hash of. Names and order are shared with the Go daemon (docs/reference/labels.md). */
function revisionRecord(runner: AwsRunner): Record<string, unknown> {
  const [first = '', ...others] = runner.instanceTypes;
  return {
    InstanceType: others.length === 0 ? first : runner.instanceTypes,
    Image: runner.image,
    DiskSize: runner.diskSize,
    DiskType: runner.diskType,
    DiskIOPS: runner.diskIops || undefined,
    DiskThroughput: runner.diskThroughput || undefined,
    LaunchTemplate: runner.launchTemplate || undefined,
    Spot: runner.spot,
    Tags: runner.tags ?? null,
    UserData: runner.userData,
  };
}

function describeSize({ instanceTypes, launchTemplate, spot }: AwsRunner): string {
  const types = instanceTypes.join(' or ');
  const template = launchTemplate === '' ? '' : `template ${launchTemplate}`;
  const size = types !== '' && template !== '' ? `${types} from ${template}` : types || template;
  return spot ? `${size} (spot)` : size;
}

/** What the machine is made from. A key with a problem of its own is taken for unknown: nothing is held against it. */
function checkSource(block: Partial<Block>, wrong: ReadonlySet<string>): Mistake<keyof Block>[] {
  const mistakes: Mistake<keyof Block>[] = [];
  if (wrong.has('launch_template')) return mistakes;
  if (block.launch_template === undefined) {
    const hint = 'set it, or a launch_template that gives it';
    if (block.instance_type?.length === 0) mistakes.push({ key: 'instance_type', message: 'is missing', hint });
    if (block.image === undefined && !wrong.has('image')) mistakes.push({ key: 'image', message: 'is missing', hint });
    return mistakes;
  }
  if (block.image !== undefined || wrong.has('image')) return mistakes;
  for (const key of ['disk_size', 'disk_type', 'disk_iops', 'disk_throughput'] as const) {
    if (block[key] === undefined) continue;
    const message = 'needs image beside a launch template: the root volume is the one of an image';
    mistakes.push({ key, message, hint: 'set image, or clear this key with null' });
  }
  return mistakes;
}

/** What the root volume can do. */
function checkVolume(block: Partial<Block>, wrong: ReadonlySet<string>): Mistake<keyof Block>[] {
  const mistakes: Mistake<keyof Block>[] = [];
  const { disk_size: size, disk_type: type, disk_iops: iops, disk_throughput: throughput } = block;
  if (type === 'gp2') {
    if (size !== undefined && size > 16n * TIB) {
      mistakes.push({ key: 'disk_size', message: 'must be at most 16TiB on gp2', hint: 'use gp3' });
    }
    for (const key of ['disk_iops', 'disk_throughput'] as const) {
      if (block[key] !== undefined) mistakes.push({ key, message: 'cannot be set on gp2', hint: 'use gp3' });
    }
    return mistakes;
  }
  const templated = block.launch_template !== undefined || wrong.has('launch_template');
  const known = size ?? (templated || wrong.has('disk_size') ? undefined : DEFAULT_DISK_SIZE);
  if (iops !== undefined && iops > BASE_IOPS && known !== undefined) {
    const most = IOPS_PER_GIB * Number(known / GIB);
    if (iops > most) {
      const message = `must be at most ${IOPS_PER_GIB} for each GiB: ${most} for ${formatSize(known)}, not ${iops}`;
      mistakes.push({ key: 'disk_iops', message });
    }
  }
  const reached = iops ?? (templated || wrong.has('disk_iops') ? undefined : BASE_IOPS);
  if (throughput !== undefined && throughput > BASE_THROUGHPUT && reached !== undefined) {
    const most = Math.floor(reached / IOPS_PER_MIB);
    if (throughput > most) {
      const message = `must be at most a quarter of disk_iops: ${most} for ${reached}, not ${throughput}`;
      mistakes.push({ key: 'disk_throughput', message, hint: `set disk_iops to ${throughput * IOPS_PER_MIB} or more` });
    }
  }
  return mistakes;
}

function checkDiskSize(bytes: bigint): string | undefined {
  if (bytes < GIB || bytes > 64n * TIB) return 'must be from 1GiB to 64TiB';
  return bytes % GIB === 0n ? undefined : 'must be whole GiB';
}

function checkTagKey(key: string): string | undefined {
  if (key === '' || lengthOf(key) > 128) return 'must have a name of 1 to 128 characters';
  if (key === 'Name') return "is a tag of Rungar's own: the runner's name";
  const lower = key.toLowerCase();
  if (lower.startsWith('rungar.sh/')) return 'must not begin with rungar.sh/, which is kept for Rungar';
  return lower.startsWith('aws:') ? 'must not begin with aws:, which is kept for AWS' : undefined;
}

function checkUserData(script: string): string | undefined {
  if (!script.startsWith('#!')) return 'must be a script that begins with "#!"';
  const bytes = Buffer.byteLength(script);
  return bytes > USER_DATA_BYTES ? `must have at most ${USER_DATA_BYTES} bytes (10KiB), and has ${bytes}` : undefined;
}

/** Characters as AWS counts them: code points. */
function lengthOf(text: string): number {
  return [...text].length;
}
