import type { ProviderAnswer } from '../control/answers.js';
import type { Session } from '../control/session.js';
import { EXIT } from '../exit.js';
import { type FormatFlags, formatOf, print } from '../output/document.js';
import { type FieldEntry, fieldLines } from '../output/fields.js';
import { type ListFlags, listOptions, listTable, sorted } from '../output/listing.js';
import {
  LISTED_PROVIDER_COLUMNS,
  providerNotes,
  providerRunners,
  providerStatus,
  skipReason,
} from '../output/providers.js';
import { type View, viewOf } from '../output/view.js';
import { machineTime, nextTry } from '../output/words.js';
import { listRunners, namesOf, runnersSection } from './runners.js';

/** `rungar providers ls`. */
export async function showProviders(flags: FormatFlags & ListFlags, session: Session): Promise<number> {
  const { headers, sort } = listOptions(flags, LISTED_PROVIDER_COLUMNS);
  const answer = await session.ask('ListProviders');
  const view = viewOf(session.world);
  const providers = sorted(answer.providers ?? [], LISTED_PROVIDER_COLUMNS, sort, view);
  await print(
    {
      lines: (wide) => [
        ...listTable(providers, LISTED_PROVIDER_COLUMNS, { wide, headers }, view),
        ...providerNotes(providers, view),
      ],
      document: { ...answer, ...(answer.providers && { providers }) },
      names: namesOf(providers),
    },
    formatOf(flags),
    session.world.stdout,
  );
  return EXIT.done;
}

/** `rungar providers inspect`. */
export async function inspectProvider(name: string, flags: FormatFlags, session: Session): Promise<number> {
  const [provider, runners] = await Promise.all([
    session.ask('GetProvider', { name }),
    listRunners({ provider: name }, session),
  ]);
  const view = viewOf(session.world);
  await print(
    {
      lines: (wide) => [
        ...fieldLines(fieldsOf(provider, view), view.style),
        '',
        ...runnersSection(runners, wide, view),
      ],
      document: { provider, runners },
      names: namesOf([provider]),
    },
    formatOf(flags),
    session.world.stdout,
  );
  return EXIT.done;
}

function fieldsOf(one: ProviderAnswer, { style, now }: View): FieldEntry[] {
  const uses = (one.scale_sets ?? []).map(
    (use) => `${style.cyan(use.scale_set ?? '')}${use.backoff_for ? `: ${skipReason(use)}` : ''}`,
  );
  return [
    ['Name', [one.name ?? '']],
    ['Type', [one.type ?? '-']],
    ...(one.endpoint ? [['Endpoint', [one.endpoint]] as const] : []),
    ['Status', [providerStatus(one, style)]],
    ...(one.error ? [['Error', [style.red(one.error)]] as const] : []),
    ...(one.state_reason ? [['Trouble', [`${one.state_reason}${nextTry(one.retry_at, now)}`]] as const] : []),
    ['Runners', [providerRunners(one)]],
    ...(one.machine_hours ? [['Machines', [machineTime(one.machine_hours)]] as const] : []),
    ['Weight', [String(one.weight ?? 0)]],
    ['Scale sets', uses.length > 0 ? uses : [style.dim('none uses it')]],
  ];
}
