import { expect, test } from 'vitest';
import type { FakeProvider } from '../../test/fake-provider.js';
import { MINUTE, policy, SECOND, type World, world } from '../../test/world.js';

/** A daemon whose runners never connect, five minutes after it made the first. */
async function afterFiveMinutes(console: FakeProvider['console']): Promise<World> {
  const w = world({ scaleSets: [policy({ minRunners: 1 })], bootMs: undefined });
  w.provider().console = console;
  w.start();
  await w.clock.advance(5 * MINUTE);
  return w;
}

const removal = (w: World) => w.events.find(({ action }) => action === 'removed' || action === 'lost');

test('the event of a runner that never connected says what its console said last', async () => {
  const w = await afterFiveMinutes(['booted', 'run.sh: \u001b[31mno such file\u001b[0m']);
  await w.clock.advance(MINUTE);
  expect(removal(w)?.attributes).toMatchObject({
    reason: 'never_connected',
    console: 'booted\nrun.sh: no such file',
  });
  expect(w.provider().consolesRead).toEqual([removal(w)?.name]);
});

test.each(['hang', 'broken', undefined] as const)(
  'a console that is %s holds its removal up for three seconds at most',
  async (console) => {
    const w = await afterFiveMinutes(console);
    await w.clock.advance(MINUTE);
    expect(removal(w)?.attributes).toMatchObject({ reason: 'never_connected' });
    expect(removal(w)?.attributes).not.toHaveProperty('console');
    const deleted = w.provider().calls.find(({ call }) => call === 'delete')?.at ?? Number.NaN;
    const unregistered = w.github.calls.find(({ call }) => call === 'remove')?.at ?? Number.NaN;
    expect(deleted - unregistered).toBeLessThanOrEqual(3 * SECOND + 200);
  },
);

test('when a deletion is repeated its console is not read again', async () => {
  const w = await afterFiveMinutes(['booted']);
  w.provider().faults.delete.push('broken');
  await w.clock.advance(3 * MINUTE);
  const gone = removal(w);
  expect(gone?.attributes).toMatchObject({ console: 'booted' });
  expect(w.provider().consolesRead.filter((name) => name === gone?.name)).toHaveLength(1);
});

test('a machine that ended before its runner connected says why, in the words of its backend and its own', async () => {
  const w = world({ scaleSets: [policy({ minRunners: 1 })], bootMs: undefined });
  w.provider().console = ['panic'];
  w.start();
  await w.clock.advance(10 * SECOND);
  const [name = ''] = w.machines();
  w.provider().setState(name, 'stopped', 'Client.InternalError: Client error on launch');
  await w.clock.advance(7 * MINUTE);
  expect(w.events.find((event) => event.name === name && event.action === 'lost')).toMatchObject({
    message: 'Lost: its machine on a ended: Client.InternalError: Client error on launch',
    attributes: { reason: 'ended', detail: 'Client.InternalError: Client error on launch', console: 'panic' },
  });
});

test('a runner that did its job is not looked into, nor one that is not needed', async () => {
  const w = world({ scaleSets: [policy({ minRunners: 1 })] });
  w.provider().console = ['bye'];
  w.start();
  await w.clock.advance(MINUTE);
  w.github.queueJob('vm', 10 * SECOND);
  await w.clock.advance(2 * MINUTE);
  expect(w.happened('removed')).toEqual([expect.stringMatching(/job_completed$/)]);
  w.reconciler.pause('vm');
  await w.clock.advance(MINUTE);
  expect(w.happened('removed')).toEqual([
    expect.stringMatching(/job_completed$/),
    expect.stringMatching(/scaled_down$/),
  ]);
  expect(w.provider().consolesRead).toEqual([]);
  for (const event of w.events) expect(event.attributes ?? {}).not.toHaveProperty('console');
});
