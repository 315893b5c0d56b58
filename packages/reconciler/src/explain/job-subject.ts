import type { JobSubject } from './story.js';

const ADDRESS =
  /^https?:\/\/[^/]+\/([^/]+\/[^/]+)\/actions\/runs\/(\d+)(?:\/attempts\/\d+)?(?:\/jobs?\/(\d+))?\/?(?:[?#].*)?$/;

/**
 * Which job is meant by its id in GitHub's messages, or by the address of the job or of its workflow run.
 * @param labels what it asks for in `runs-on`, where that is known
 */
export function jobSubject(name: string, labels: readonly string[] = []): JobSubject {
  const asked = labels.length > 0 && { labels };
  const [, repository, run, job] = ADDRESS.exec(name) ?? [];
  if (repository === undefined || run === undefined) return { kind: 'job', name, id: name, ...asked };
  return {
    kind: 'job',
    name,
    ...(job !== undefined && { id: job }),
    run: { repository, id: Number(run) },
    ...asked,
  };
}
