import type { Measurement } from '../benchmark.js';
import { withFullDaemon } from '../load/run.js';
import { installed, startOf } from '../programs.js';

const RUNNERS = 100;
const SCALE_SETS = 10;

/** `rungar status` as it is typed, against a daemon that serves 100 idle runners. */
export const statusCommand: Measurement = {
  what: `rungar status of a daemon with ${RUNNERS} runners`,
  run: (lab) =>
    withFullDaemon({ runners: RUNNERS, scaleSets: SCALE_SETS }, lab, async ({ socket, daemon }) => {
      const program = {
        file: installed(lab, 'rungar'),
        args: ['status', '--socket', socket],
        prints: new RegExp(`set-${SCALE_SETS - 1}\\b`),
      };
      const result = await startOf('', () => program, { target: 2.2, bar: 3 }).run(lab);
      await daemon.stop();
      return result;
    }),
};
