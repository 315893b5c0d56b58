import { revisionOf } from '@rungar/labels';
import {
  field,
  formatSize,
  type LocatedMap,
  memberPath,
  type ParsedRunner,
  type Place,
  type ProblemSink,
  placeOf,
  readMapping,
  type Values,
} from '@rungar/model';
import type { ProxmoxRunner } from './settings.js';

const MIB = 1024n ** 2n;
const LEAST_MEMORY = 128n * MIB;

/** The keys of a `proxmox` runner block (docs/providers/proxmox.md). */
export const PROXMOX_RUNNER_FIELDS = {
  template: field.integer({ describe: 'the template to clone, by its VMID', required: true, min: 100 }),
  cores: field.integer({ describe: 'how many cores a machine has', required: true, min: 1 }),
  memory: field.size({
    describe: 'how much memory a machine has',
    rule: 'whole MiB, at least 128MiB',
    required: true,
    check: checkMemory,
  }),
  full_clone: field.boolean({
    describe: "whether a machine's disks are copies of the template's, and not linked to them",
    default: false,
  }),
  storage: field.text({
    describe: "where a full clone's disks go; where the template's are unless set",
    rule: 'set with full_clone alone',
  }),
  pool: field.text({ describe: 'the resource pool machines are put into' }),
  jit_path: field.text({
    describe: 'where in a machine its registration is written',
    rule: 'an absolute path',
    default: '/run/rungar/jitconfig',
    check: (path) => (path.startsWith('/') ? undefined : 'must be an absolute path'),
  }),
} as const;

type Block = Values<typeof PROXMOX_RUNNER_FIELDS>;

/**
 * Reads a merged `proxmox` runner block.
 * @param at where to point when the whole block is missing
 * @returns nothing when it has problems, which then went to `problems`
 */
export function parseProxmoxRunner(
  block: LocatedMap | undefined,
  at: Place,
  path: string,
  problems: ProblemSink,
): ParsedRunner<ProxmoxRunner> | undefined {
  const map: LocatedMap = block ?? { kind: 'map', entries: [], place: at };
  const { values, wrong, all } = readMapping(map, PROXMOX_RUNNER_FIELDS, path, problems);
  const misplaced = values.storage !== undefined && values.full_clone === false && !wrong.has('full_clone');
  if (misplaced) {
    problems.add({
      severity: 'error',
      place: placeOf(map, 'storage'),
      path: memberPath(path, 'storage'),
      message: 'needs full_clone: a linked clone stays where its template is',
      hint: 'set full_clone: true, or take storage away',
    });
  }
  if (all === undefined || misplaced) return undefined;
  const spec = toRunner(all);
  return { spec, revision: revisionOf(revisionRecord(spec)), size: sizeText(spec.cores, spec.memory) };
}

/** How big a machine is, for people: `4 vCPU, 8 GiB`. */
export function sizeText(cores: number, memory: bigint): string {
  return `${cores} vCPU, ${formatSize(memory, ' ')}`;
}

/** {@link sizeText} that remembers: machines come in few sizes, and every listing has all of them. */
export function rememberSizes(): (cores: number, memory: number) => string {
  const byMemory = new Map<number, Map<number, string>>();
  return (cores, memory) => {
    let byCores = byMemory.get(memory);
    if (!byCores) {
      byCores = new Map();
      byMemory.set(memory, byCores);
    }
    let size = byCores.get(cores);
    if (size === undefined) {
      size = sizeText(cores, BigInt(memory));
      byCores.set(cores, size);
    }
    return size;
  };
}

function toRunner(block: Block): ProxmoxRunner {
  return {
    template: block.template,
    cores: block.cores,
    memory: block.memory,
    fullClone: block.full_clone,
    storage: block.storage ?? '',
    pool: block.pool ?? '',
    jitPath: block.jit_path,
  };
}

/** What the revision is the hash of. Names and order are shared with the Go daemon (docs/reference/labels.md). */
function revisionRecord(runner: ProxmoxRunner): Record<string, unknown> {
  return {
    Template: runner.template,
    Cores: runner.cores,
    Memory: runner.memory,
    FullClone: runner.fullClone,
    Storage: runner.storage,
    Pool: runner.pool,
    JITPath: runner.jitPath,
  };
}

function checkMemory(bytes: bigint): string | undefined {
  if (bytes < LEAST_MEMORY) return 'must be at least 128MiB';
  return bytes % MIB === 0n ? undefined : 'must be whole MiB';
}
