import type { GitHubClient, RunnerVersionLife } from '@rungar/github';
import { type Clock, type EventSink, type Logger, messageOf } from '@rungar/model';
import type { ScaleSetStatus } from '@rungar/reconciler';

/** A version of the runner program that runners of a scale set have. */
export interface VersionUse {
  readonly version: string;
  /** How many runners have it now. */
  readonly runners: number;
  /** When GitHub stops giving jobs to it, in epoch milliseconds; absent while it has named no day. */
  readonly endsAt?: number;
  /** Whether GitHub gives it no jobs any more. */
  readonly refused: boolean;
}

/** Which versions of the runner program there are, and when GitHub stops accepting them (docs/guides/runner-versions.md). */
export interface RunnerVersions {
  /** Looks at how many runners have which version now. */
  note(scaleSets: readonly Pick<ScaleSetStatus, 'name' | 'runnerVersions'>[]): void;
  /** Learns from events, which it is given before they are recorded: runners may come and go between two looks. */
  readonly events: EventSink;
  /** The oldest version first; without runners, those seen last. */
  ofScaleSet(name: string): readonly VersionUse[];
  /** Asks GitHub once a day about each version there is, and records an event when one ends. @throws the signal's reason */
  watch(signal: AbortSignal): Promise<never>;
}

export interface RunnerVersionsOptions {
  readonly github: Pick<GitHubClient, 'runnerVersionLife'>;
  readonly events: EventSink;
  readonly clock: Clock;
  readonly logger: Logger;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** An end that is nearer than this is warned of: enough for a new image. */
const NEAR_MS = 14 * DAY_MS;
/** A server that is asked about more versions than this in a day has a fleet of its own making. */
const MOST_VERSIONS = 20;

/** What the runner program writes as GitHub turns it away. */
const TURNED_AWAY = /Runner version v?(\d[\d.]*\d) is deprecated/;
/** The attributes of events in which a machine's own words stand. */
const WORDS = ['console', 'detail', 'error'] as const;

interface Known {
  readonly life?: RunnerVersionLife;
  readonly askAgainAt: number;
}

export function createRunnerVersions({ github, events, clock, logger }: RunnerVersionsOptions): RunnerVersions {
  const counts = new Map<string, Map<string, number>>();
  /** By scale set, the version that GitHub has turned away, until a runner connects. */
  const turnedAway = new Map<string, string>();
  const lives = new Map<string, Known>();
  const told = new Set<string>();

  const countsOf = (scaleSet: string): Map<string, number> => {
    const known = counts.get(scaleSet) ?? new Map<string, number>();
    counts.set(scaleSet, known);
    return known;
  };
  const noteOne = (scaleSet: string, version: string): void => {
    const known = countsOf(scaleSet);
    if (!known.has(version)) known.set(version, 0);
  };

  const useOf = (scaleSet: string, version: string, runners: number): VersionUse => {
    const life = lives.get(version)?.life;
    const endsAt = life?.jobsEndAt ?? life?.registrationEndsAt;
    const ended = endsAt !== undefined && endsAt <= clock.wallNow();
    const refused = ended || turnedAway.get(scaleSet) === version;
    return { version, runners, ...(endsAt !== undefined && { endsAt }), refused };
  };
  const ofScaleSet = (scaleSet: string): VersionUse[] =>
    [...(counts.get(scaleSet) ?? [])]
      .map(([version, runners]) => useOf(scaleSet, version, runners))
      .sort((a, b) => compareVersions(a.version, b.version));

  const askAbout = async (version: string, signal: AbortSignal): Promise<void> => {
    try {
      const life = await github.runnerVersionLife(version, { signal });
      lives.set(version, { ...(life && { life }), askAgainAt: clock.now() + DAY_MS });
    } catch (error) {
      signal.throwIfAborted();
      logger.debug('GitHub does not say how long it accepts a version', { version, reason: messageOf(error) });
      const before = lives.get(version)?.life;
      lives.set(version, { ...(before && { life: before }), askAgainAt: clock.now() + HOUR_MS });
    }
  };

  const tell = (scaleSet: string, { version, endsAt, refused }: VersionUse): string | undefined => {
    const near = endsAt !== undefined && endsAt - clock.wallNow() <= NEAR_MS;
    if (!refused && !near) return undefined;
    const action = refused ? 'runner_version_refused' : 'runner_version_ending';
    const key = `${action} ${version} ${scaleSet}`;
    if (told.has(key)) return key;
    const day = endsAt === undefined ? undefined : new Date(endsAt).toISOString();
    const message = refused
      ? `GitHub gives no jobs to version ${version} of the runner program, which its runners have: give them a newer one`
      : `Its runners have version ${version} of the runner program, to which GitHub gives no jobs from ${day?.slice(0, 10)} on: give them a newer one`;
    const attributes = { version, ...(day !== undefined && { ends: day }) };
    events.record({ name: scaleSet, action, scaleSet, message, attributes });
    logger.warn(refused ? 'A runner version is refused' : 'A runner version ends soon', { scaleSet, ...attributes });
    return key;
  };

  const tellAll = (): void => {
    const holds = [...counts.keys()].flatMap((scaleSet) =>
      ofScaleSet(scaleSet).flatMap((use) => tell(scaleSet, use) ?? []),
    );
    told.clear();
    for (const key of holds) told.add(key);
  };

  return {
    note(scaleSets) {
      const names = new Set(scaleSets.map(({ name }) => name));
      for (const gone of [...counts.keys()].filter((name) => !names.has(name))) counts.delete(gone);
      for (const { name, runnerVersions } of scaleSets) {
        const now = Object.entries(runnerVersions);
        const known = countsOf(name);
        if (now.length > 0) counts.set(name, new Map(now));
        else for (const version of known.keys()) known.set(version, 0);
        const refused = turnedAway.get(name);
        if (refused !== undefined) noteOne(name, refused);
      }
    },
    events: {
      record(event) {
        const { action, scaleSet, attributes = {} } = event;
        const { version } = attributes;
        if (action === 'connected' && scaleSet !== undefined) {
          turnedAway.delete(scaleSet);
          if (version !== undefined) noteOne(scaleSet, version);
        } else if (scaleSet !== undefined) {
          const refused = WORDS.map((word) => TURNED_AWAY.exec(attributes[word] ?? '')?.[1]).find(Boolean);
          if (refused !== undefined) {
            turnedAway.set(scaleSet, refused);
            noteOne(scaleSet, refused);
          }
        }
        events.record(event);
      },
    },
    ofScaleSet,
    async watch(signal) {
      for (;;) {
        const versions = new Set([...counts.values()].flatMap((known) => [...known.keys()]));
        for (const gone of [...lives.keys()].filter((version) => !versions.has(version))) lives.delete(gone);
        for (const version of [...versions].slice(0, MOST_VERSIONS)) {
          if (clock.now() >= (lives.get(version)?.askAgainAt ?? Number.NEGATIVE_INFINITY))
            await askAbout(version, signal);
        }
        tellAll();
        await clock.sleep(MINUTE_MS, signal);
      }
    },
  };
}

/** By their numbers, part by part. */
function compareVersions(a: string, b: string): number {
  const [one, other] = [a, b].map((version) => version.split('.').map(Number));
  for (let part = 0; part < Math.max(one?.length ?? 0, other?.length ?? 0); part++) {
    const difference = (one?.[part] ?? 0) - (other?.[part] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
