import type { ConfigChange } from '@rungar/config';
import type { ConfigurationChangeAnswer, PlanAnswer, PlanStepAnswer, ScaleSetPlanAnswer } from '../control/answers.js';
import { changesLines } from './config-changes.js';
import type { Style } from './style.js';
import { table } from './table.js';
import { enumWords, plural } from './words.js';
import { wrapLine } from './wrap.js';

export interface PlanView {
  readonly style: Style;
  /** The terminal's columns; unset breaks no line. */
  readonly width?: number;
}

/** What would be done and why, for people. */
export function planLines(answer: PlanAnswer, view: PlanView): readonly string[] {
  const { scale_sets: scaleSets = [], changes = [] } = answer;
  const compared = changes.length > 0 ? [...changesLines(changes.map(toConfigChange), view.style), ''] : [];
  const plans = scaleSets.map((plan) => scaleSetLines(plan, view));
  const shown = plans.length > 0 ? plans : [['no scale set is configured']];
  return [...compared, ...shown.flatMap((lines, at) => (at === 0 ? lines : ['', ...lines]))];
}

function scaleSetLines(plan: ScaleSetPlanAnswer, view: PlanView): readonly string[] {
  const { style, width } = view;
  const { reasons = [], steps = [] } = plan;
  return [
    ...wrapLine(
      `${style.bold(style.cyan(plan.scale_set ?? ''))} ${style.dim(stateOf(plan))}: ${summary(plan)}`,
      0,
      width,
    ),
    ...(plan.scaling ? wrapLine(plan.scaling.why ?? '', 2, width) : []),
    ...reasons.flatMap((reason) => wrapLine(style.yellow(reason), 2, width)),
    ...Object.entries(plan.unreachable_providers ?? {}).flatMap(([provider, why]) =>
      wrapLine(`${provider} could not be listed: ${style.red(why)}`, 2, width),
    ),
    ...(steps.length === 0 ? [`  ${style.dim('nothing to do')}`] : stepLines(steps, view)),
    ...placementLines(plan, view),
    ...outdatedLines(plan, view),
  ];
}

function stateOf({ status, phase, paused }: ScaleSetPlanAnswer): string {
  if (status === 'added' || status === 'removed') return status;
  return paused ? 'paused' : enumWords(phase, 'SCALE_SET_PHASE_').toLowerCase();
}

function summary({ scaling, status, runner_counts: counts }: ScaleSetPlanAnswer): string {
  const { starting = 0, idle = 0, busy = 0 } = counts ?? {};
  const now = plural(starting + idle + busy, 'runner');
  const parts = [busy > 0 && `${busy} busy`, starting > 0 && `${starting} starting`].filter(Boolean);
  const has = `${now}${parts.length > 0 ? ` (${parts.join(', ')})` : ''}`;
  if (status === 'removed' || !scaling) return has;
  const { target = 0, create = 0, give_back: giveBack = 0 } = scaling;
  const change = create > 0 ? `, ${create} to create` : giveBack > 0 ? `, ${giveBack} to give back` : '';
  return `${has}, target ${target}${change}`;
}

/** Steps that say the same of several runners not yet named are one line. */
function stepLines(steps: readonly PlanStepAnswer[], { style, width }: PlanView): readonly string[] {
  const groups = new Map<string, { step: PlanStepAnswer; count: number }>();
  for (const [at, step] of steps.entries()) {
    const key = step.runner ? `${at}` : JSON.stringify([step.do, step.provider, step.why]);
    const group = groups.get(key);
    if (group) group.count++;
    else groups.set(key, { step, count: 1 });
  }
  return [...groups.values()].flatMap(({ step, count }) => {
    const { runner = '', provider = '', what = '', why = '' } = step;
    const said = count > 1 ? what.replace('a runner', `${count} runners`) : what;
    const line = runner === '' ? `${said}${provider === '' ? '' : ` on ${provider}`}` : `${runner}: ${said}`;
    return [...wrapLine(`- ${line}`, 2, width), ...wrapLine(style.dim(`because ${why}`), 4, width)];
  });
}

function placementLines({ placement = [], status }: ScaleSetPlanAnswer, { style, width }: PlanView): readonly string[] {
  if (placement.length === 0 || status === 'removed') return [];
  const rows = placement.map(({ rank = 0, provider = '', runners = 0, max_runners: most = 0, verdict, why = '' }) => [
    rank === 0 ? '-' : String(rank),
    provider,
    most === 0 ? String(runners) : `${runners}/${most}`,
    verdict === 'usable' ? why : style.yellow(why),
  ]);
  const columns = [{ title: 'TRY' }, { title: 'PROVIDER' }, { title: 'RUNNERS' }, { title: 'VERDICT' }];
  return table(columns, rows, { indent: 2, header: style.bold, ...(width !== undefined && { width }) });
}

function outdatedLines({ outdated = [] }: ScaleSetPlanAnswer, { style, width }: PlanView): readonly string[] {
  if (outdated.length === 0) return [];
  const rows = outdated.map(({ runner = '', provider = '', state, old_revision: old = '', new_revision: next }) => [
    runner,
    provider,
    enumWords(state, 'RUNNER_STATE_'),
    `${old || '-'} -> ${next || 'none'}`,
    state === 'RUNNER_STATE_BUSY' ? 'ends with its job' : 'replaced in its turn',
  ]);
  const columns = ['OUTDATED', 'PROVIDER', 'STATE', 'REVISION', 'THEN'].map((title, at) => ({
    title,
    ...(at === 3 && { expendable: 1 }),
  }));
  return table(columns, rows, { indent: 2, header: style.bold, ...(width !== undefined && { width }) });
}

/** A change as the comparison of two configurations has it. */
function toConfigChange(answer: ConfigurationChangeAnswer): ConfigChange {
  const { kind, scale_set: scaleSet, provider, key = '', from, to, applies } = answer;
  const shared = {
    applies: applies === 'restart' ? ('restart' as const) : ('reload' as const),
    ...(scaleSet !== undefined && { scaleSet }),
    ...(provider !== undefined && { provider }),
  };
  switch (kind) {
    case 'runners_outdated': {
      const { old_revision: oldRevision = '', new_revision: newRevision = '', keys = [] } = answer;
      return { ...shared, kind, scaleSet: scaleSet ?? '', provider: provider ?? '', oldRevision, newRevision, keys };
    }
    case 'scale_set_added':
    case 'scale_set_removed':
    case 'provider_added':
    case 'provider_removed':
    case 'use_added':
    case 'use_removed':
      return { ...shared, kind };
    default:
      return {
        ...shared,
        kind: 'value_changed',
        key,
        ...(from !== undefined && { from }),
        ...(to !== undefined && { to }),
      };
  }
}
