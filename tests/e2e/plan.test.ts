import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { eventually, TEST_LIMIT_MS } from './support/eventually.js';
import { rungar, startServe } from './support/rungar.js';
import { startWorld } from './support/world.js';

vi.setConfig({ testTimeout: TEST_LIMIT_MS });

test('a fleet is planned, also under another configuration, explained now and later, recorded and replayed', async () => {
  const world = await startWorld();
  const { github, folder } = world;
  const config = await world.writeConfig();
  const socket = join(folder, 's');
  const recording = join(folder, 'decisions.jsonl');
  const daemon = await startServe(config, { flags: ['--record', recording] });
  const [job] = github.queueJobs([{ labels: ['small'], seconds: 600 }]);
  await eventually(
    'the daemon knows of the job',
    async () => (await world.status()).runners?.[0]?.job !== undefined,
    daemon.ended,
  );
  const runner = (await world.status()).runners?.[0]?.name ?? '';

  const next = join(folder, 'next.yaml');
  const text = await readFile(config, 'utf8');
  await writeFile(next, text.replace('m5.large', 'm6i.large'), { mode: 0o600 });
  const plan = JSON.parse((await rungar(['plan', '-f', next, '--json', '--socket', socket])).stdout) as {
    scale_sets: { scale_set: string; outdated: { runner: string; state: string }[] }[];
    changes: { kind: string; keys?: string[] }[];
  };
  expect(plan.scale_sets.find((one) => one.scale_set === 'small')?.outdated).toMatchObject([{ runner, state: 'busy' }]);
  expect(plan.changes).toContainEqual(expect.objectContaining({ kind: 'runners_outdated', keys: ['instance_type'] }));
  const words = await rungar(['plan', '--socket', socket]);
  expect(words).toMatchObject({ code: 0, stderr: '' });
  expect(words.stdout).toContain('min_runners 0 + 1 assigned job = 1');
  expect(await rungar(['plan', 'smal', '--socket', socket])).toMatchObject({
    code: 4,
    stderr: expect.stringContaining('did you mean small?'),
  });

  const story = await rungar(['explain', 'job', job?.id ?? '', '--socket', socket]);
  expect(story).toMatchObject({ code: 0, stderr: '' });
  expect(story.stdout).toContain(`runs on ${runner}`);
  for (const said of ['GitHub   ', 'queued job', 'assigned job', 'Provider ', 'Rungar   '])
    expect(story.stdout).toContain(said);

  github.finishJob(job?.id ?? '', 'succeeded');
  await eventually('the runner is gone', async () => (await world.status()).runners === undefined, daemon.ended);
  expect((await daemon.end('SIGTERM')).code).toBe(0);
  const past = await rungar(['explain', 'runner', runner, '-f', config, '--socket', socket]);
  expect(past).toMatchObject({ code: 0, stderr: expect.stringContaining('No daemon answers') });
  expect(past.stdout).toContain(`finished job ${job?.id} on ${runner}: succeeded`);

  expect((await stat(recording)).mode & 0o777).toBe(0o600);
  expect(await rungar(['replay', recording])).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^\d+ decisions \(\d+ pass(?:es)?, \d+ of scaling\): all decided as recorded\n$/),
    stderr: '',
  });
  expect(await readFile(recording, 'utf8')).not.toMatch(/user_data|instance_type|BEGIN|encoded/);
});
