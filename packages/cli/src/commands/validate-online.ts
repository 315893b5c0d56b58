import { hideCredentials, type ProviderSettings, type Settings, type Spot, spotOfFinding } from '@rungar/config';
import type { GitHubStanding } from '@rungar/github';
import {
  type Clock,
  createRedactor,
  isRungarError,
  type Located,
  limitTime,
  messageOf,
  type Problem,
  quoted,
  type Random,
  type Redactor,
  RungarError,
  type RunnerToCheck,
  silentLogger,
} from '@rungar/model';
import { askGitHub } from './validate-github.js';
import type { Finding } from './validate-report.js';

/** How long one of those asked may take altogether. */
const LIMIT_MS = 60_000;

export interface OnlineOptions {
  readonly settings: Settings;
  /** The file as written, to point into it. */
  readonly root: Located;
  readonly clock: Clock;
  readonly random: Random;
  /** Names proxies. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
  /** Told how the client stands with GitHub once it has asked. */
  onStanding?(standing: GitHubStanding): void;
}

/** What whoever is asked needs. */
export interface Asking extends OnlineOptions {
  readonly redactor: Redactor;
}

/**
 * Asks GitHub and every provider at once, changing nothing, whether the credentials work and whether what the
 * configuration names is there.
 * @returns what is wrong, with the key at fault; whoever does not answer is a warning of its own
 * @throws the signal's reason when it aborts
 */
export async function askOnline(options: OnlineOptions): Promise<readonly Finding[]> {
  const asking: Asking = { ...options, redactor: createRedactor() };
  const { root, settings } = options;
  const asked = await Promise.all([
    withLimit('GitHub', spotOf(root, 'github'), asking, askGitHub),
    ...settings.providers.map((provider) =>
      withLimit(`the provider ${quoted(provider.name)}`, spotOfFinding(root, provider.name, {}), asking, (each) =>
        askProvider(provider, each),
      ),
    ),
  ]);
  return once(asked.flat().map((finding) => redacted(finding, asking.redactor)));
}

async function askProvider(provider: ProviderSettings, asking: Asking): Promise<readonly Finding[]> {
  const { settings, root, clock, random, redactor, env, signal } = asking;
  const { name, configured, type } = provider;
  if (configured.checkOnline === undefined) {
    const message = `was not asked: there is no such check for the type ${type}`;
    return [{ severity: 'warning', kind: 'online', ...spotOfFinding(root, name, {}), message }];
  }
  const runners: RunnerToCheck[] = settings.scaleSets.flatMap((scaleSet) =>
    scaleSet.providers.filter((each) => each.name === name).map(({ spec }) => ({ scaleSet: scaleSet.name, spec })),
  );
  const context = { name, clock, random, logger: silentLogger, redactor, environment: env };
  const findings = await configured.checkOnline(runners, context, { signal });
  return findings.map(({ severity, message, hint, ...about }) => ({
    severity,
    kind: 'online',
    ...spotOfFinding(root, name, about),
    message: `${message}, on provider ${quoted(name)}`,
    ...(hint !== undefined && { hint }),
  }));
}

/** Whoever does not answer, or not in time, is said as such, and holds up nobody else. */
async function withLimit(
  who: string,
  spot: Spot,
  asking: Asking,
  ask: (asking: Asking) => Promise<readonly Finding[]>,
): Promise<readonly Finding[]> {
  const tooLong = (): Error => new RungarError('unavailable', `no answer within ${LIMIT_MS / 1000} s`);
  const limit = limitTime(asking.clock, LIMIT_MS, tooLong, asking.signal);
  try {
    return await ask({ ...asking, signal: limit.signal });
  } catch (error) {
    asking.signal.throwIfAborted();
    const hint = isRungarError(error) ? error.hint : undefined;
    const message = `${who} could not be asked: ${messageOf(error)}`;
    return [{ severity: 'warning', kind: 'unreachable', ...spot, message, ...(hint !== undefined && { hint }) }];
  } finally {
    limit[Symbol.dispose]();
  }
}

function spotOf(root: Located, key: string): Spot {
  const entry = root.kind === 'map' ? root.entries.find((each) => each.key === key) : undefined;
  return { place: entry?.keyPlace ?? root.place, path: key };
}

/** Scale sets may share what is wrong: a runner block of their provider. */
function once(findings: readonly Finding[]): readonly Finding[] {
  const seen = new Set<string>();
  return findings.filter(({ place, message }) => {
    const identity = `${place.line}:${place.column}:${message}`;
    return !seen.has(identity) && seen.add(identity);
  });
}

/** GitHub and the backends may repeat what they were sent. */
function redacted(finding: Finding, redactor: Redactor): Finding {
  const { message, hint } = finding;
  const problem: Problem = {
    ...finding,
    message: redactor.redact(message),
    ...(hint !== undefined && { hint: redactor.redact(hint) }),
  };
  return { ...hideCredentials(problem), kind: finding.kind };
}
