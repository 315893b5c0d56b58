import type { PageStatus } from '../source.js';
import { tenths, wholeSecond } from './rounding.js';
import type { DaemonView } from './view.js';

/** How the daemon stands: with GitHub, and beside another one. */
export function daemonView({ github, scaleSets }: PageStatus): DaemonView {
  const { rateLimit, tokenEndsAt, credentialEndsAt } = github;
  const serves = scaleSets.length === 0 || scaleSets.some(({ role }) => role !== 'standby');
  return {
    role: serves ? 'active' : 'standby',
    machineHours: tenths(scaleSets.reduce((sum, { machineHours }) => sum + machineHours, 0)),
    ...(rateLimit && { rateLimit: { ...rateLimit, resetsAt: wholeSecond(rateLimit.resetsAt) } }),
    ...(tokenEndsAt !== undefined && { tokenEndsAt: wholeSecond(tokenEndsAt) }),
    ...(credentialEndsAt !== undefined && { credentialEndsAt: wholeSecond(credentialEndsAt) }),
  };
}
