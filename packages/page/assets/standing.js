// How the daemon itself stands: beside another one, and with GitHub.
import { byId, setAttribute, setText } from './elements.js';
import { clock, number, wholeInstant } from './words.js';

/** @import { DaemonView } from '../src/view/view.js' */

/** Below this share of what may be asked, and this long before a token ends that nobody renews, it is said in red. */
const SCARCE = 0.1;
const SOON_MS = 14 * 24 * 3_600_000;

/** @returns {(daemon: DaemonView, now: number) => void} */
export function standingLine() {
  const line = byId('standing');
  return (daemon, now) => {
    setText(line, inWords(daemon));
    setAttribute(line, 'class', isUrgent(daemon, now) ? 'note bad' : 'note');
  };
}

/** @param {DaemonView} daemon */
function inWords({ role, machineHours, rateLimit, tokenEndsAt, credentialEndsAt }) {
  return [
    role === 'standby' ? 'On standby: another daemon serves' : 'Active',
    `${number(machineHours)} machine-hours`,
    rateLimit &&
      `${number(rateLimit.remaining)} of ${number(rateLimit.limit)} GitHub requests left, all again at ${clock(rateLimit.resetsAt)}`,
    tokenEndsAt && `token ends at ${clock(tokenEndsAt)}, renewed before`,
    credentialEndsAt && `token ends ${wholeInstant(credentialEndsAt)}: make a new one before`,
  ]
    .filter(Boolean)
    .join(' · ');
}

/** @param {DaemonView} daemon @param {number} now */
function isUrgent({ rateLimit, credentialEndsAt }, now) {
  const scarce = rateLimit !== undefined && rateLimit.remaining < rateLimit.limit * SCARCE;
  return scarce || (credentialEndsAt !== undefined && credentialEndsAt - now < SOON_MS);
}
