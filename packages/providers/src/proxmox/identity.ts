import type { Clock } from '@rungar/model';
import { waitFor } from '../shared/within-limit.js';

const ASK_AGAIN_MS = 60 * 60_000;

type Entry = Readonly<Record<string, unknown>>;

/**
 * What a cluster says it is, whichever of its nodes is asked: its name, and the name and address of the node with the
 * lowest id. Those two stay when nodes come and go, and other clusters of the same name differ in them.
 * @param status the answer of `cluster/status`
 * @returns nothing when the answer does not tell
 */
export function identityOf(status: unknown): string | undefined {
  if (!Array.isArray(status)) return undefined;
  const entries = status as readonly Entry[];
  const name = entries.find(({ type }) => type === 'cluster')?.name ?? ''; // a host on its own is in no cluster
  const [first] = entries.filter(({ type }) => type === 'node').sort((a, b) => Number(a.nodeid) - Number(b.nodeid));
  if (typeof name !== 'string' || typeof first?.name !== 'string' || typeof first.ip !== 'string') return undefined;
  return `proxmox:${name}/${first.name}@${first.ip}`;
}

/**
 * Knows what the cluster is: it is asked at most once an hour, however many want to know, and what it said last is
 * kept where it does not say.
 * @param ask gives `cluster/status`; must not depend on any one caller
 */
export function watchIdentity(
  clock: Clock,
  ask: () => Promise<unknown>,
): (signal: AbortSignal) => Promise<string | undefined> {
  let known: string | undefined;
  let asked: { readonly until: number; readonly answer: Promise<string | undefined> } | undefined;

  const read = async (): Promise<string | undefined> => {
    try {
      known = identityOf(await ask()) ?? known;
    } catch {
      // The token may lack Sys.Audit, without which everything else still works.
    }
    return known;
  };

  return (signal) => {
    if (!asked || clock.now() >= asked.until) asked = { until: clock.now() + ASK_AGAIN_MS, answer: read() };
    return waitFor(asked.answer, signal);
  };
}
