import type { DispatConfiguration } from '../dispat-config/configuration.js';
import { redactEndpoint } from '../endpoint.js';
import type { ProblemList } from '../problems.js';
import type { LinkFact } from './facts.js';

/**
 * The nodes the orchestrator will know: those of its configuration, then those of its flags.
 * @returns nothing when neither names any
 */
export function readLinks(
  configuration: DispatConfiguration | undefined,
  flags: readonly string[],
  problems: ProblemList,
): readonly LinkFact[] | undefined {
  const workers = configuration?.execution?.workers?.value;
  if (workers === undefined && flags.length === 0) return undefined;
  const listed = (workers ?? []).flatMap(({ name, endpoint }): LinkFact[] =>
    name === undefined ? [] : [{ name: name.value, endpoint: endpoint?.value, written: endpoint ?? name }],
  );
  return [...listed, ...flags.flatMap((flag) => linkOf(flag, problems) ?? [])];
}

function linkOf(flag: string, problems: ProblemList): LinkFact | undefined {
  const at = flag.indexOf('=');
  const name = at === -1 ? flag : flag.slice(0, at);
  const endpoint = at === -1 ? undefined : flag.slice(at + 1);
  if (name !== '' && endpoint !== '') return { name, endpoint, written: undefined };
  return problems.add({
    code: 'OPTION_INVALID',
    at: 'worker',
    found: JSON.stringify(redactEndpoint(flag)),
    allowed: "name=endpoint, or a name alone when the mailbox is the release's remote",
    fix: 'write it like w-0=git@host:path.git',
  });
}
