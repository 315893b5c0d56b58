import { didYouMean } from '@rungar/model';
import { version } from '../build-info.js';
import type { Args, Command, World } from '../command.js';
import { EXIT } from '../exit.js';
import { type NamedText, readInput, writeResult } from '../files.js';
import { FlagReader } from '../flag-reader.js';
import { collected, ProblemList } from '../problems.js';
import { type CheckInput, check, reaches } from './check.js';
import { readManifests } from './manifest-files.js';
import { checkJson } from './report/json.js';
import type { CheckReport } from './report/model.js';
import { checkSarif } from './report/sarif.js';
import { checkText } from './report/text.js';
import { SEVERITIES, type Severity } from './rule.js';
import { rules } from './rules/index.js';

const WIDEST = 100;

/** Does `check`: reads its inputs, checks them and writes the report. */
export async function runCheck(args: Args, world: World, command: Command): Promise<number> {
  const problems = new ProblemList();
  const flags = await FlagReader.open(args, command, world, problems);
  const failOn = flags.choice('fail-on', [...SEVERITIES, 'never']) ?? 'error';
  const surroundings = await readSurroundings(flags, problems, world);
  // A cluster is asked when nothing else is wrong.
  if (flags.isSet('live')) problems.throwIfAny();
  const manifests = await collected(problems, () => manifestsFor(flags, args, world));
  const report = manifests && (await collected(problems, () => check({ ...surroundings, ...manifests })));
  problems.throwIfAny();
  if (report === undefined) throw new TypeError('a check that was refused without a problem');
  await writeResult(formatted(report, args, world), args, world);
  return reaches(report, failOn) ? EXIT.found : EXIT.done;
}

/** All that a check is told beside the manifests. */
async function readSurroundings(
  flags: FlagReader,
  problems: ProblemList,
  world: World,
): Promise<Omit<CheckInput, 'manifests' | 'unlisted'>> {
  const optional = async (name: string): Promise<NamedText | undefined> => {
    const file = flags.text(name);
    return file === undefined ? undefined : collected(problems, () => readInput(file, world));
  };
  const [dispatConfig, plan, durations, imageContents] = [
    await optional('dispat-config'),
    await optional('plan'),
    await optional('durations'),
    await optional('image-contents'),
  ];
  const machineCpu = flags.text('machine-cpu');
  const machines = flags.whole('machines', 1);
  const releaseRemote = flags.text('release-remote');
  const kube = flags.text('kube');
  return {
    workers: flags.texts('worker'),
    releaseSecrets: flags.texts('release-secret'),
    buildSecrets: flags.texts('build-secret'),
    spotLabels: flags.texts('spot-label'),
    karpenter: flags.isSet('karpenter'),
    policyElsewhere: flags.isSet('policy-elsewhere'),
    refsProtected: flags.isSet('refs-protected'),
    disable: flags.texts('disable').map((id) => knownRule('disable', id, problems)),
    severity: readSeverities(flags, problems),
    ...(dispatConfig && { dispatConfig }),
    ...(plan && { plan }),
    ...(durations && { durations }),
    ...(imageContents && { imageContents }),
    ...(machineCpu !== undefined && { machineCpu }),
    ...(kube !== undefined && { kube }),
    ...(machines !== undefined && { machines }),
    ...(releaseRemote !== undefined && { releaseRemote }),
  };
}

async function manifestsFor(
  flags: FlagReader,
  args: Args,
  world: World,
): Promise<Pick<CheckInput, 'manifests' | 'unlisted'>> {
  if (!flags.isSet('live')) {
    return { manifests: await readManifests(Array.isArray(args.files) ? args.files.map(String) : [], world) };
  }
  const [{ clusterWay, connect }, { readLive }] = await Promise.all([
    import('../commands/cluster-flags.js'),
    import('./live.js'),
  ]);
  const api = await connect(clusterWay(flags), world);
  const { manifest, unlisted } = await readLive(api, flags.text('namespace') ?? 'release', world);
  return { manifests: [manifest], unlisted };
}

function readSeverities(flags: FlagReader, problems: ProblemList): Readonly<Record<string, Severity>> {
  const severities: Record<string, Severity> = {};
  for (const [id, word] of flags.pairs('severity') ?? []) {
    const severity = SEVERITIES.find((known) => known === word);
    if (severity !== undefined) severities[knownRule('severity', id, problems)] = severity;
    else {
      problems.add({
        code: 'OPTION_INVALID',
        at: 'severity',
        found: JSON.stringify(word),
        allowed: SEVERITIES.join(' or '),
        fix: didYouMean(word, SEVERITIES) ?? `write --severity ${id}=warning`,
      });
    }
  }
  return severities;
}

/** A rule's id as it is written in the list of rules. */
function knownRule(at: string, id: string, problems: ProblemList): string {
  const known = rules.find((rule) => rule.id === id.toUpperCase());
  if (known !== undefined) return known.id;
  const ids = rules.map((rule) => rule.id);
  problems.add({
    code: 'OPTION_INVALID',
    at,
    found: JSON.stringify(id),
    allowed: 'the id of a rule, such as DWM105',
    fix: didYouMean(id, ids) ?? 'see docs/reference/dispat-worker-rules.md for all of them',
  });
  return id;
}

function formatted(report: CheckReport, args: Args, world: World): string {
  switch (args.format) {
    case 'json':
      return checkJson(report);
    case 'sarif':
      return checkSarif(report, rules, version());
    default: {
      const toTerminal = world.stdout.isTTY === true && (args.output === undefined || args.output === '-');
      const plain = args['no-color'] === true || (world.env.NO_COLOR ?? '') !== '';
      return checkText(report, {
        width: Math.min(world.stdout.columns ?? 80, WIDEST),
        colour: toTerminal && !plain,
        quiet: args.quiet === true,
      });
    }
  }
}
