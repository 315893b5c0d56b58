import type { Args, Command, World } from '../command.js';
import type { Relation } from '../dispat-config/configuration.js';
import { readDispatConfiguration } from '../dispat-config/read.js';
import { EXIT } from '../exit.js';
import { type NamedText, readInput, writeResult } from '../files.js';
import { FlagReader } from '../flag-reader.js';
import { collected, inputError, ProblemList } from '../problems.js';
import { type SizeInput, sizingSteps } from './analyse.js';
import { readDurations } from './durations.js';
import { parsePlan } from './parse-plan.js';
import { sizePlot } from './plot.js';
import type { SizeReport } from './size-report.js';
import { sizeCsv, sizeText } from './size-text.js';
import { inTurns } from './steps.js';

const RELATIONS = ['none', 'build', 'publish'] as const;

/** Does `size`: reads its files, sizes the plan and writes the report. */
export async function runSize(args: Args, world: World, command: Command): Promise<number> {
  const problems = new ProblemList();
  const flags = await FlagReader.open(args, command, world, problems);
  const input = await readSizeInput(flags, world, problems);
  problems.throwIfAny();
  if (input === undefined) throw new TypeError('a plan that was refused without a problem');
  const report = await inTurns(sizingSteps(input), world.signal);
  const plot = flags.text('plot');
  const others = plot === undefined ? [] : [{ file: plot, text: sizePlot(report) }];
  await writeResult(formatted(report, args), args, world, others);
  return EXIT.done;
}

/** Nothing when there is no plan to size. */
async function readSizeInput(flags: FlagReader, world: World, problems: ProblemList): Promise<SizeInput | undefined> {
  const planFile = flags.text('plan') ?? (world.stdin.isTTY === true ? undefined : '-');
  if (planFile === undefined) {
    throw inputError({
      code: 'OPTION_MISSING',
      at: 'plan',
      found: 'no plan',
      allowed: 'a file, or standard input',
      fix: 'run `dispat status --log-format json` and pipe its output in, or name a file with --plan',
    });
  }
  const inputOf = async (file: string | undefined): Promise<NamedText | undefined> =>
    file === undefined ? undefined : collected(problems, () => readInput(file, world));
  const planText = await inputOf(planFile);
  const parsed = planText && parsePlan(planText.text, planText.name);
  for (const problem of parsed?.problems ?? []) problems.add(problem);
  const config = await inputOf(flags.text('dispat-config'));
  const durations = await inputOf(flags.text('durations'));
  const rest = {
    configuration: config && readDispatConfiguration(config.text, config.name, problems),
    durations: durations && readDurations(durations.text, durations.name, problems),
    overheadMs: flags.durationMs('overhead'),
    startDelayMs: flags.durationMs('start-delay'),
    idleTimeoutMs: flags.durationMs('idle-timeout'),
    concurrency: flags.whole('concurrency', 1, 1000),
    localSlots: flags.whole('local', 0, 1000),
    buildBudget: flags.whole('build-budget', 1),
    publishBudget: flags.whole('publish-budget', 1),
    max: flags.whole('max', 1, 100_000),
    tie: flags.choice('tie', ['plan', 'name']),
    targetGain: flags.percent('target-gain'),
    sweep: flags.isSet('sweep'),
    prepare: flags.isSet('prepare'),
    ...overridesOf(flags, problems),
  };
  return planText && parsed && { plan: parsed.plan, planFile: planText.name, ...rest };
}

function overridesOf(flags: FlagReader, problems: ProblemList): Pick<SizeInput, 'relations' | 'repositories'> {
  const relations = new Map<string, Relation>();
  for (const [name, word] of flags.pairs('relation') ?? []) {
    const relation = RELATIONS.find((known) => known === word);
    if (relation !== undefined) relations.set(name, relation);
    else {
      problems.add({
        code: 'OPTION_INVALID',
        at: 'relation',
        found: `${name}=${word}`,
        allowed: `a package or space, = and one of ${RELATIONS.join(', ')}`,
        fix: `write --relation ${name}=build`,
      });
    }
  }
  const repositories = flags.pairs('repository');
  return { ...(relations.size > 0 && { relations }), ...(repositories && { repositories }) };
}

function formatted(report: SizeReport, args: Args): string {
  if (args.format === 'json') return `${JSON.stringify(report, null, 2)}\n`;
  return args.format === 'csv' ? sizeCsv(report) : sizeText(report, { quiet: args.quiet === true });
}
