import { systemRandom } from '@rungar/model';
import type { Args, Command, World } from '../command.js';
import { type ClusterWay, clusterWay, connect } from '../commands/cluster-flags.js';
import { EXIT } from '../exit.js';
import { readInput, writeResult } from '../files.js';
import { FlagReader } from '../flag-reader.js';
import { ProblemList } from '../problems.js';
import { classifyDemand, type Demand, remember, waitingBranches } from './classify.js';
import type { ClusterPort } from './cluster-port.js';
import { type DemandFlags, readDemandFlags } from './demand-flags.js';
import { demandLine, demandText } from './demand-text.js';
import { execPort } from './exec-port.js';
import { systemGit } from './git.js';
import { gitMailbox, type Mailbox } from './mailbox.js';
import { metricsText } from './metrics.js';
import { serveMetrics } from './serve-metrics.js';
import { createWatcher, type Watcher } from './watch.js';
import { fileLock, lockLifeMs } from './watch-lock.js';

/** Does `demand`: counts once, or watches until the world's signal aborts. */
export async function runDemand(args: Args, world: World, command: Pick<Command, 'flags'>): Promise<number> {
  const problems = new ProblemList();
  const reader = await FlagReader.open(args, command, world, problems);
  const flags = await readDemandFlags(reader, problems, (file) => readInput(file, world));
  const git = systemGit({ env: world.env, clock: world.clock, timeoutMs: flags.timeoutMs });
  const mailbox = gitMailbox(git, flags.endpoint);
  if (flags.watch) return watchMailbox(flags, mailbox, clusterWay(reader), args, world);
  const demand = await readDemand(flags, mailbox, world);
  await writeResult(args.format === 'json' ? `${JSON.stringify(demand, null, 2)}\n` : demandText(demand), args, world);
  return EXIT.done;
}

/** One look at a mailbox. */
async function readDemand(flags: DemandFlags, mailbox: Mailbox, { clock, signal }: World): Promise<Demand> {
  const { pools, retainedAfterMs } = flags;
  const refs = await mailbox.branches(signal);
  const now = clock.now();
  const sightings = remember(refs.branches, new Map(), now);
  const context = { now, wallNow: clock.wallNow(), pools, sightings, retainedAfterMs };
  if (!flags.inspect) return classifyDemand(refs, context);
  const tips = await mailbox.tips(waitingBranches(refs.branches, context), signal);
  return classifyDemand(refs, { ...context, tips });
}

async function watchMailbox(
  flags: DemandFlags,
  mailbox: Mailbox,
  way: ClusterWay,
  args: Args,
  world: World,
): Promise<number> {
  const port = await openPort(flags, way, world);
  const watcher = createWatcher({
    ...flags,
    known: flags.pools,
    // What `--apply` names is started; other pools are counted.
    pools: (flags.apply?.pools ?? flags.pools).flatMap(({ prefix, count }) =>
      count === undefined ? [] : [{ prefix, count }],
    ),
    mailbox,
    clock: world.clock,
    ...(port && { port }),
    onDemand: demandTeller(args, world),
    onNews: ({ level, message }) => world.stderr.write(`${level === 'warning' ? 'Warning: ' : ''}${message}\n`),
  });
  await using _server = await openMetrics(flags, watcher, world);
  await watcher.run(world.signal);
  return EXIT.done;
}

async function openMetrics({ serveMetricsAt }: DemandFlags, watcher: Watcher, world: World) {
  if (serveMetricsAt === undefined) return undefined;
  const server = await serveMetrics(serveMetricsAt, () => metricsText(watcher.view));
  world.stderr.write(`metrics at port ${server.port}, /metrics\n`);
  return server;
}

/** JSON is one line a poll; text is a line when something has changed. */
function demandTeller(args: Args, { stdout }: World): (demand: Demand) => void {
  let last = '';
  return (demand) => {
    if (args.format === 'json') {
      stdout.write(`${JSON.stringify(demand)}\n`);
      return;
    }
    const text = [demandLine(demand), ...demand.messages.map((message) => `attention: ${message}`)].join('\n');
    if (text !== last) stdout.write(`${text}\n`);
    last = text;
  };
}

async function openPort(flags: DemandFlags, way: ClusterWay, world: World): Promise<ClusterPort | undefined> {
  const { clock, env, stderr } = world;
  const { lockFile, intervalMs } = flags;
  const lock =
    lockFile === undefined
      ? undefined
      : fileLock({ file: lockFile, staleAfterMs: lockLifeMs(intervalMs), clock, random: systemRandom });
  if (flags.exec !== undefined) {
    return execPort({
      command: flags.exec,
      env,
      output: stderr.fd ?? ((text) => stderr.write(text)),
      ...(lock && { lock }),
    });
  }
  if (flags.apply === undefined) return undefined;
  const [{ watcherPort }, api] = await Promise.all([import('../cluster/watcher-port.js'), connect(way, world)]);
  const port = watcherPort(flags.apply, { api, clock, random: systemRandom, intervalMs });
  if (lock === undefined) return port;
  return { ...port, hold: (signal) => lock.hold(signal), release: () => lock.release() };
}
