import { messageOf } from '@rungar/model';
import type { StatusAnswer } from '../control/answers.js';
import type { Session } from '../control/session.js';
import { EXIT, ExitError } from '../exit.js';
import { endInWords, isUrgent } from '../output/runner-versions.js';
import { type Finding, fine, warning, wrong } from './finding.js';

/** Phases in which a scale set gets no jobs for a reason that somebody may have to see to. */
const TROUBLE: ReadonlySet<string> = new Set(['SCALE_SET_PHASE_FAILED', 'SCALE_SET_PHASE_GITHUB_UNREACHABLE']);

/** Whether a daemon answers, and what it says of its own. One that does not run is no error: it may be yet to start. */
export async function checkDaemon(session: Session): Promise<readonly Finding[]> {
  try {
    const status = await session.ask('GetStatus');
    const { version = '', start_time: since = '' } = status.daemon ?? {};
    return [
      fine('daemon', `version ${version} answers, since ${since}`),
      ...troubles(status),
      ...versions(status, session.world.clock.wallNow()),
    ];
  } catch (error) {
    session.world.signal.throwIfAborted();
    const hint = error instanceof ExitError ? (error.hint ?? '') : 'See its log.';
    const absent =
      error instanceof ExitError && error.exitCode === EXIT.noDaemon && !/cannot be used/.test(error.message);
    return [(absent ? warning : wrong)('daemon', messageOf(error), hint)];
  }
}

function troubles({ daemon, scale_sets: scaleSets = [], providers = [] }: StatusAnswer): readonly Finding[] {
  return [
    ...(daemon?.events_error
      ? [warning('events', `kept in memory only: ${daemon.events_error}`, 'Make room, or let the daemon write there.')]
      : []),
    ...(daemon?.github?.error
      ? [
          wrong(
            'github',
            `the daemon could not ask for its runners: ${daemon.github.error}`,
            cureOf(daemon.github.error),
          ),
        ]
      : []),
    ...scaleSets
      .filter(({ phase = '' }) => TROUBLE.has(phase))
      .map(({ name = '', state_reason: why = '' }) =>
        wrong('daemon', `scale set ${name} gets no jobs: ${why}`, `See \`rungar explain scale-set ${name}\`.`),
      ),
    ...providers
      .filter(({ reachable, disabled }) => !reachable && !disabled)
      .map(({ name = '', error = '' }) =>
        wrong(
          'provider',
          `${name} cannot be listed by the daemon: ${error}`,
          `See \`rungar explain provider ${name}\`.`,
        ),
      ),
  ];
}

/** What to look at, by what came of asking GitHub: only an answer can be a refusal of the credential. */
function cureOf(githubError: string): string {
  const status = Number(/\banswered (\d{3})\b/.exec(githubError)?.[1]);
  if (status >= 500 || status === 429) return "Nothing, if it passes: see GitHub's status page.";
  if (status >= 400) return 'Check the credential.';
  return "See whether GitHub can be reached from the daemon's host, and through which proxy.";
}

/** Versions of the runner program that GitHub gives no jobs, or soon none. @param now epoch milliseconds */
function versions({ scale_sets: scaleSets = [] }: StatusAnswer, now: number): readonly Finding[] {
  return scaleSets.flatMap(({ name = '', runner_versions: uses = [] }) =>
    uses
      .filter((use) => isUrgent(use, now))
      .map((use) =>
        (use.refused ? wrong : warning)(
          'runners',
          `version ${use.version} of the runner program, which runners of ${name} have, ${endInWords(use)}`,
          'Make an image with a newer version and name it in the configuration.',
        ),
      ),
  );
}
