import type { Settings } from '@rungar/config';
import type { GitHubStanding } from '@rungar/github';
import { type Located, roundedDuration, systemClock, systemRandom } from '@rungar/model';
import type { World } from '../command.js';
import { askOnline } from '../commands/validate-online.js';
import type { Finding as OnlineFinding } from '../commands/validate-report.js';
import { plural } from '../output/words.js';
import { type Finding, fine, warning, wrong } from './finding.js';

const DAY_MS = 24 * 3_600_000;
/** A token that ends sooner is to be renewed by somebody. */
const SOON_MS = 14 * DAY_MS;
/** Below this share the budget may not last for what is to be asked. */
const SCARCE = 0.1;

/** Asks GitHub and every provider, changing nothing, and tells of each whether all is well. */
export async function checkOnline(
  settings: Settings,
  root: Located,
  { env, signal }: World,
): Promise<readonly Finding[]> {
  let standing: GitHubStanding = {};
  const onStanding = (found: GitHubStanding): void => {
    standing = found;
  };
  const found = await askOnline({ settings, root, clock: systemClock, random: systemRandom, env, signal, onStanding });
  const github = found.filter(({ path }) => !path.startsWith('providers')).map((one) => toFinding('github', one));
  const ofProvider = (index: number): readonly Finding[] =>
    found.filter(({ path }) => path.startsWith(`providers[${index}]`)).map((one) => toFinding('provider', one));
  return [
    ...orFine(github, () => {
      const asked = plural(settings.scaleSets.length, 'scale set');
      return fine('github', `the credential works for ${settings.github.url}; ${asked} looked up`);
    }),
    ...standingFindings(standing),
    ...settings.providers.flatMap(({ name, type }, index) =>
      orFine(ofProvider(index), () => fine('provider', `${name} (${type}) answers, and what is named is there`)),
    ),
  ];
}

function orFine(findings: readonly Finding[], otherwise: () => Finding): readonly Finding[] {
  return findings.length > 0 ? findings : [otherwise()];
}

function toFinding(area: 'github' | 'provider', { kind, severity, path, message, hint = '' }: OnlineFinding): Finding {
  const text = `${path}: ${message}`;
  // Whoever does not answer is not well, whatever a check of the file makes of it.
  return severity === 'error' || kind === 'unreachable'
    ? wrong(area, text, hint || 'See whether it can be reached from here, and through which proxy.')
    : warning(area, text, hint || 'Check this key of the configuration.');
}

function standingFindings({ rateLimit, credentialExpiresInMs: left }: GitHubStanding): readonly Finding[] {
  const findings: Finding[] = [];
  if (rateLimit) {
    const { remaining, limit, resetsInMs } = rateLimit;
    const said = `${remaining} of ${limit} requests are left for ${roundedDuration(resetsInMs)}`;
    const scarce = remaining < limit * SCARCE;
    const hint = 'See who else uses this credential: what it may ask in an hour is shared.';
    findings.push(scarce ? warning('github', said, hint) : fine('github', said));
  }
  if (left !== undefined) {
    const said = `the token expires in ${Math.floor(left / DAY_MS)} days`;
    const hint = 'Make another one and put it in its place; then `rungar reload`.';
    findings.push(left < SOON_MS ? warning('github', said, hint) : fine('github', said));
  }
  return findings;
}
