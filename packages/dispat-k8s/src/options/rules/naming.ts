import { createHash } from 'node:crypto';
import { nodeNameFault, nodeNames, type Platform, type Pool } from '../../pool.js';
import { DNS_LABEL, fits, refuse, shown, textOf } from '../forms.js';
import type { Gathered } from '../gather.js';

export interface Naming {
  readonly name: string;
  readonly pools: readonly [Pool, ...Pool[]];
  readonly namespace: string;
  readonly runId?: string;
}

/** Many nodes are many probes and many pollers of one repository. */
const MANY_NODES = 50;

/** What the pools and their nodes are called, and how many there are. */
export function readNaming(gathered: Gathered): Naming {
  const runId = readRunId(gathered);
  const name = textOf(gathered, 'name', { ...DNS_LABEL, longest: 253, code: 'NAME_INVALID' }, 'dispat-workers');
  const wanted = readPlatforms(gathered);
  const prefix = readPrefix(gathered);
  const pools = wanted.map(({ platform, count }) => {
    const suffix = wanted.length > 1 ? suffixOf(platform) : '';
    const poolName = suffix === '' ? name : `${name}-${suffix}`;
    const run = runId === undefined ? '' : `-${runId}`;
    const perRun = gathered.input.namePerRun === true && runId !== undefined ? `${runId}-` : '';
    return {
      name: poolName,
      objectName: `${poolName}${run}`,
      prefix: `${prefix}${perRun}${suffix === '' ? '' : `${suffix}-`}`,
      count,
      platform,
    };
  });
  for (const pool of pools) checkNames(gathered, pool);
  for (const pool of pools) checkBranches(gathered, pool, prefix);
  checkTogether(gathered, pools);
  const [first = UNKNOWN_POOL, ...others] = pools;
  return { name, pools: [first, ...others], namespace: readNamespace(gathered), ...(runId !== undefined && { runId }) };
}

/** Stands in for pools that could not be read; the problems already say so. */
const UNKNOWN_POOL: Pool = {
  name: 'dispat-workers',
  objectName: 'dispat-workers',
  prefix: 'w-',
  count: 1,
  platform: { os: 'linux', arch: 'amd64' },
};

function readRunId(gathered: Gathered): string | undefined {
  const { runId, runIdFrom } = gathered.input;
  if (runId !== undefined && runIdFrom !== undefined) {
    return gathered.report('runIdFrom', {
      code: 'OPTIONS_CONFLICT',
      found: 'runId as well',
      allowed: 'one of the two',
      fix: 'leave out runIdFrom',
    });
  }
  if (runIdFrom !== undefined) {
    if (runIdFrom.trim() !== '') return runIdFromText(runIdFrom);
    return gathered.report('runIdFrom', NO_VERSION);
  }
  if (gathered.input.namePerRun === true && runId === undefined) {
    gathered.report('namePerRun', {
      code: 'OPTIONS_CONFLICT',
      found: 'no run id',
      allowed: 'a run id beside it',
      fix: 'give runId, or leave out namePerRun',
    });
  }
  if (runId === undefined || isRunId(runId)) return runId;
  return gathered.report('runId', { ...NO_RUN_ID, found: shown(runId) });
}

/** What is wrong with a text that is no run id. */
export const NO_RUN_ID = {
  code: 'RUN_ID_INVALID',
  allowed: '1 to 20 lower-case letters and digits',
  fix: 'give it as runIdFrom, which makes a run id of any text',
} as const;

/** A variable of a pipeline that is not set would give every release the same run id. */
export const NO_VERSION = {
  code: 'RUN_ID_INVALID',
  found: 'an empty text',
  allowed: 'the version of this release, or another text that no other release has',
  fix: 'see that the variable it comes from is set',
} as const;

/** Whether a text can stand in names and labels as a release's id. */
export function isRunId(text: string): boolean {
  return /^[a-z0-9]{1,20}$/.test(text);
}

