import type { RunnerAnswer, RunnersAnswer } from '../control/answers.js';
import type { Session } from '../control/session.js';
import { EXIT } from '../exit.js';
import { type FormatFlags, formatOf, print } from '../output/document.js';
import { type ListFlags, listOptions, listTable, sorted } from '../output/listing.js';
import { RUNNER_COLUMNS, unlistedNotes } from '../output/runners.js';
import { sectionTitle, type View, viewOf } from '../output/view.js';

/** Which runners are meant; what is absent does not narrow. */
export interface RunnerFilter {
  readonly scaleSet?: string;
  readonly provider?: string;
}

/** The runners the daemon finds. @throws RungarError `not_found` for a provider it does not have */
export function listRunners({ scaleSet, provider }: RunnerFilter, session: Session): Promise<RunnersAnswer> {
  return session.ask('ListRunners', {
    ...(scaleSet !== undefined && { scale_set: scaleSet }),
    ...(provider !== undefined && { provider }),
  });
}

/** `rungar runners ls`. */
export async function showRunners(
  filter: RunnerFilter,
  flags: FormatFlags & ListFlags,
  session: Session,
): Promise<number> {
  const { headers, sort } = listOptions(flags, RUNNER_COLUMNS);
  const answer = await listRunners(filter, session);
  const view = viewOf(session.world);
  const runners = sorted(answer.runners ?? [], RUNNER_COLUMNS, sort, view);
  await print(
    {
      lines: (wide) => [...listTable(runners, RUNNER_COLUMNS, { wide, headers }, view), ...unlistedNotes(answer, view)],
      document: { ...answer, ...(answer.runners && { runners }) },
      names: namesOf(runners),
    },
    formatOf(flags),
    session.world.stdout,
  );
  return EXIT.done;
}

/** The section of runners under one scale set or provider. */
export function runnersSection(answer: RunnersAnswer, wide: boolean, view: View): string[] {
  const { runners = [] } = answer;
  return [
    sectionTitle('Runners', runners.length, view),
    ...(runners.length === 0
      ? [`  ${view.style.dim('none')}`]
      : listTable(runners, RUNNER_COLUMNS, { wide, headers: true, indent: 2 }, view)),
    ...unlistedNotes(answer, view).map((note) => `  ${note}`),
  ];
}

export function namesOf(things: readonly Pick<RunnerAnswer, 'name'>[]): string[] {
  return things.map(({ name }) => name ?? '');
}
