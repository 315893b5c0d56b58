import type { Clock } from '@rungar/model';
import type { ScaleSetStatus } from '@rungar/reconciler';

const HOUR_MS = 3_600_000;

/** How long machines have stood since the daemon started, by scale set and provider. */
export interface MachineTime {
  /** Counts what has stood since the last time by how many runners there are now. */
  note(scaleSets: readonly Pick<ScaleSetStatus, 'name' | 'countsByProvider'>[]): void;
  /** In hours. */
  ofScaleSet(name: string): number;
  ofProvider(name: string): number;
}

/** @param onHours told what is added, in hours */
export function createMachineTime(
  clock: Clock,
  onHours: (scaleSet: string, provider: string, hours: number) => void,
): MachineTime {
  const scaleSets = new Map<string, number>();
  const providers = new Map<string, number>();
  let lastAt = clock.now();

  const add = (to: Map<string, number>, name: string, hours: number): void => {
    to.set(name, (to.get(name) ?? 0) + hours);
  };
  return {
    note(statuses) {
      const now = clock.now();
      const hours = Math.max(0, now - lastAt) / HOUR_MS;
      lastAt = now;
      for (const { name, countsByProvider = {} } of statuses) {
        for (const [provider, { starting, idle, busy }] of Object.entries(countsByProvider)) {
          const stood = (starting + idle + busy) * hours;
          if (stood === 0) continue;
          add(scaleSets, name, stood);
          add(providers, provider, stood);
          onHours(name, provider, stood);
        }
      }
    },
    ofScaleSet: (name) => scaleSets.get(name) ?? 0,
    ofProvider: (name) => providers.get(name) ?? 0,
  };
}
