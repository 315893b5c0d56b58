import type { PoolOptions } from '../pool.js';
import { type InputProblem, type ProblemCode, ProblemList } from '../problems.js';
import { heredocFault } from '../script/heredoc.js';
import { type Gathered, gather, type OptionsSource } from './gather.js';
import { readAdditions } from './rules/additions.js';
import { readMailbox } from './rules/mailbox.js';
import { readNaming } from './rules/naming.js';
import { readNetwork } from './rules/network.js';
import { readPlacement } from './rules/placement.js';
import { readResources } from './rules/resources.js';
import { readStart } from './rules/start.js';
import { readTiming } from './rules/timing.js';
import { OPTIONS, type OptionKey, type OptionRow } from './table.js';

/** Options that a pool can be made from. */
export interface CheckedOptions {
  readonly options: PoolOptions;
  /** Warnings and notes; there are no errors among them. */
  readonly notices: readonly InputProblem[];
}

/** Where the credentials of an https mailbox are mounted. */
export const CREDENTIALS_MOUNT = '/run/dispat-git';

const UNREAD = new Set<ProblemCode>(['DOCUMENT_NOT_OBJECT', 'YAML_DUPLICATE_KEY', 'YAML_INVALID']);
const MISSING = new Set<ProblemCode>(['EGRESS_MISSING', 'ENDPOINT_MISSING', 'OPTION_MISSING']);

/**
 * Reads, completes and checks a pool's options (docs/dispat-workers.md).
 * @throws InputError with every problem found
 */
export function readPoolOptions(source: OptionsSource): CheckedOptions {
  const problems = new ProblemList();
  const gathered = gather(source, problems);
  const isUnread = problems.all.some(({ code }) => UNREAD.has(code));
  const options = check(gathered);
  // A file that could not be read may well say what is missing.
  if (isUnread) problems.drop(({ code }) => MISSING.has(code));
  problems.throwIfAny();
  return { options, notices: problems.all };
}

function check(gathered: Gathered): PoolOptions {
  const { input } = gathered;
  const naming = readNaming(gathered);
  const mailbox = readMailbox(gathered);
  const start = readStart(gathered);
  const options: PoolOptions = {
    variation: input.variation ?? 'job',
    ...naming,
    createNamespace: input.createNamespace ?? true,
    ...readEnforceVersion(gathered),
    ...mailbox,
    ...readResources(
      gathered,
      naming.pools.map(({ count }) => count),
    ),
    ...readTiming(gathered),
    failureScope: input.failureScope ?? 'job',
    generateName: input.generateName ?? false,
    ...start,
    ...readAdditions(gathered, {
      secretEnv: mailbox.secretEnv,
      mounts: [
        start.workDir,
        start.stateDir,
        ...(mailbox.ssh ? [mailbox.ssh.mount] : []),
        ...(mailbox.gitCredentialSecret === undefined ? [] : [CREDENTIALS_MOUNT]),
      ],
      secrets: [
        mailbox.secretName,
        ...(mailbox.ssh ? [mailbox.ssh.secret] : []),
        ...(mailbox.gitCredentialSecret === undefined ? [] : [mailbox.gitCredentialSecret]),
      ],
    }),
    ...readNetwork(gathered, mailbox.endpoint),
    ...readPlacement(gathered),
  };
  checkMounts(gathered, options);
  checkVariation(gathered, options);
  checkScript(gathered, options);
  noteUnreadableKey(gathered, options);
  return options;
}

function readEnforceVersion(gathered: Gathered): { enforceVersion?: string } {
  const { enforceVersion } = gathered.input;
  if (enforceVersion === undefined) return {};
  if (/^(latest|v1\.[0-9]{1,3})$/.test(enforceVersion)) return { enforceVersion };
  gathered.report('enforceVersion', {
    code: 'KUBE_VERSION_INVALID',
    found: JSON.stringify(enforceVersion.slice(0, 80)),
    allowed: 'latest, or a version with its v',
    fix: 'write it like v1.32',
  });
  return {};
}

/** The pod's own mounts may not hide one another. */
function checkMounts(gathered: Gathered, { ssh, workDir, stateDir }: PoolOptions): void {
  if (ssh === undefined) return;
  const hidden = [workDir, stateDir].find(
    (folder) => `${folder}/`.startsWith(`${ssh.mount}/`) || `${ssh.mount}/`.startsWith(`${folder}/`),
  );
  if (hidden === undefined) return;
  gathered.report('sshMount', {
    code: 'MOUNT_FORBIDDEN',
    found: `${ssh.mount}, with ${hidden}`,
    allowed: 'a folder of its own, neither inside the work and state folders nor around them',
    fix: 'leave it out, which makes it /home/worker/.ssh',
  });
}

const FOR_JOBS = ['generateName', 'failureScope', 'kueueQueue', 'ttl'] as const satisfies readonly OptionKey[];
const FOR_STATEFULSETS = ['storage', 'storageClass'] as const satisfies readonly OptionKey[];

function checkVariation(gathered: Gathered, options: PoolOptions): void {
  if (options.generateName && options.configFrom === 'configmap') {
    gathered.report('generateName', {
      code: 'OPTIONS_CONFLICT',
      found: 'it, with configFrom configmap',
      allowed: 'one of the two: the ConfigMap has a name that the Job must know',
      fix: 'give a runId instead',
    });
  }
  const { input } = gathered;
  const [own, others, only] =
    options.variation === 'job'
      ? (['a Job', FOR_STATEFULSETS, 'a StatefulSet'] as const)
      : (['a StatefulSet', FOR_JOBS, 'a Job'] as const);
  for (const key of others) {
    const row: OptionRow = OPTIONS[key];
    // A default may be written out where it means nothing.
    if (input[key] === undefined || String(input[key]) === row.default) continue;
    gathered.report(key, {
      code: 'OPTIONS_CONFLICT',
      found: `it, for ${own}`,
      allowed: `it for ${only} alone`,
      fix: 'leave it out',
    });
  }
}

function checkScript(gathered: Gathered, options: PoolOptions): void {
  if (options.script !== 'documented') return;
  for (const { prefix } of options.pools) {
    const fault = heredocFault({ prefix, ...options });
    if (fault === undefined) continue;
    gathered.report(fault.key, {
      code: 'HEREDOC_UNSAFE',
      found: `the character ${JSON.stringify(fault.character)}`,
      allowed: 'letters, digits and . _ : / @ ~ + = , - in all that the documented script embeds',
      fix: 'write script safe',
    });
    return;
  }
}

/** Without a group a mounted key belongs to root, with exactly the mode it was given. */
function noteUnreadableKey(gathered: Gathered, { podSecurity, ssh, user }: PoolOptions): void {
  if (podSecurity !== 'documented' || ssh === undefined || ssh.mode === 0o444) return;
  gathered.report('podSecurity', {
    code: 'OPTION_QUESTIONABLE',
    severity: 'warning',
    found: `documented, which has no fsGroup: the key belongs to root, and user ${user?.uid ?? 'of the pod'} cannot read it`,
    allowed: 'it where the cluster adds an fsGroup',
    fix: 'leave it out, which makes it restricted',
  });
}
