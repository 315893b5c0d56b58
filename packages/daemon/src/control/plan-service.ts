import type { MessageInitShape } from '@bufbuild/protobuf';
import { type ConfigChange, diffConfigs, formatProblem, parseConfig, type Settings } from '@rungar/config';
import { type Clock, type Located, nearest, type ProviderType, RungarError } from '@rungar/model';
import type { Reconciler } from '@rungar/reconciler';
import type { PlanRequest, PlanResponseSchema, ScaleSetPlanSchema } from '../../gen/rungar/v1/rungar_pb.js';
import { toConfigurationChange, toPlan, toRemovedPlan } from './plan-messages.js';

/** The configuration a daemon runs with, as it was read, and what another one can be read by. */
export interface RunningConfig {
  readonly settings: Settings;
  readonly root: Located;
  readonly types: readonly ProviderType[];
}

export interface PlanServiceOptions {
  readonly reconciler: Reconciler;
  readonly clock: Clock;
  /** What was read last. Without it nothing can be planned under another configuration. */
  runningConfig?(): RunningConfig;
}

type Plan = MessageInitShape<typeof ScaleSetPlanSchema>;

/** Answers `Plan`. Changes nothing. */
export async function answerPlan(
  request: PlanRequest,
  options: PlanServiceOptions,
): Promise<MessageInitShape<typeof PlanResponseSchema>> {
  const { reconciler } = options;
  const next = request.config === '' ? undefined : readNext(request, options);
  const configured = reconciler.scaleSets().map(({ name }) => name);
  const known = next ? [...new Set([...next.settings.scaleSets.map(({ name }) => name), ...configured])] : configured;
  const wanted = request.scaleSets.length === 0 ? known : known.filter((name) => request.scaleSets.includes(name));
  throwIfUnknown(request.scaleSets, known);
  const scaleSets = await Promise.all(wanted.map((name) => planOne(name, next?.settings, options)));
  return { scaleSets, changes: (next?.changes ?? []).map(toConfigurationChange) };
}

function throwIfUnknown(asked: readonly string[], known: readonly string[]): void {
  const stranger = asked.find((name) => !known.includes(name));
  if (stranger === undefined) return;
  const near = nearest(stranger, known);
  throw new RungarError(
    'not_found',
    `there is no scale set "${stranger}"${near === undefined ? '' : ` (did you mean ${near}?)`}, only ${known.join(', ') || 'none at all'}`,
  );
}

interface NextConfig {
  readonly settings: Settings;
  readonly changes: readonly ConfigChange[];
}

/** @throws RungarError `invalid_argument` naming what is wrong with it */
function readNext({ config: text, configFile }: PlanRequest, { runningConfig }: PlanServiceOptions): NextConfig {
  const config = runningConfig?.();
  if (!config) throw new RungarError('invalid_argument', 'this daemon cannot plan under another configuration');
  const { settings, root, problems } = parseConfig(text, { file: configFile || 'config', types: config.types });
  if (!settings) {
    const [first, ...rest] = problems.filter(({ severity }) => severity === 'error');
    const more = rest.length > 0 ? ` (and ${rest.length} more problems)` : '';
    throw new RungarError('invalid_argument', `${first ? formatProblem(first) : 'it says nothing'}${more}`);
  }
  return { settings, changes: diffConfigs(config, { settings, root }) };
}

async function planOne(
  name: string,
  next: Settings | undefined,
  { reconciler, clock }: PlanServiceOptions,
): Promise<Plan> {
  const status = reconciler.scaleSets().find((one) => one.name === name);
  if (!next) return toPlan(await reconciler.plan(name), 'configured', status?.counts);
  const scaleSet = next.scaleSets.find((policy) => policy.name === name);
  if (scaleSet) {
    const plan = await reconciler.plan(name, { scaleSet, providers: next.providers });
    return toPlan(plan, status ? 'configured' : 'added', status?.counts);
  }
  if (!status) throw new RungarError('not_found', `there is no scale set "${name}" any more`);
  return toRemovedPlan(status, clock.wallNow());
}
