import { revisionOf } from '@rungar/labels';
import {
  field,
  type LocatedMap,
  type ParsedRunner,
  type Place,
  type ProblemSink,
  readMapping,
  type Values,
} from '@rungar/model';
import { addMistakes, type Mistake } from '../shared/mistakes.js';
import { DEFAULT_STARTUP_SCRIPT } from './default-startup-script.js';
import { lastSegment, parseTemplate } from './names.js';
import type { GcpRunner } from './settings.js';

const GIB = 1024n ** 3n;
const LEAST_DISK = 10n * GIB;
const DEFAULT_DISK_SIZE = 50n * GIB;
const DEFAULT_DISK_TYPE = 'pd-balanced';
const STARTUP_SCRIPT = 'startup-script';

/** The keys of a `gcp` runner block (docs/providers/gcp.md). */
export const GCP_RUNNER_FIELDS = {
  machine_type: field.list(
    field.text({
      describe: 'a machine type',
      pattern: /^[a-z][a-z0-9-]*[a-z0-9]$/,
      want: 'must be a machine type like e2-standard-4',
    }),
    {
      describe: 'the machine type, or several to try in this order; required without an instance template',
      alsoOne: true,
      unique: true,
      default: [],
    },
  ),
  image: field.text({
    describe:
      'the image, by name, or by path such as projects/P/global/images/family/F; required without an instance template',
  }),
  disk_size: field.size({
    describe: 'the size of the boot disk; 50GiB unless set, or what the instance template says',
    rule: 'whole GiB, at least 10GiB',
    check: checkDiskSize,
  }),
  disk_type: field.text({
    describe: 'the type of the boot disk; pd-balanced unless set, or what the instance template says',
  }),
  instance_template: field.text({
    describe: 'an instance template, by name or path, that gives whatever is not set here',
  }),
  spot: field.boolean({ describe: 'whether to use spot capacity', default: false }),
  network_tags: field.list(field.text({ describe: 'a network tag' }), {
    describe: 'network tags of the instance, for firewall rules and routes',
    keepEmpty: true,
  }),
  labels: field.textMap({
    describe: 'further labels of the instance and its disks',
    rule: 'at most 63 of a-z, 0-9, _ and -; no key begins with rungar_',
    checkKey: checkLabelKey,
    checkValue: (value) => (/^[a-z0-9_-]{0,63}$/.test(value) ? undefined : 'must be at most 63 of a-z, 0-9, _ and -'),
  }),
  metadata: field.textMap({
    describe: 'further metadata of the instance',
    rule: 'without startup-script and keys that begin with rungar-',
    checkKey: checkMetadataKey,
  }),
  startup_script: field.text({
    describe: 'the script an instance runs when it boots, instead of our own',
    secret: true,
  }),
} as const;

type Block = Values<typeof GCP_RUNNER_FIELDS>;

/** Where a runner block is to be used. */
export interface Home {
  readonly project: string;
  readonly region: string;
}

/**
 * Reads a merged `gcp` runner block.
 * @param at where to point when the whole block is missing
 * @param home nothing when it is not known, as for an entry with problems
 * @returns nothing when it has problems, which then went to `problems`
 */
export function parseGcpRunner(
  block: LocatedMap | undefined,
  at: Place,
  path: string,
  problems: ProblemSink,
  home?: Home,
): ParsedRunner<GcpRunner> | undefined {
  const map: LocatedMap = block ?? { kind: 'map', entries: [], place: at };
  const { values, wrong, all } = readMapping(map, GCP_RUNNER_FIELDS, path, problems);
  const mistakes = [...checkTemplate(values, home), ...checkSource(values, wrong)];
  addMistakes(map, path, mistakes, problems);
  if (all === undefined || mistakes.length > 0) return undefined;
  const spec = toRunner(all);
  return { spec, revision: revisionOf(revisionRecord(spec)), size: describeSize(spec) };
}

