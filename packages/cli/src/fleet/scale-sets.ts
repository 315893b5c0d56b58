import type { GitHubScaleSetAnswer, ScaleSetAnswer } from '../control/answers.js';
import type { Session } from '../control/session.js';
import { EXIT } from '../exit.js';
import { type FormatFlags, formatOf, print } from '../output/document.js';
import { type FieldEntry, fieldLines } from '../output/fields.js';
import { type ListFlags, listOptions, listTable, sorted } from '../output/listing.js';
import { endInWords, isUrgent } from '../output/runner-versions.js';
import { unlistedNotes } from '../output/runners.js';
import { LISTED_SCALE_SET_COLUMNS, runnerCount, scaleSetStatus, sizesOf } from '../output/scale-sets.js';
import { type View, viewOf } from '../output/view.js';
import { machineTime, nextTry, plural } from '../output/words.js';
import { listRunners, namesOf, runnersSection } from './runners.js';

/** `rungar scale-sets ls`. */
export async function showScaleSets(flags: FormatFlags & ListFlags, session: Session): Promise<number> {
  const { headers, sort } = listOptions(flags, LISTED_SCALE_SET_COLUMNS);
  const answer = await session.ask('ListScaleSets');
  const view = viewOf(session.world);
  const scaleSets = sorted(answer.scale_sets ?? [], LISTED_SCALE_SET_COLUMNS, sort, view);
  const unasked = scaleSets.flatMap(({ name, github }) =>
    github?.error ? [`GitHub could not be asked about ${name}: ${view.style.red(github.error)}`] : [],
  );
  await print(
    {
      lines: (wide) => [
        ...listTable(scaleSets, LISTED_SCALE_SET_COLUMNS, { wide, headers }, view),
        ...unasked,
        ...unlistedNotes(answer, view),
      ],
      document: { ...answer, ...(answer.scale_sets && { scale_sets: scaleSets }) },
      names: namesOf(scaleSets),
    },
    formatOf(flags),
    session.world.stdout,
  );
  return EXIT.done;
}

/** `rungar scale-sets inspect`. @param group the runner group to look in; the configured one unless given */
export async function inspectScaleSet(
  { name, group }: { readonly name: string; readonly group?: string },
  flags: FormatFlags,
  session: Session,
): Promise<number> {
  const [scaleSet, runners] = await Promise.all([
    session.ask('GetScaleSet', { name, ...(group !== undefined && { runner_group: group }) }),
    listRunners({ scaleSet: name }, session),
  ]);
  const view = viewOf(session.world);
  await print(
    {
      lines: (wide) => [
        ...fieldLines(fieldsOf(scaleSet, group, view), view.style),
        '',
        ...runnersSection(runners, wide, view),
      ],
      document: { runners, scale_set: scaleSet },
      names: namesOf([scaleSet]),
    },
    formatOf(flags),
    session.world.stdout,
  );
  return EXIT.done;
}

function fieldsOf(one: ScaleSetAnswer, group: string | undefined, view: View): FieldEntry[] {
  const { style, now } = view;
  const { word, note: said } = scaleSetStatus(one, style);
  const note = one.configured || one.fleet_runners ? said : 'not in the configuration';
  const status: FieldEntry = ['Status', [note ? `${word}: ${note}${nextTry(one.retry_at, now)}` : word]];
  const own: FieldEntry[] = one.configured
    ? [
        ['Name', [style.cyan(one.name ?? '')]],
        status,
        ['Providers', [placedOn(one)]],
        ['Runner', [sizesOf(one)]],
        ['Runners', [limits(one)]],
        ...scheduleField(one),
        ...roleField(one),
        ...(one.machine_hours ? [['Machines', [machineTime(one.machine_hours)]] as const] : []),
        ...versionsField(one, view),
        ...(one.priority ? [['Priority', [String(one.priority)]] as const] : []),
      ]
    : [['Name', [style.cyan(one.name ?? '')]], status, ['Runners', [String(one.fleet_runners ?? 0)]]];
  return [...own, ...githubFields(one, group, view), ['Workflows', [`runs-on: ${one.runs_on || one.name}`]]];
}

/** Which part it has among the sessions of this daemon, and since when. */
function roleField({ role = '', session_since: since }: ScaleSetAnswer): FieldEntry[] {
  if (role === '') return [];
  return [['Session', [since === undefined ? role : `${role}, since ${since}`]]];
}

/** Which versions of the runner program its runners have, and when GitHub stops giving them jobs. */
function versionsField({ runner_versions: uses = [] }: ScaleSetAnswer, { style, now }: View): FieldEntry[] {
  if (uses.length === 0) return [];
  const said = uses.map((use) => {
    const text = [`${use.version} (${plural(use.runners ?? 0, 'runner')})`, endInWords(use)].filter(Boolean).join(', ');
    return isUrgent(use, now) ? style.red(text) : text;
  });
  return [['Version', said]];
}

function placedOn({ providers = [], placement }: ScaleSetAnswer): string {
  return `${providers.join(', ')}${providers.length > 1 ? ` (${placement})` : ''}`;
}

function limits(one: ScaleSetAnswer): string {
  const { desired_runners: desired = 0, min_runners: min = 0, max_runners: max = 0 } = one;
  return `${runnerCount(one)}, ${desired} desired, at least ${min}, at most ${max}`;
}

function scheduleField({ schedule, configured_min_runners: otherwise = 0 }: ScaleSetAnswer): FieldEntry[] {
  if (schedule === undefined) return [];
  const windows = (schedule.windows ?? []).map(
    ({ days, from, to, min_runners: min = 0, in_force: inForce }) =>
      `${days} ${from}-${to}, at least ${min}${inForce ? ' (in force)' : ''}`,
  );
  return [['Schedule', [schedule.time_zone ?? '-', ...windows, `otherwise, at least ${otherwise}`]]];
}

function githubFields(one: ScaleSetAnswer, group: string | undefined, { style }: View): FieldEntry[] {
  const { github = {} } = one;
  if (github.error) return [['GitHub', [`could not be asked: ${style.red(github.error)}`]]];
  if (!github.found) {
    return [['GitHub', [`has none of that name in the runner group ${group ?? (one.runner_group || 'Default')}`]]];
  }
  return [
    ['ID', [github.id ?? '-']],
    ['Group', [github.runner_group ?? '-']],
    ['Labels', [style.cyan((github.labels ?? []).join(', '))]],
    ['Created', [github.create_time ?? '-']],
    ...statisticsFields(github),
  ];
}

function statisticsFields({ statistics }: GitHubScaleSetAnswer): FieldEntry[] {
  if (statistics === undefined) return [];
  const { assigned_jobs: assigned = 0, running_jobs: running = 0 } = statistics;
  const { registered_runners: registered = 0, busy_runners: busy = 0, idle_runners: idle = 0 } = statistics;
  return [
    ['Jobs', [`${assigned} assigned, ${running} running`]],
    ['On GitHub', [`${plural(registered, 'runner')} registered, ${busy} busy, ${idle} idle`]],
  ];
}
