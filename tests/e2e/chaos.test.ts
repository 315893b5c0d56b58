import { expect, test } from 'vitest';
import { runChaos } from '../chaos/run.js';

// A short share of `npm run chaos`, with a fixed seed: the real engine over the emulators, in trouble.
test('daemons that are killed amid jobs and trouble do no harm, finish every job and leave nothing behind', async () => {
  const said: string[] = [];
  const { violations, jobs, troubles } = await runChaos({
    seed: 4,
    minutes: 1.5,
    speed: 16,
    processes: false,
    say: (line) => said.push(line),
  });
  expect(violations, said.join('\n')).toEqual([]);
  expect(jobs).toBeGreaterThan(0);
  expect(troubles).toBeGreaterThan(0);
}, 180_000);
