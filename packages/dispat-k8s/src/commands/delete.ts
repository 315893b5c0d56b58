import type { RemoveRequest } from '../cluster/remove.js';
import type { Command, World } from '../command.js';
import { EXIT } from '../exit.js';
import type { FlagReader } from '../flag-reader.js';
import type { ProblemList } from '../problems.js';
import { CLUSTER_FLAGS, clusterWay, connect, TARGET_FLAGS } from './cluster-flags.js';

const text = (describe: string) => ({ type: 'string', requiresArg: true, describe }) as const;

/** `delete`: what this program made for a pool, or for one run of it. */
export const deleteCommand: Command = {
  name: 'delete',
  describe: 'delete what was applied for a pool, or for one run of it',
  usage: '$0 delete [options]\n\nRefuses while pods run or start. The namespace and its Secrets always stay.',
  formats: ['text', 'json'],
  flags: {
    ...TARGET_FLAGS,
    force: { type: 'boolean', describe: 'delete even while pods run or start, and lose what they do' },
    idle: { type: 'boolean', describe: 'delete while pods run or start, if the mailbox has nothing for them' },
    endpoint: text('with --idle: the mailbox repository'),
    'retained-after': text('with --idle: how long an unmoved publish still counts as running (61m)'),
    'purge-claims': text("StatefulSet: delete the claims too; the value is the pool's name, to be sure"),
    'dry-run': { type: 'boolean', describe: 'say what would be deleted' },
    timeout: text('StatefulSet: how long its pods may take to end (61m)'),
    ...CLUSTER_FLAGS,
  },
  async run(args, world) {
    const [{ readTarget, tellStopped }, { remove }, { removeText }, { writeResult }] = await Promise.all([
      import('./pool-target.js'),
      import('../cluster/remove.js'),
      import('../cluster/report/apply-text.js'),
      import('../files.js'),
    ]);
    const { target, flags, problems } = await readTarget(args, deleteCommand, world);
    const purge = flags.text('purge-claims');
    if (purge !== undefined && purge !== target.name) rejectPurge(purge, target.name, problems);
    const limitMs = flags.durationMs('timeout', 1000);
    const retainedAfterMs = flags.durationMs('retained-after') ?? retainedAfter(flags);
    const idle = flags.isSet('idle')
      ? await mailbox(flags.text('endpoint'), retainedAfterMs, world, problems)
      : undefined;
    problems.throwIfAny();
    const api = await connect(clusterWay(flags), world);
    const { clock, signal } = world;
    const request = {
      target,
      force: flags.isSet('force'),
      ...(idle && { idle }),
      purgeClaims: purge !== undefined,
      dryRun: flags.isSet('dry-run'),
      ...(limitMs !== undefined && { limitMs }),
    };
    try {
      const result = await remove(request, { api, clock, signal });
      await writeResult(
        args.format === 'json' ? `${JSON.stringify(result, null, 2)}\n` : removeText(result),
        args,
        world,
      );
      return EXIT.done;
    } catch (error) {
      if (signal.aborted) tellStopped('deleting', target, world);
      throw error;
    }
  },
};

/** The task timeout and the time to cancel, which a pool's options file may say. */
function retainedAfter(flags: FlagReader): number {
  return (flags.durationMs('task-timeout') ?? 3_600_000) + (flags.durationMs('cancel') ?? 60_000);
}

const GIT_TIMEOUT_MS = 30_000;

async function mailbox(
  endpoint: string | undefined,
  retainedAfterMs: number,
  { env, clock }: World,
  problems: ProblemList,
): Promise<RemoveRequest['idle']> {
  if (endpoint === undefined) {
    return problems.add({
      code: 'ENDPOINT_MISSING',
      at: 'endpoint',
      found: 'nothing, with --idle',
      allowed: 'the mailbox repository, which says whether the nodes are idle',
      fix: 'give --endpoint, or the options file of the pool as --config',
    });
  }
  const [{ mailboxAsker }, { systemGit }, { readEndpoint, redactEndpoint }] = await Promise.all([
    import('../cluster/ask-mailbox.js'),
    import('../demand/git.js'),
    import('../endpoint.js'),
  ]);
  const { fault } = readEndpoint(endpoint);
  if (fault) {
    const allowed = `an endpoint that dispat takes; this one ${fault.reason}`;
    return problems.add({
      code: 'ENDPOINT_INVALID',
      at: 'endpoint',
      found: redactEndpoint(endpoint),
      allowed,
      fix: 'write it as the pool has it',
    });
  }
  const git = systemGit({ env, clock, timeoutMs: GIT_TIMEOUT_MS });
  return { endpoint, ask: mailboxAsker({ git, clock, endpoint, retainedAfterMs }) };
}

function rejectPurge(given: string, name: string, problems: ProblemList): void {
  problems.add({
    code: 'OPTION_INVALID',
    at: 'purge-claims',
    found: JSON.stringify(given),
    allowed: "the pool's own name, as a confirmation",
    fix: `write --purge-claims ${name}`,
  });
}