/**
 * A run id made from a version: what names allow of it, and six hex digits of its hash, so that two versions never
 * share one.
 */
export function runIdFromText(text: string): string {
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 6);
  const kept = text
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '')
    .slice(0, 14);
  return `${kept}${hash}`;
}

/** Go's names for architectures, as `os/arch` has them. */
export const ARCHITECTURES: readonly string[] = [
  '386',
  'amd64',
  'arm',
  'arm64',
  'loong64',
  'mips',
  'mips64',
  'mips64le',
  'mipsle',
  'ppc64',
  'ppc64le',
  'riscv64',
  's390x',
];

function readPlatforms(gathered: Gathered): { platform: Platform; count: number }[] {
  const usual = gathered.input.count ?? 4;
  const written = gathered.input.platform ?? ['linux/amd64'];
  if (written.length === 0) {
    gathered.report('platform', {
      code: 'PLATFORM_INVALID',
      found: 'none',
      allowed: 'at least one',
      fix: 'write linux/amd64',
    });
  }
  const pools: { platform: Platform; count: number }[] = [];
  for (const text of written) {
    const pool = readPlatform(gathered, text, usual);
    if (pool === undefined) continue;
    if (pools.some(({ platform }) => platform.arch === pool.platform.arch)) {
      gathered.report('platform', {
        code: 'POOLS_OVERLAP',
        found: `linux/${pool.platform.arch} twice`,
        allowed: 'each platform once, since both pools would have the same node names',
        fix: 'give one of them, with the sum of the counts',
      });
    } else pools.push(pool);
  }
  return pools;
}

function readPlatform(
  gathered: Gathered,
  text: string,
  usual: number,
): { platform: Platform; count: number } | undefined {
  const [, os = '', arch = '', own] = /^([^/=]*)\/([^/=]*)(?:=(.*))?$/.exec(text) ?? [];
  const count = own === undefined ? usual : Number(/^[1-9][0-9]{0,3}$/.test(own) ? own : Number.NaN);
  if (os === 'linux' && ARCHITECTURES.includes(arch)) {
    if (count >= 1 && count <= 1000) return { platform: { os, arch }, count };
    return gathered.report('platform', {
      code: 'COUNT_INVALID',
      found: shown(text),
      allowed: 'a whole number from 1 to 1000 after the =',
      fix: `write linux/${arch}=4`,
    });
  }
  const allowed =
    os !== '' && os !== 'linux' && arch !== ''
      ? 'linux alone: the start script needs a POSIX shell'
      : `linux/ and one of ${ARCHITECTURES.join(', ')}`;
  return gathered.report('platform', {
    code: 'PLATFORM_INVALID',
    found: shown(text),
    allowed,
    fix: 'write linux/amd64',
  });
}

/** The platform in a name: the operating system is always the same, so it is left out. */
function suffixOf({ arch }: Platform): string {
  return arch;
}

function readPrefix(gathered: Gathered): string {
  const prefix = gathered.input.prefix ?? 'w-';
  const refused = (allowed: string, fix: string): string =>
    gathered.report('prefix', { code: 'PREFIX_INVALID', found: shown(prefix), allowed, fix }) ?? 'w-';
  if (prefix === '') return refused('at least one character', 'write w-');
  if (prefix.startsWith('-'))
    return refused('no hyphen at the start, which a command line reads as a flag', 'write w-');
  const fault = nodeNameFault(`${prefix}0`);
  if (fault !== undefined)
    return refused(`a prefix that makes valid node names; this one makes a name that ${fault}`, 'write w-');
  if (/[-_.]$/.test(prefix) || gathered.input.allowBarePrefix === true) return prefix;
  return refused(
    'a prefix that ends in `-`, `_` or `.`, so that it and the index cannot run together',
    `write ${prefix}-, or allow it with allowBarePrefix`,
  );
}

