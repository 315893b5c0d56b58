import type { GitHubClient, GitHubStanding } from '@rungar/github';
import type { Clock, Redactor } from '@rungar/model';
import type { ByHandFacts, GitHubFacts, PageSource, PageStatus } from '@rungar/page';
import type { Reconciler } from '@rungar/reconciler';
import type { ByHand, ByHandNote } from './by-hand/by-hand.js';
import type { EventLog } from './event-log.js';
import type { MachineTime } from './metrics/machine-time.js';
import type { RunnerVersions } from './runner-versions.js';

/** Where the page's facts come from. */
export interface PageParts {
  readonly reconciler: Pick<Reconciler, 'scaleSets' | 'providers'>;
  readonly events: Pick<EventLog, 'read' | 'follow'>;
  readonly github: Pick<GitHubClient, 'standing'>;
  readonly byHand: Pick<ByHand, 'pauseOf' | 'disablingOf'>;
  readonly machineTime: Pick<MachineTime, 'ofScaleSet' | 'ofProvider'>;
  readonly runnerVersions: Pick<RunnerVersions, 'ofScaleSet'>;
  readonly clock: Clock;
  readonly redactor: Redactor;
}

/**
 * What the page may show of a daemon: how the reconciler stands, without what backends and GitHub said of secrets, and
 * events, which hold none.
 */
export function createPageSource(parts: PageParts): PageSource {
  const { events } = parts;
  return {
    status: () => statusOf(parts),
    recentEvents: () => events.read({}),
    followEvents(signal) {
      const { history, follower } = events.follow({});
      return { history, coming: follower.events(signal) };
    },
  };
}

/** Only errors and reasons can hold secrets, and are few: to look at every text, every second, would take long. */
function statusOf({ reconciler, github, byHand, machineTime, runnerVersions, clock, redactor }: PageParts): PageStatus {
  const redact = (text: string): string => redactor.redact(text);
  const noteOf = (note: ByHandNote | undefined): ByHandFacts | undefined =>
    note && {
      ...(note.reason !== undefined && { reason: redact(note.reason) }),
      ...(note.until !== undefined && { until: note.until }),
    };
  return {
    github: gitHubFacts(github.standing(), clock.wallNow()),
    scaleSets: reconciler.scaleSets().map((scaleSet) => {
      const { name, phaseReason } = scaleSet;
      const pause = noteOf(byHand.pauseOf(name));
      return {
        ...scaleSet,
        ...(phaseReason !== undefined && { phaseReason: redact(phaseReason) }),
        ...(pause && { pause }),
        machineHours: machineTime.ofScaleSet(name),
        versions: runnerVersions.ofScaleSet(name),
      };
    }),
    providers: reconciler.providers().map((provider) => {
      const disabling = noteOf(byHand.disablingOf(provider.name));
      return {
        ...provider,
        ...(disabling && { disabling }),
        machineHours: machineTime.ofProvider(provider.name),
        ...(provider.error !== undefined && { error: redact(provider.error) }),
        scaleSets: provider.scaleSets.map((one) => ({ ...one, refusal: redact(one.refusal) })),
        slowed: provider.slowed.map((one) => ({ ...one, why: redact(one.why) })),
        undeletable: provider.undeletable.map((one) => ({ ...one, error: redact(one.error) })),
      };
    }),
  };
}

function gitHubFacts(standing: GitHubStanding, now: number): GitHubFacts {
  const { rateLimit, tokenExpiresInMs: token, credentialExpiresInMs: credential } = standing;
  return {
    ...(rateLimit && {
      rateLimit: { limit: rateLimit.limit, remaining: rateLimit.remaining, resetsAt: now + rateLimit.resetsInMs },
    }),
    ...(token !== undefined && { tokenEndsAt: now + token }),
    ...(credential !== undefined && { credentialEndsAt: now + credential }),
  };
}
