import { describe, expect, test } from 'vitest';
import { crash, first, forgetAtGitHub, one, proofs, withBusy, withIdle } from '../../test/scenes.js';
import { labelsOf, MINUTE, on, policy, SECOND, type World, world } from '../../test/world.js';
import { PROOF_FACTS } from '../decide/proof.js';

const NOBODY = new AbortController().signal;

/** A daemon that finds a runner of an earlier one, idle and of another revision. */
async function withOutdated(maxRunners: number): Promise<World> {
  const w = world(one({ minRunners: 1, maxRunners }));
  w.provider().put('vm-0000000a', labelsOf('vm-0000000a', { revision: 'old' }));
  w.github.register('vm-0000000a', 'vm', { online: true });
  w.start();
  await w.clock.advance(3 * MINUTE);
  return w;
}

/** What is done to a world, and the facts that its first removal or loss has to name. */
const PATHS: readonly { name: string; reason: string; proof: string; scene: () => Promise<World> }[] = [
  {
    name: 'the message that its job is done',
    reason: 'job_completed',
    proof: 'job_message',
    async scene() {
      const w = await withBusy(40 * SECOND);
      await w.clock.advance(MINUTE);
      return w;
    },
  },
  {
    name: 'a message about a runner not known to be busy',
    reason: 'job_completed',
    proof: 'job_message,registration_removed',
    async scene() {
      const w = await withIdle();
      w.github.give(first(w));
      w.github.complete(first(w));
      await w.clock.advance(5 * SECOND);
      return w;
    },
  },
  {
    name: 'a machine that stopped, of a runner GitHub does not know any more',
    reason: 'job_completed',
    proof: 'machine_ended,not_registered',
    async scene() {
      const w = await withIdle();
      w.provider().setState(first(w), 'stopped');
      forgetAtGitHub(w, first(w));
      await w.clock.advance(MINUTE);
      return w;
    },
  },
  {
    name: 'a machine that vanished, of a runner GitHub does not know any more',
    reason: 'job_completed',
    proof: 'machine_not_listed,not_registered',
    async scene() {
      const w = await withIdle();
      forgetAtGitHub(w, first(w));
      w.provider().vanish(first(w));
      await w.clock.advance(MINUTE);
      return w;
    },
  },
  {
    name: 'a machine that stopped, and the message that comes later',
    reason: 'job_completed',
    proof: 'machine_ended,job_message',
    async scene() {
      const w = await withBusy(60 * MINUTE);
      const name = first(w);
      w.provider().setState(name, 'stopped');
      await w.clock.advance(MINUTE);
      w.github.complete(name);
      await w.clock.advance(SECOND);
      return w;
    },
  },
  {
    name: 'a machine that stopped, of a runner GitHub still lists',
    reason: 'ended',
    proof: 'machine_ended,still_registered',
    async scene() {
      const w = await withIdle();
      w.provider().setState(first(w), 'stopped');
      w.github.crash(first(w));
      await w.clock.advance(8 * MINUTE);
      return w;
    },
  },
  {
    name: 'a machine that vanished twice, of a runner GitHub still lists',
    reason: 'ended',
    proof: 'machine_not_listed,machine_not_listed_again,still_registered',
    async scene() {
      const w = await withIdle();
      crash(w, first(w));
      await w.clock.advance(8 * MINUTE);
      return w;
    },
  },
  {
    name: 'a machine nobody can see, of a runner GitHub shows connected all the while',
    reason: 'ended',
    proof: 'machine_not_listed,machine_not_listed_again,registration_removed',
    async scene() {
      const w = await withIdle();
      w.provider().vanish(first(w));
      await w.clock.advance(8 * MINUTE);
      return w;
    },
  },
  {
    name: 'a count that went down',
    reason: 'scaled_down',
    proof: 'not_wanted,registration_removed',
    async scene() {
      const w = await withIdle();
      w.reconciler.pause('vm');
      await w.clock.advance(5 * SECOND);
      return w;
    },
  },
  {
    name: 'a runner that never connects',
    reason: 'never_connected',
    proof: 'offline,offline_after_limit,registration_removed',
    async scene() {
      const w = world({ ...one({ minRunners: 1 }), bootMs: undefined });
      w.start();
      await w.clock.advance(6 * MINUTE);
      return w;
    },
  },
  {
    name: 'a registration that is gone',
    reason: 'unregistered',
    proof: 'not_listed,not_found_by_name,registration_removed',
    async scene() {
      const w = await withIdle();
      forgetAtGitHub(w, first(w));
      await w.clock.advance(MINUTE);
      return w;
    },
  },
  {
    name: 'an idle runner that is offline for long',
    reason: 'disconnected',
    proof: 'offline,offline_after_limit,registration_removed',
    async scene() {
      const w = await withIdle();
      w.github.disconnect(first(w));
      await w.clock.advance(8 * MINUTE);
      return w;
    },
  },
  {
    name: 'a busy runner that is offline for long',
    reason: 'stuck',
    proof: 'offline,offline_after_limit',
    async scene() {
      const w = await withBusy(60 * MINUTE);
      w.github.crash(first(w));
      await w.clock.advance(8 * MINUTE);
      return w;
    },
  },
  {
    name: 'a busy runner that GitHub has not known for long',
    reason: 'stuck',
    proof: 'offline,offline_after_limit,not_found_by_name',
    async scene() {
      const w = await withBusy(60 * MINUTE);
      forgetAtGitHub(w, first(w));
      await w.clock.advance(8 * MINUTE);
      return w;
    },
  },
  {
    name: 'an outdated runner, once its replacement has connected',
    reason: 'outdated',
    proof: 'other_revision,replacement_connected,registration_removed',
    scene: () => withOutdated(3),
  },
  {
    name: 'an outdated runner where there is no room for a second',
    reason: 'outdated',
    proof: 'other_revision,registration_removed',
    scene: () => withOutdated(1),
  },
  {
    name: 'an idle runner past its age',
    reason: 'expired',
    proof: 'older_than_max_idle_age,replacement_connected,registration_removed',
    async scene() {
      const w = await withIdle(1, {}, { maxIdleAgeMs: 5 * MINUTE });
      await w.clock.advance(8 * MINUTE);
      return w;
    },
  },
  {
    name: 'a busy runner past every age',
    reason: 'expired',
    proof: 'older_than_max_age',
    async scene() {
      const w = await withBusy(60 * MINUTE, { maxAgeMs: 10 * MINUTE });
      await w.clock.advance(12 * MINUTE);
      return w;
    },
  },
  {
    name: 'a request',
    reason: 'requested',
    proof: 'asked_for,registration_removed',
    async scene() {
      const w = await withIdle();
      void w.reconciler.removeRunner(first(w), NOBODY);
      await w.clock.advance(5 * SECOND);
      return w;
    },
  },
  {
    name: 'a registration with nothing behind it',
    reason: 'orphaned',
    proof: 'offline_without_machine,offline_after_limit,found_by_name',
    async scene() {
      const w = await withIdle(0);
      w.github.register('vm-0badf00d', 'vm');
      await w.clock.advance(8 * MINUTE);
      return w;
    },
  },
  {
    name: 'a provider that is silent',
    reason: 'unreachable',
    proof: 'provider_silent_5m',
    async scene() {
      const w = await withIdle();
      w.provider().down = true;
      await w.clock.advance(7 * MINUTE);
      return w;
    },
  },
  {
    name: 'a machine whose provider cannot say what it does',
    reason: 'unreachable',
    proof: 'machine_state_unknown_5m',
    async scene() {
      const w = await withBusy(60 * MINUTE);
      w.provider().setState(first(w), 'unknown');
      await w.clock.advance(7 * MINUTE);
      return w;
    },
  },
];

describe('the event of a runner that goes names the facts that allowed it', () => {
  test.each(PATHS)('after $name', async ({ reason, proof, scene }) => {
    const w = await scene();
    const [event] = w.events.filter(({ action }) => action === 'removed' || action === 'lost');
    expect([event?.attributes?.reason, event?.attributes?.proof]).toEqual([reason, proof]);
  });

  test('each fact there is, in one of these at least', () => {
    const named = new Set(PATHS.flatMap(({ proof }) => proof.split(',')));
    expect(Object.keys(PROOF_FACTS).filter((fact) => !named.has(fact))).toEqual([]);
  });

  test('never without one', async () => {
    const w = world({
      scaleSets: [policy({ minRunners: 2, providers: on('a', 'b') })],
      providers: [{ name: 'a' }, { name: 'b', capacity: 2 }],
    });
    w.start();
    for (let job = 0; job < 8; job++) w.github.queueJob('vm', (job + 1) * 20 * SECOND);
    await w.clock.advance(2 * MINUTE);
    crash(w, first(w));
    w.provider('b').down = true;
    await w.clock.advance(15 * MINUTE);
    expect(proofs(w).length).toBeGreaterThan(8);
    expect(proofs(w)).not.toContain(undefined);
  });
});
