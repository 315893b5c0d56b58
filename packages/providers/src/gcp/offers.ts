import type { Clock } from '@rungar/model';
import { isNotFound } from './errors.js';

/** How long it is remembered whether a zone has a machine type. */
const REMEMBERED_MS = 3_600_000;

/** Whether a zone has a machine type, as far as anybody can tell. */
export type Offers = (zone: string, machineType: string) => Promise<boolean>;

/**
 * Asks for each zone and type once an hour, however many want it at the same time. Where the answer is neither yes nor
 * no it is taken for a yes, and not kept.
 * @param ask resolves when there is one
 */
export function rememberOffers(clock: Clock, ask: (zone: string, machineType: string) => Promise<void>): Offers {
  const known = new Map<string, { readonly answer: Promise<boolean>; readonly until: number }>();
  return (zone, machineType) => {
    const key = `${zone} ${machineType}`;
    const before = known.get(key);
    if (before && before.until > clock.now()) return before.answer;
    const answer = ask(zone, machineType).then(
      () => true,
      (error: unknown) => {
        if (isNotFound(error)) return false;
        known.delete(key);
        return true;
      },
    );
    known.set(key, { answer, until: clock.now() + REMEMBERED_MS });
    return answer;
  };
}
