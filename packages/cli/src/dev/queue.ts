import { request } from 'node:http';
import { RungarError } from '@rungar/model';
import type { World } from '../command.js';
import { EXIT } from '../exit.js';
import { plural } from '../output/words.js';
import { knownWorld } from './folder.js';

/** Queues jobs at the emulated GitHub of the world that runs. */
export async function queueJobs(
  jobs: { labels: readonly string[]; count: number; seconds: number; fail: boolean },
  { stdout, signal }: World,
  folder?: string,
): Promise<number> {
  const { github } = await knownWorld(folder);
  const status = await post(`${github}/_control/jobs`, jobs, signal);
  if (status !== 201) throw new RungarError('internal', `the emulated GitHub at ${github} answered HTTP ${status}`);
  stdout.write(`queued ${plural(jobs.count, 'job')} for ${jobs.labels.join(', ')}, ${jobs.seconds} s each\n`);
  return EXIT.done;
}

function post(url: string, body: unknown, signal: AbortSignal): Promise<number> {
  return new Promise((resolve, reject) => {
    const asked = request(
      url,
      { method: 'POST', headers: { 'content-type': 'application/json' }, signal },
      (response) => {
        response.resume();
        response.on('end', () => resolve(response.statusCode ?? 0));
      },
    );
    asked.on('error', (error) =>
      reject(
        signal.aborted
          ? signal.reason
          : new RungarError('unavailable', `the emulated GitHub at ${url} does not answer`, {
              cause: error,
              hint: 'start a world with `rungar dev`',
            }),
      ),
    );
    asked.end(JSON.stringify(body));
  });
}