function toRunner(block: Block): GcpRunner {
  const template = block.instance_template ?? '';
  return {
    machineTypes: block.machine_type,
    image: block.image ?? '',
    diskSize: block.disk_size ?? (template === '' ? DEFAULT_DISK_SIZE : 0n),
    diskType: block.disk_type ?? (template === '' ? DEFAULT_DISK_TYPE : ''),
    instanceTemplate: template,
    spot: block.spot,
    networkTags: block.network_tags,
    labels: block.labels,
    metadata: block.metadata,
    startupScript: block.startup_script ?? DEFAULT_STARTUP_SCRIPT,
  };
}

/** What the revision is the hash of. Names and order are shared with the Go daemon (docs/reference/labels.md). */
function revisionRecord(runner: GcpRunner): Record<string, unknown> {
  const [first = '', ...others] = runner.machineTypes;
  return {
    MachineType: others.length === 0 ? first : runner.machineTypes,
    Image: runner.image,
    DiskSize: runner.diskSize,
    DiskType: runner.diskType,
    InstanceTemplate: runner.instanceTemplate || undefined,
    Spot: runner.spot,
    NetworkTags: runner.networkTags ?? null,
    Labels: runner.labels ?? null,
    Metadata: runner.metadata ?? null,
    StartupScript: runner.startupScript,
  };
}

function describeSize({ machineTypes, instanceTemplate, spot }: GcpRunner): string {
  const types = machineTypes.join(' or ');
  const template = instanceTemplate === '' ? '' : `template ${lastSegment(instanceTemplate)}`;
  const size = types !== '' && template !== '' ? `${types} from ${template}` : types || template;
  return spot ? `${size} (spot)` : size;
}

function checkTemplate({ instance_template: written }: Partial<Block>, home: Home | undefined): Mistake<keyof Block>[] {
  if (written === undefined) return [];
  const template = parseTemplate(written, home?.project ?? '');
  if (template === undefined) {
    const message =
      'must be an instance template: a name like runner-gpu, projects/P/global/instanceTemplates/N or ' +
      'projects/P/regions/R/instanceTemplates/N';
    return [{ key: 'instance_template', message }];
  }
  if (template.region === undefined || home === undefined || template.region === home.region) return [];
  const message = `is a template of ${template.region}, but the provider's zones are in ${home.region}`;
  return [{ key: 'instance_template', message, hint: `use a global template, or one of ${home.region}` }];
}

/** What the machine is made from. A key with a problem of its own is taken for unknown: nothing is held against it. */
function checkSource(block: Partial<Block>, wrong: ReadonlySet<string>): Mistake<keyof Block>[] {
  if (wrong.has('instance_template')) return [];
  const mistakes: Mistake<keyof Block>[] = [];
  if (block.instance_template === undefined) {
    const hint = 'set it, or an instance_template that gives it';
    if (block.machine_type?.length === 0 && !wrong.has('machine_type')) {
      mistakes.push({ key: 'machine_type', message: 'is missing', hint });
    }
    if (block.image === undefined && !wrong.has('image')) mistakes.push({ key: 'image', message: 'is missing', hint });
    return mistakes;
  }
  for (const key of ['image', 'disk_size', 'disk_type'] as const) {
    if (block[key] === undefined) continue;
    const message = 'must not be set beside instance_template, which gives the boot disk';
    mistakes.push({ key, message, hint: 'clear this key with null' });
  }
  return mistakes;
}

function checkDiskSize(bytes: bigint): string | undefined {
  return bytes >= LEAST_DISK && bytes % GIB === 0n ? undefined : 'must be whole GiB, at least 10GiB';
}

function checkLabelKey(key: string): string | undefined {
  if (!/^[a-z][a-z0-9_-]{0,62}$/.test(key)) {
    return 'must be a lower-case letter, then at most 62 of a-z, 0-9, _ and -';
  }
  return key.startsWith('rungar_') ? 'must not begin with rungar_, which is reserved' : undefined;
}

function checkMetadataKey(key: string): string | undefined {
  if (key === STARTUP_SCRIPT) return 'must not be set here: use startup_script';
  return key.startsWith('rungar-') ? 'must not begin with rungar-, which is reserved' : undefined;
}
