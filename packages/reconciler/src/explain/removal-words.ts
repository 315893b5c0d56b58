import type { LossReason, RemovalReason } from '@rungar/model';

const REMOVALS: Readonly<Record<RemovalReason, string>> = {
  job_completed: 'its job is done',
  scaled_down: 'it is not needed',
  never_connected: 'it never connected to GitHub',
  unregistered: 'GitHub no longer knows it',
  disconnected: 'it has been offline for too long',
  stuck: 'it went offline with a job and did not come back',
  outdated: 'its configuration is no longer the current one',
  expired: 'it has reached its age limit',
  requested: 'somebody asked for it',
  orphaned: 'nothing stands behind it',
};

const LOSSES: Readonly<Record<LossReason, string>> = {
  ended: 'its machine ended by itself',
  unreachable: 'its provider has not answered for too long',
};

/** Why a runner goes, in words; a reason that is not known stays as it is. */
export function reasonInWords(reason: string): string {
  const words: Readonly<Record<string, string>> = { ...REMOVALS, ...LOSSES };
  return words[reason] ?? reason.replaceAll('_', ' ');
}
