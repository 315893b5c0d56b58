import { describe, expect, test } from 'vitest';
import { withIdle } from '../../test/scenes.js';
import { MINUTE, policy, SECOND, world } from '../../test/world.js';

describe('orphans', () => {
  test('case 47: one goes after start_timeout, with no provider in its event', async () => {
    const w = await withIdle(0);
    w.github.register('vm-0badf00d', 'vm');
    w.github.register('vm-big-0badf00d', 'vm');
    await w.clock.advance(5 * MINUTE);
    expect(w.github.named('vm-0badf00d')).toBeDefined();
    await w.clock.advance(3 * MINUTE);
    expect(w.github.named('vm-0badf00d')).toBeUndefined();
    expect(w.github.named('vm-big-0badf00d')).toBeDefined();
    const event = w.events.find(({ action }) => action === 'removed');
    expect([event?.attributes?.reason, event?.provider]).toEqual(['orphaned', undefined]);
  });

  test('case 48: when it reconnects meanwhile its clock starts again', async () => {
    const w = await withIdle(0);
    const { id } = w.github.register('vm-0badf00d', 'vm');
    await w.clock.advance(4 * MINUTE);
    w.github.connect(id);
    await w.clock.advance(MINUTE);
    w.github.disconnect('vm-0badf00d');
    await w.clock.advance(5 * MINUTE);
    expect(w.github.named('vm-0badf00d')).toBeDefined();
    await w.clock.advance(3 * MINUTE);
    expect(w.github.named('vm-0badf00d')).toBeUndefined();
  });

  test('case 49: one that is known, being created, of another scale set or named otherwise is never touched', async () => {
    const w = world({ scaleSets: [policy({ minRunners: 1, startTimeoutMs: MINUTE }), policy({ name: 'arm' })] });
    w.github.register('vm-00000001', 'arm');
    w.github.register('vm-big-00000001', 'vm');
    w.github.register('runner-of-somebody', 'vm');
    w.provider().createMs = 58 * SECOND;
    w.start();
    await w.clock.advance(59 * SECOND);
    const [creating = ''] = w.provider().calls.flatMap(({ call, name }) => (call === 'create' && name ? [name] : []));
    expect(w.github.named(creating)).toBeDefined();
    await w.clock.advance(30 * MINUTE);
    expect(w.happened('removed')).toEqual([]);
    expect([...w.github.runners.values()].map(({ name }) => name).sort()).toEqual(
      ['runner-of-somebody', 'vm-00000001', creating, 'vm-big-00000001'].sort(),
    );
  });

  test('case 50: none goes while a provider that could have its machine is silent', async () => {
    const w = await withIdle(0);
    w.github.register('vm-0badf00d', 'vm');
    await w.clock.advance(4 * MINUTE);
    w.provider().down = true;
    await w.clock.advance(4 * MINUTE);
    expect(w.github.named('vm-0badf00d')).toBeDefined();
  });
});
