import { spotAt } from '@rungar/config';
import { readCredentials } from '@rungar/daemon';
import { createScaleSetService, failureOf, proxySettingsOf } from '@rungar/github';
import {
  isRungarError,
  messageOf,
  quoted,
  type RungarError,
  roundedDuration,
  type ScaleSetPolicy,
  type ScaleSetService,
} from '@rungar/model';
import type { Asking } from './validate-online.js';
import type { Finding } from './validate-report.js';

/** A clock that is further off than this is worth a word; GitHub refuses an App's word at a minute. */
const BAD_CLOCK_MS = 30_000;
/** How many scale sets are looked up at once. */
const AT_ONCE = 8;

/**
 * Asks GitHub whether the credential works for the address and may manage its runners, whether the runner groups
 * exist, and whether scale sets that exist have the labels configured. Creates and changes nothing.
 * @throws RungarError `unavailable` when GitHub does not answer
 */
export async function askGitHub(asking: Asking): Promise<readonly Finding[]> {
  const { settings, clock, random, redactor, env, signal, root } = asking;
  const { url, credentials } = settings.github;
  let aheadMs = 0;
  const github = createScaleSetService({
    url,
    credentials: await readCredentials(credentials),
    proxies: proxySettingsOf(env),
    clock,
    random,
    redactor,
    onClock: (ahead) => {
      aheadMs = ahead;
    },
  });
  try {
    const findings = await askAbout(github, asking);
    return Math.abs(aheadMs) < BAD_CLOCK_MS ? findings : [...findings, badClock(aheadMs, asking)];
  } catch (error) {
    signal.throwIfAborted();
    const about = keyAtFault(error, asking);
    if (about === undefined || !isRungarError(error)) throw error;
    return [{ ...toFinding(error), ...spotAt(root, ['github', about]) }];
  } finally {
    asking.onStanding?.(github.standing());
    await github.close();
  }
}

/** The listing proves what the credential may read, the look-ups that it may manage. */
async function askAbout(github: ScaleSetService, asking: Asking): Promise<readonly Finding[]> {
  const { settings, signal } = asking;
  const listing = github.runnerStatuses({ signal });
  const findings: Finding[] = [];
  const rest = [...settings.scaleSets.entries()];
  const work = async (): Promise<void> => {
    for (let next = rest.shift(); next !== undefined; next = rest.shift())
      findings.push(...(await askAboutScaleSet(github, next[1], next[0], asking)));
  };
  await Promise.all([listing, ...Array.from({ length: AT_ONCE }, work)]);
  return findings;
}

async function askAboutScaleSet(
  github: ScaleSetService,
  scaleSet: ScaleSetPolicy,
  index: number,
  { root, signal }: Asking,
): Promise<readonly Finding[]> {
  const { name, runnerGroup } = scaleSet;
  const at = (key: string): Pick<Finding, 'place' | 'path'> => spotAt(root, ['scale_sets', index, key]);
  const within = `, in scale set ${quoted(name)}`;
  try {
    const found = await github.findScaleSet(name, runnerGroup, { signal });
    if (found === undefined) {
      const elsewhere = await foundInDefault(github, scaleSet, signal);
      if (!elsewhere) return [];
      const message = `stands in the runner group "Default" of GitHub, and not in ${quoted(runnerGroup)}${within}`;
      const hint = 'a second one of that name will be created; move it there, or name its group';
      return [{ severity: 'warning', kind: 'online', ...at('runner_group'), message, hint }];
    }
    if (sameLabels(found.labels, scaleSet.labels)) return [];
    const message = `are ${listed(scaleSet.labels)} here and ${listed(found.labels)} on GitHub${within}`;
    const hint = 'those of an existing scale set are not changed: delete it on GitHub to have it created anew';
    return [{ severity: 'warning', kind: 'online', ...at('labels'), message, hint }];
  } catch (error) {
    signal.throwIfAborted();
    // Whatever GitHub says of the credential or the address is no matter of this scale set.
    const isAnswer = failureOf(error) === undefined && isRungarError(error) && error.code !== 'unavailable';
    if (!isAnswer) throw error;
    const finding = toFinding(error);
    return [{ ...finding, ...at('runner_group'), message: `${finding.message}${within}` }];
  }
}

async function foundInDefault(
  github: ScaleSetService,
  { name, runnerGroup }: ScaleSetPolicy,
  signal: AbortSignal,
): Promise<boolean> {
  if (runnerGroup.toLowerCase() === 'default') return false;
  return (await github.findScaleSet(name, 'Default', { signal })) !== undefined;
}

/** The key under `github` that an answer of GitHub's speaks against; none when there was no answer, or none for good. */
function keyAtFault(error: unknown, { settings }: Asking): string | undefined {
  const failure = failureOf(error);
  const { credentials } = settings.github;
  if (failure === undefined) return isRungarError(error, 'invalid_argument') ? keyOfSecret(credentials) : undefined;
  if (failure.transient || failure.status === undefined) return undefined;
  if (credentials.kind === 'app' && failure.badCredentials && failure.status === 404) return 'app_installation_id';
  return failure.status === 404 ? 'url' : keyOfSecret(credentials);
}

function keyOfSecret(credentials: Asking['settings']['github']['credentials']): string {
  if (credentials.kind === 'token') return credentials.token === undefined ? 'token_path' : 'token';
  return credentials.privateKey === undefined ? 'app_private_key_path' : 'app_private_key';
}

function toFinding(error: RungarError): Pick<Finding, 'severity' | 'kind' | 'message' | 'hint'> {
  return {
    severity: 'error',
    kind: 'online',
    message: `is refused: ${messageOf(error)}`,
    ...(error.hint !== undefined && { hint: error.hint }),
  };
}

function badClock(aheadMs: number, { root }: Asking): Finding {
  const off = roundedDuration(Math.abs(aheadMs));
  return {
    severity: 'warning',
    kind: 'online',
    ...spotAt(root, ['github', 'url']),
    message: `answers with another time: this host's clock is ${off} ${aheadMs > 0 ? 'ahead of' : 'behind'} GitHub's`,
    hint: 'let the host keep its clock by NTP',
  };
}

function sameLabels(a: readonly string[], b: readonly string[]): boolean {
  const key = (labels: readonly string[]): string =>
    [...new Set(labels.map((each) => each.toLowerCase()))].sort().join();
  return key(a) === key(b);
}

function listed(labels: readonly string[]): string {
  return `[${labels.map(quoted).join(', ')}]`;
}
