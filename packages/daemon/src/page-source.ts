import type { Redactor } from '@rungar/model';
import type { PageSource, PageStatus } from '@rungar/page';
import type { Reconciler } from '@rungar/reconciler';
import type { EventLog } from './event-log.js';

/**
 * What the page may show of a daemon: how the reconciler stands, without what backends and GitHub said of secrets, and
 * events, which hold none.
 */
export function createPageSource(
  reconciler: Pick<Reconciler, 'scaleSets' | 'providers'>,
  events: Pick<EventLog, 'read' | 'follow'>,
  redactor: Redactor,
): PageSource {
  const redact = (text: string): string => redactor.redact(text);
  return {
    status: () => withoutSecrets({ scaleSets: reconciler.scaleSets(), providers: reconciler.providers() }, redact),
    recentEvents: () => events.read({}),
    followEvents(signal) {
      const { history, follower } = events.follow({});
      return { history, coming: follower.events(signal) };
    },
  };
}

/** Only errors can hold any, and are few: to look at every text, every second, would take long. */
function withoutSecrets({ scaleSets, providers }: PageStatus, redact: (text: string) => string): PageStatus {
  return {
    scaleSets: scaleSets.map((scaleSet) => {
      const { phaseReason } = scaleSet;
      return { ...scaleSet, ...(phaseReason !== undefined && { phaseReason: redact(phaseReason) }) };
    }),
    providers: providers.map((provider) => ({
      ...provider,
      ...(provider.error !== undefined && { error: redact(provider.error) }),
      scaleSets: provider.scaleSets.map((one) => ({ ...one, refusal: redact(one.refusal) })),
      slowed: provider.slowed.map((one) => ({ ...one, why: redact(one.why) })),
      undeletable: provider.undeletable.map((one) => ({ ...one, error: redact(one.error) })),
    })),
  };
}
