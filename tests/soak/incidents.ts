import type { Crew } from '../simulation/crew.js';
import type { SimMachine, SimProvider } from '../simulation/provider.js';
import { between, MINUTE, note, SECOND, type World } from '../simulation/world.js';
import { configurationOf, SPOT } from './organisation.js';
import type { WatchedGitHub } from './watched-github.js';

export interface IncidentParts {
  readonly world: World;
  readonly github: WatchedGitHub;
  readonly providers: ReadonlyMap<string, SimProvider>;
  readonly crew: Crew;
  /** A machine goes because whoever owns it wants it back. */
  reclaim(machine: SimMachine): void;
}

/** Something that goes wrong, or is done, at a time of its own. */
export interface Incident {
  /** Minutes from a Monday's midnight. */
  readonly at: number;
  readonly minutes: number;
  readonly what: string;
  readonly strike: (parts: IncidentParts, ms: number) => void;
}

const DAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];

/**
 * @param time as `Mon 14:20`
 * @param minutes how long it lasts; of what is over at once, how long it may be felt
 */
export function incident(time: string, minutes: number, what: string, strike: Incident['strike']): Incident {
  const [day = '', hour = 0, minute = 0] = time.split(/[ :]/);
  const days = DAYS.indexOf(day);
  return { at: (days * 24 + Number(hour)) * 60 + Number(minute), minutes, what, strike };
}

/** What happens in a week. The daemon that starts on Tuesday lives to its end, so that what it keeps shows. */
export const WEEK: readonly Incident[] = [
  incident('Mon 14:20', 5, 'the daemon crashes', crash),
  incident('Tue 10:30', 5, 'the daemon is restarted', restart),
  incident('Tue 15:00', 60, 'the provider aws does not answer', outageOf('aws')),
  incident('Wed 09:40', 60, "GitHub's REST API is down", restOutage),
  incident('Wed 14:00', 60, 'the provider aws throttles', throttlingBy('aws')),
  incident('Thu 11:00', 30, 'GitHub is down', githubOutage),
  incident('Thu 15:30', 10, 'the configuration changes', reload),
  incident('Fri 10:00', 30, 'spot machines are taken back', reclaimWave),
  incident('Sat 03:00', 60, 'the provider gcp does not answer', outageOf('gcp')),
  incident('Sun 12:00', 10, 'the configuration changes', reload),
];

export function crash({ crew }: IncidentParts): void {
  crew.sweep();
  for (const daemon of crew.living) daemon.kill();
  crew.startSoon(20 * SECOND, 30 * SECOND);
}

export function restart({ crew }: IncidentParts): void {
  crew.sweep();
  for (const daemon of crew.living) daemon.stop();
  crew.startSoon(5 * SECOND, 10 * SECOND);
}

export function outageOf(name: string): Incident['strike'] {
  return ({ world, providers }, ms) => {
    const provider = providers.get(name);
    if (provider) provider.downUntil = world.scheduler.now + ms;
  };
}

function throttlingBy(name: string): Incident['strike'] {
  return ({ world, providers }, ms) => {
    const provider = providers.get(name);
    if (provider) provider.slowUntil = world.scheduler.now + ms;
  };
}

export function restOutage({ world, github }: IncidentParts, ms: number): void {
  github.restDownUntil = world.scheduler.now + ms;
}

export function githubOutage({ github }: IncidentParts, ms: number): void {
  github.goDown(ms);
}

export function reload({ world, crew }: IncidentParts): void {
  const changes = Number(/\d+/.exec(crew.configuration.scaleSets[0]?.providers[0]?.revision ?? '')?.[0] ?? 1);
  crew.configuration = configurationOf(changes);
  crew.sweep();
  world.scheduler.wake();
  for (const daemon of crew.living) daemon.apply(crew.configuration);
}

/** Half of the spot machines go within ten minutes, and for as long as it lasts there is no room for new ones. */
export function reclaimWave({ world, providers, reclaim }: IncidentParts, ms: number): void {
  const provider = providers.get(SPOT);
  if (!provider) return;
  provider.room = 1;
  world.scheduler.after(ms, () => {
    provider.room = 0;
  });
  for (const machine of provider.machines.values()) {
    if (world.random.fraction() < 0.5)
      world.scheduler.after(between(world, 0, Math.min(ms, 10 * MINUTE)), () => reclaim(machine));
  }
}

/** Strikes at its time. */
export function schedule(parts: IncidentParts, { at, minutes, what, strike }: Incident, start: number): void {
  const { scheduler } = parts.world;
  scheduler.after(start + at * MINUTE - scheduler.now, () => {
    note(parts.world, 'incident', what);
    scheduler.wake();
    strike(parts, minutes * MINUTE);
  });
}