/** A pod's host name is the object's name, a hyphen and the index: together a DNS label. */
function checkNames(gathered: Gathered, { objectName, count }: Pool): void {
  const sets = gathered.input.variation === 'statefulset';
  const digits = `${count - 1}`.length;
  // The revision's hash goes into a label with a StatefulSet's name; the random part of `generateName` has six.
  const longest = sets ? 52 : 63 - 1 - digits - (gathered.input.generateName === true ? 6 : 0);
  if (objectName.length <= longest) return;
  const ends = sets ? 'a StatefulSet adds a hash of 11' : `the name of its last pod has ${1 + digits} more`;
  gathered.report('name', {
    code: 'NAME_TOO_LONG',
    found: `${objectName}, ${objectName.length} characters`,
    allowed: `at most ${longest} for ${count} workers (${ends})`,
    fix: `shorten it by ${objectName.length - longest}`,
  });
}

/**
 * What git takes of a branch's name in one piece: a file's name has 255 bytes, and while a branch is written its file
 * is beside it with five more.
 */
const LONGEST_BRANCH = 255 - '.lock'.length;

/** Around the node's name in its longest branch: who it is for, and then the day, the kind and 32 hex digits. */
const AROUND_NODE = `dispat-worker--20260820-snapshot-${'0'.repeat(32)}`.length;

function checkBranches(gathered: Gathered, pool: Pool, prefix: string): void {
  const digits = `${pool.count - 1}`.length;
  const over = AROUND_NODE + pool.prefix.length + digits - LONGEST_BRANCH;
  if (over <= 0) return;
  gathered.report('prefix', {
    code: 'PREFIX_INVALID',
    found: `${prefix.length} characters, which make branches of ${LONGEST_BRANCH + over}`,
    allowed: `at most ${Math.max(1, prefix.length - over)} for ${pool.count} workers: git keeps a branch as a file, whose name it could not write`,
    fix: `shorten it by ${over}`,
  });
}

function checkTogether(gathered: Gathered, pools: readonly Pool[]): void {
  const names = pools.flatMap(nodeNames);
  if (names.length > MANY_NODES) {
    gathered.report('count', {
      code: 'OPTION_QUESTIONABLE',
      severity: 'warning',
      found: `${names.length} workers`,
      allowed: `any number, but each is one probe and one poller of the mailbox: above ${MANY_NODES} the Git host notices`,
      fix: 'see with `size` what the plan can use',
    });
  }
  const all = new Set(names.map((name) => name.toLowerCase()));
  if (all.size < names.length) {
    gathered.report('prefix', {
      code: 'POOLS_OVERLAP',
      found: 'two nodes of one name, letter case aside',
      allowed: 'distinct names over all pools',
      fix: 'choose another prefix',
    });
  }
  const longer = names.find((name) => beginsWithAnother(name.toLowerCase(), all));
  if (longer !== undefined) {
    gathered.report('prefix', {
      code: 'OPTION_QUESTIONABLE',
      severity: 'info',
      found: `${longer}, which begins with another node's name and a hyphen`,
      allowed: "it is harmless: dispat lists the other node's branches too",
      fix: 'choose another prefix if that is unwanted',
    });
  }
}

function beginsWithAnother(name: string, all: ReadonlySet<string>): boolean {
  for (let at = name.indexOf('-'); at !== -1; at = name.indexOf('-', at + 1))
    if (all.has(name.slice(0, at))) return true;
  return false;
}

const SHARED_NAMESPACES = new Set(['default', 'kube-system', 'kube-public', 'kube-node-lease']);

function readNamespace(gathered: Gathered): string {
  const namespace = gathered.input.namespace ?? 'release';
  if (!fits(namespace, DNS_LABEL))
    return refuse(gathered, 'namespace', { ...DNS_LABEL, code: 'NAME_INVALID' }, namespace) ?? 'release';
  if (SHARED_NAMESPACES.has(namespace)) {
    gathered.report('namespace', {
      code: 'NAMESPACE_SHARED',
      found: namespace,
      allowed: "a namespace of the workers' own: a pod there runs whatever the holders of the signing secret order",
      fix: 'write release',
    });
  }
  return namespace;
}
