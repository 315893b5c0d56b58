import { check, reaches } from '../check/check.js';
import { checkJson } from '../check/report/json.js';
import { checkText } from '../check/report/text.js';
import { apply } from '../cluster/apply.js';
import type { Until } from '../cluster/readiness.js';
import { applyText } from '../cluster/report/apply-text.js';
import { waitText } from '../cluster/report/wait-text.js';
import { secretsOf } from '../cluster/secrets.js';
import type { PoolTarget } from '../cluster/workloads.js';
import type { Args, Command, World } from '../command.js';
import { EXIT } from '../exit.js';
import { readInput, writeResult } from '../files.js';
import type { FlagReader } from '../flag-reader.js';
import { generatePool, linksOfPool } from '../generate/generate.js';
import { manifestsJson } from '../generate/manifests.js';
import type { KubeObject, PoolOptions } from '../pool.js';
import { WIDTH } from '../wrap.js';
import { type ClusterWay, clusterWay, connect } from './cluster-flags.js';
import { tellNotices } from './notices.js';
import { readPoolRequest } from './pool-source.js';
import { tellStopped } from './pool-target.js';
import { waitTelling } from './wait-and-tell.js';

interface ApplyFlags {
  readonly dryRun: 'server' | 'client' | undefined;
  readonly wait: boolean;
  readonly until: Until | undefined;
  readonly limitMs: number | undefined;
  readonly replace: boolean;
  readonly forceConflicts: boolean;
  readonly updateTemplate: boolean;
  readonly check: boolean;
  readonly dispatConfig: string | undefined;
  readonly way: ClusterWay;
}

/** Generates, checks and applies a pool, and waits for it when asked. */
export async function applyAndTell(args: Args, command: Pick<Command, 'flags'>, world: World): Promise<number> {
  const { options, notices, own } = await readPoolRequest(args, command, world, readFlags);
  const { objects } = generatePool(options);
  const isJson = args.format === 'json';
  if (!isJson) tellNotices(notices, args, world);
  if (!(await passesCheck(objects, options, own, args, world))) return EXIT.found;
  const { wait, until, limitMs, dryRun, check: _, dispatConfig: __, way, ...rest } = own;
  const api = await connect(way, world);
  const target = targetOf(options);
  const { clock, signal } = world;
  const request = {
    objects,
    namespace: options.namespace,
    secrets: secretsOf(options),
    ...rest,
    ...(dryRun && { dryRun }),
  };
  try {
    const applied = await apply(request, { api, clock, signal });
    // A program reads standard error too, and finds one document there when nothing was applied.
    if (isJson) tellNotices(notices, args, world);
    if (!wait || dryRun !== undefined) {
      const text = args.format === 'json' ? `${JSON.stringify(applied, null, 2)}\n` : applyText(applied);
      await writeResult(text, args, world);
      return EXIT.done;
    }
    const waiting = { target, ...(until && { until }), ...(limitMs !== undefined && { limitMs }) };
    const { result, code } = await waitTelling(waiting, api, args, world);
    const both = { ...applied, wait: result };
    const text = args.format === 'json' ? `${JSON.stringify(both, null, 2)}\n` : applyText(applied) + waitText(result);
    await writeResult(text, args, world);
    return code;
  } catch (error) {
    if (signal.aborted) tellStopped('applying', target, world);
    throw error;
  }
}

/** What must not be applied is told instead. */
async function passesCheck(
  objects: readonly KubeObject[],
  options: PoolOptions,
  { check: isWanted, dispatConfig }: ApplyFlags,
  args: Args,
  world: World,
): Promise<boolean> {
  if (!isWanted) {
    world.stderr.write('Warning: the manifests are applied unchecked (--no-check)\n');
    return true;
  }
  const report = check({
    manifests: [{ name: 'generated manifests', text: manifestsJson(objects) }],
    ...(dispatConfig === undefined
      ? {
          workers: linksOfPool(options).map(({ name, endpoint }) =>
            endpoint === undefined ? name : `${name}=${endpoint}`,
          ),
        }
      : { dispatConfig: await readInput(dispatConfig, world) }),
    buildSecrets: options.buildSecrets,
    policyElsewhere: options.policyKind === 'none',
  });
  if (!reaches(report, 'error')) return true;
  const errors = { ...report, findings: report.findings.filter(({ severity }) => severity === 'error') };
  if (args.format === 'json') {
    world.stderr.write(checkJson(errors));
    return false;
  }
  world.stderr.write(checkText(errors, { width: WIDTH, colour: false, quiet: false }));
  world.stderr.write('Nothing was applied: mend what is above, or apply it all the same with --no-check.\n');
  return false;
}

function readFlags(flags: FlagReader): ApplyFlags {
  return {
    dryRun: flags.choice('dry-run', ['server', 'client']),
    wait: flags.isSet('wait'),
    until: flags.choice('until', ['serving', 'running']),
    limitMs: flags.durationMs('timeout', 1000),
    replace: flags.isSet('replace'),
    forceConflicts: flags.isSet('force-conflicts'),
    updateTemplate: flags.isSet('update-template'),
    check: !flags.isSet('no-check'),
    dispatConfig: flags.text('dispat-config'),
    way: clusterWay(flags),
  };
}

/** Where the pool that was applied is found again. */
function targetOf({ namespace, name, pools, runId, variation }: PoolOptions): PoolTarget {
  return {
    namespace,
    name,
    platformNames: pools.map((pool) => pool.name).filter((poolName) => poolName !== name),
    ...(runId !== undefined && { runId }),
    variation,
    prefix: pools[0].prefix,
  };
}
