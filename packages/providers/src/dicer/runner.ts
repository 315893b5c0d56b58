import { revisionOf } from '@rungar/labels';
import {
  field,
  formatSize,
  itemPath,
  type LocatedMap,
  memberPath,
  type ParsedRunner,
  type Place,
  type ProblemSink,
  placeOf,
  type Reading,
  readMapping,
  type Values,
} from '@rungar/model';
import type { DicerMount, DicerRunner } from './settings.js';

const MIB = 1024n ** 2n;
const GIB = 1024n ** 3n;
const LEAST_MEMORY = 128n * MIB;
/** The API counts them in 32 bits. */
const MOST_VCPUS = 2 ** 31 - 1;

/** The keys of one of its mounts. */
export const DICER_MOUNT_FIELDS = {
  type: field.choice(['volume', 'file', 'tmpfs'], { describe: 'what is mounted', required: true }),
  source: field.text({
    describe: "a volume's name, or a file of the host",
    rule: 'absolute for a file, and not set for tmpfs',
  }),
  target: field.text({
    describe: 'where it is in the machine',
    rule: 'an absolute path',
    required: true,
    pattern: /^\//,
    want: 'must be an absolute path',
  }),
  read_only: field.boolean({ describe: 'whether the machine may only read it', default: false }),
} as const;

/** The keys of a `dicer` runner block (docs/providers/dicer.md). */
export const DICER_RUNNER_FIELDS = {
  image: field.text({ describe: 'the image to boot, as its registry names it', required: true, check: checkImage }),
  command: field.list(field.text({ describe: 'a word of the command', keepEmpty: true }), {
    describe: 'the command that starts the runner, word by word',
    default: ['/home/runner/run.sh'],
  }),
  vcpus: field.integer({ describe: 'the number of virtual CPUs', required: true, min: 1, max: MOST_VCPUS }),
  memory: field.size({
    describe: 'the memory',
    rule: 'whole MiB, at least 128MiB',
    required: true,
    check: checkMemory,
  }),
  disk: field.size({ describe: 'the size of the disk', default: 20n * GIB }),
  kernel: field.text({ describe: "the kernel to boot; without it the host's default" }),
  network: field.text({ describe: "the network to join; without it the host's default" }),
  env: field.textMap({ describe: 'environment variables of the command' }),
  mounts: field.list(field.mapping(DICER_MOUNT_FIELDS, { describe: 'a mount' }), {
    describe: 'what the machine has mounted',
    keepEmpty: true,
  }),
} as const;

type Block = Values<typeof DICER_RUNNER_FIELDS>;
type Mount = Reading<typeof DICER_MOUNT_FIELDS>;

/**
 * Reads a merged `dicer` runner block.
 * @param at where to point when the whole block is missing
 * @returns nothing when it has problems, which then went to `problems`
 */
export function parseDicerRunner(
  block: LocatedMap | undefined,
  at: Place,
  path: string,
  problems: ProblemSink,
): ParsedRunner<DicerRunner> | undefined {
  const map: LocatedMap = block ?? { kind: 'map', entries: [], place: at };
  const { values, all } = readMapping(map, DICER_RUNNER_FIELDS, path, problems);
  let isGood = true;
  for (const [index, mount] of (values.mounts ?? []).entries()) {
    const mistake = checkSource(mount);
    if (mistake === undefined) continue;
    isGood = false;
    problems.add({
      severity: 'error',
      place: placeOf(mount.map, 'source'),
      path: memberPath(itemPath(memberPath(path, 'mounts'), index), 'source'),
      ...mistake,
    });
  }
  if (all === undefined || !isGood) return undefined;
  const spec = toRunner(all);
  return { spec, revision: revisionOf(revisionRecord(spec)), size: describeSize(spec.vcpus, spec.memory) };
}

/** How big a machine is, for people: `4 vCPU, 8 GiB`. */
export function describeSize(vcpus: number, memoryBytes: bigint): string {
  return `${vcpus} vCPU, ${formatSize(memoryBytes, ' ')}`;
}

function toRunner(block: Block): DicerRunner {
  return {
    image: block.image,
    command: block.command,
    vcpus: block.vcpus,
    memory: block.memory,
    disk: block.disk,
    kernel: block.kernel ?? '',
    network: block.network ?? '',
    env: block.env,
    mounts: block.mounts?.flatMap(({ all }) => (all ? [toMount(all)] : [])),
  };
}

function toMount({ type, source = '', target, read_only }: Values<typeof DICER_MOUNT_FIELDS>): DicerMount {
  return { type, source, target, readOnly: read_only };
}

/** What the revision is the hash of. Names and order are shared with the Go daemon (docs/reference/labels.md). */
function revisionRecord(runner: DicerRunner): Record<string, unknown> {
  return {
    ImageRef: runner.image,
    Command: runner.command,
    VCPUs: runner.vcpus,
    Memory: runner.memory,
    Disk: runner.disk,
    KernelName: runner.kernel,
    NetworkName: runner.network,
    Env: runner.env ?? null,
    Mounts:
      runner.mounts?.map(({ type, source, target, readOnly }) => ({
        Type: type,
        Source: source,
        Target: target,
        ReadOnly: readOnly,
      })) ?? null,
  };
}

const DIGESTS = [
  ['sha256', 64],
  ['sha384', 96],
  ['sha512', 128],
] as const;

function checkImage(image: string): string | undefined {
  const at = image.lastIndexOf('@');
  if (at === -1) return undefined;
  const digest = image.slice(at + 1);
  const isDigest = DIGESTS.some(([name, digits]) => new RegExp(`^${name}:[0-9a-f]{${digits}}$`).test(digest));
  return isDigest
    ? undefined
    : 'must have a digest after its @, like sha256: and 64 hexadecimal digits in small letters';
}

function checkMemory(bytes: bigint): string | undefined {
  if (bytes < LEAST_MEMORY) return 'must be at least 128MiB (a number without a unit is bytes)';
  return bytes % MIB === 0n ? undefined : 'must be whole MiB';
}

/** What is wrong with a mount's source for its type. */
function checkSource({ values, wrong }: Mount): { readonly message: string; readonly hint?: string } | undefined {
  const { type, source } = values;
  if (type === undefined || wrong.has('source')) return undefined;
  switch (type) {
    case 'volume':
      return source === undefined ? { message: 'is missing', hint: "it is the volume's name" } : undefined;
    case 'file':
      if (source === undefined) return { message: 'is missing', hint: "it is the absolute path of the host's file" };
      return source.startsWith('/') ? undefined : { message: 'must be the absolute path of a file of the host' };
    case 'tmpfs':
      return source === undefined ? undefined : { message: 'does not go with tmpfs', hint: 'take it away' };
  }
}
