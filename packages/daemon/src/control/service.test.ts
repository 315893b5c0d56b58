import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import { Code } from '@connectrpc/connect';
import { RungarError, type ScaleSetRecord } from '@rungar/model';
import { describe, expect, test } from 'vitest';
import { ScaleSetPhase } from '../../gen/rungar/v1/rungar_pb.js';
import { openControl } from '../../test/control-harness.js';
import { eventually } from '../../test/eventually.js';
import { fakeGitHub } from '../../test/fake-github.js';
import { providerStatus, runnerView, scaleSetStatus } from '../../test/fake-reconciler.js';
import { createControlClient } from '../client.js';

const record = (name: string, id: number): ScaleSetRecord => ({
  id,
  name,
  runnerGroupId: 1,
  runnerGroupName: 'Default',
  labels: [name],
});

async function open(find: (name: string, group: string) => ScaleSetRecord | undefined = () => undefined) {
  const harness = await openControl({ github: fakeGitHub(find) });
  harness.reconciler.scaleSetStatuses = [
    scaleSetStatus('birch-xl'),
    scaleSetStatus('birch-s', { runnerGroup: 'Builders' }),
  ];
  harness.reconciler.providerStatuses = [providerStatus('rack-b'), providerStatus('rack-a', { runnerCount: 7 })];
  harness.reconciler.view = {
    runners: [
      runnerView('birch-s-1', { scaleSet: 'birch-s' }),
      runnerView('birch-s-2', { scaleSet: 'birch-s' }),
      runnerView('birch-s-3', { scaleSet: 'birch-s', provider: '' }),
      runnerView('zed-1', { scaleSet: 'zed', provider: 'rack-b' }),
      runnerView('alder-1', { scaleSet: 'alder', provider: 'rack-b' }),
    ],
    unreachable: {},
  };
  return { ...harness, client: createControlClient(harness.path) };
}

describe('GetStatus', () => {
  test('says what the daemon is, and what it sees of everything', async () => {
    const { client, reconciler } = await open();
    reconciler.view = { ...reconciler.view, githubError: 'no answer' };
    const status = await client.getStatus({});
    expect(status.daemon).toMatchObject({
      version: '1.2.3',
      commit: 'abc1234',
      startTime: { seconds: BigInt(Date.UTC(2027, 0, 4, 9, 0, 0) / 1000), nanos: 0 },
      configFile: '/etc/rungar/config.yaml',
      installation: 'gh-4e3651f01be5',
      github: {
        url: 'https://github.com/my-org',
        scope: 'organisation',
        credentials: 'App Iv23, installation 4711',
        error: 'no answer',
      },
      eventsError: '',
    });
    expect(status.scaleSets.map(({ name, fleetRunners }) => [name, fleetRunners])).toEqual([
      ['birch-xl', 0],
      ['birch-s', 2],
    ]);
    expect(status.providers.map(({ name, runnerCount }) => [name, runnerCount])).toEqual([
      ['rack-b', 2],
      ['rack-a', 2],
    ]);
    expect(status.runners).toHaveLength(5);
  });
});

describe('ListScaleSets', () => {
  test('gives configured ones in order, then leftovers by name, each with what GitHub has', async () => {
    const asked: string[] = [];
    const { client } = await open((name, group) => {
      asked.push(`${name} in ${group}`);
      if (name === 'birch-xl') throw new RungarError('unavailable', 'no answer');
      return name === 'zed' ? undefined : record(name, 31);
    });
    const { scaleSets } = await client.listScaleSets({});
    expect(scaleSets.map(({ name, configured, fleetRunners }) => [name, configured, fleetRunners])).toEqual([
      ['birch-xl', true, 0],
      ['birch-s', true, 2],
      ['alder', false, 1],
      ['zed', false, 1],
    ]);
    expect(scaleSets.map(({ github }) => [github?.found, github?.id, github?.error])).toEqual([
      [false, 0n, 'no answer'],
      [true, 31n, ''],
      [true, 31n, ''],
      [false, 0n, ''],
    ]);
    expect(asked.sort()).toEqual(['alder in Default', 'birch-s in Builders', 'birch-xl in Default', 'zed in Default']);
  });
});

describe('GetScaleSet', () => {
  test('asks GitHub in the group of the configuration, or in the one named', async () => {
    const groups: string[] = [];
    const { client } = await open((name, group) => {
      groups.push(group);
      return record(name, 31);
    });
    expect(await client.getScaleSet({ name: 'birch-s' })).toMatchObject({ configured: true, fleetRunners: 2 });
    await client.getScaleSet({ name: 'birch-s', runnerGroup: 'Others' });
    await client.getScaleSet({ name: 'alder' });
    expect(groups).toEqual(['Builders', 'Others', 'Default']);
  });

  test('knows a leftover by its machines alone, or by GitHub alone', async () => {
    const { client } = await open((name) => (name === 'old' ? record(name, 18) : undefined));
    expect(await client.getScaleSet({ name: 'zed' })).toMatchObject({ configured: false, fleetRunners: 1 });
    expect(await client.getScaleSet({ name: 'old' })).toMatchObject({ configured: false, github: { id: 18n } });
  });

  test('of a name that nobody knows is not found, and unavailable when GitHub could not say', async () => {
    const { client } = await open((name) => {
      if (name === 'maybe') throw new RungarError('unavailable', 'no answer');
      return undefined;
    });
    await expect(client.getScaleSet({ name: 'none' })).rejects.toMatchObject({ code: Code.NotFound });
    await expect(client.getScaleSet({ name: 'maybe' })).rejects.toMatchObject({ code: Code.Unavailable });
  });
});

describe('PauseScaleSet and ResumeScaleSet', () => {
  test('answer with the scale set as it is then', async () => {
    const { client } = await open();
    expect(await client.pauseScaleSet({ name: 'birch-s' })).toMatchObject({
      name: 'birch-s',
      paused: true,
      phase: ScaleSetPhase.LISTENING,
    });
    expect((await client.resumeScaleSet({ name: 'birch-s' })).paused).toBe(false);
    await expect(client.pauseScaleSet({ name: 'none' })).rejects.toMatchObject({ code: Code.NotFound });
  });
});

describe('ListProviders and GetProvider', () => {
  test('count what is listed, and what was counted where nothing could be', async () => {
    const { client, reconciler } = await open();
    reconciler.view = { ...reconciler.view, unreachable: { 'rack-a': 'timed out' } };
    const { providers } = await client.listProviders({});
    expect(providers.map(({ name, reachable, runnerCount, error }) => [name, reachable, runnerCount, error])).toEqual([
      ['rack-b', true, 2, ''],
      ['rack-a', false, 7, 'timed out'],
    ]);
    expect(await client.getProvider({ name: 'rack-b' })).toMatchObject({ name: 'rack-b', runnerCount: 2 });
  });

  test('name the providers there are when asked for another', async () => {
    const { client } = await open();
    await expect(client.getProvider({ name: 'rack-c' })).rejects.toMatchObject({
      code: Code.NotFound,
      rawMessage: expect.stringContaining('rack-b, rack-a'),
    });
  });
});

describe('what changes something', () => {
  test('Reconcile answers with each scale set after its pass, in order, and refuses an unknown one before any', async () => {
    const { client, reconciler } = await open();
    const asked: string[] = [];
    const { reconcile } = reconciler;
    reconciler.reconcile = (name, signal) => {
      asked.push(name);
      return reconcile(name, signal);
    };
    expect((await client.reconcile({})).scaleSets.map(({ name }) => name)).toEqual(['birch-xl', 'birch-s']);
    expect((await client.reconcile({ scaleSets: ['birch-s'] })).scaleSets.map(({ name }) => name)).toEqual(['birch-s']);
    expect(asked).toEqual(['birch-xl', 'birch-s', 'birch-s']);
    await expect(client.reconcile({ scaleSets: ['birch-s', 'elm'] })).rejects.toMatchObject({
      code: Code.NotFound,
      rawMessage: 'there is no scale set "elm", only birch-xl, birch-s',
    });
    expect(asked).toHaveLength(3);
    reconciler.reconcile = () => Promise.reject(new RungarError('unavailable', 'another daemon holds its session'));
    await expect(client.reconcile({})).rejects.toMatchObject({
      code: Code.Unavailable,
      rawMessage: 'another daemon holds its session',
    });
  });

  test('RemoveRunner answers with the runner as it was, and says why it stays', async () => {
    const { client, reconciler } = await open();
    expect(await client.removeRunner({ name: 'birch-s-1' })).toMatchObject({ name: 'birch-s-1', provider: 'rack-a' });
    expect((await client.removeRunner({ name: 'birch-s-3' })).provider).toBe('');
    await expect(client.removeRunner({ name: 'none' })).rejects.toMatchObject({ code: Code.NotFound });
    reconciler.removeRunner = () => Promise.reject(new RungarError('busy', 'runner birch-s-1 runs a job'));
    await expect(client.removeRunner({ name: 'birch-s-1' })).rejects.toMatchObject({ code: Code.FailedPrecondition });
  });

  test('RemoveScaleSet looks in the group Default unless told otherwise, and answers with what is gone', async () => {
    const { client, reconciler } = await open();
    const groups: (string | undefined)[] = [];
    reconciler.removeScaleSet = async (name, { group }) => {
      groups.push(group);
      return { removed: [runnerView(`${name}-1`)], busyLeft: 2, ...(group === 'Other' && { scaleSetId: 31 }) };
    };
    expect(await client.removeScaleSet({ name: 'zed' })).toMatchObject({ busyLeft: 2, scaleSetId: 0n });
    const answer = await client.removeScaleSet({ name: 'zed', runnerGroup: 'Other' });
    expect(answer).toMatchObject({ removed: [{ name: 'zed-1' }], scaleSetId: 31n });
    expect(groups).toEqual(['Default', 'Other']);
    reconciler.removeScaleSet = () => Promise.reject(new RungarError('invalid_argument', 'zed is configured'));
    await expect(client.removeScaleSet({ name: 'zed' })).rejects.toMatchObject({ code: Code.InvalidArgument });
  });

  test('DisableProvider and EnableProvider answer with the provider as it is then, also over plain JSON', async () => {
    const { client, path } = await open();
    expect(await client.disableProvider({ name: 'rack-a' })).toMatchObject({
      ...{ name: 'rack-a', disabled: true, configuredDisabled: false, runnerCount: 2 },
    });
    const json = createControlClient(path, { protocol: 'connect' });
    expect(await json.enableProvider({ name: 'rack-a' })).toMatchObject({ disabled: false });
    await expect(json.disableProvider({ name: 'rack-c' })).rejects.toMatchObject({ code: Code.NotFound });
  });
});

describe('ListEvents', () => {
  test('gives the history in responses of at most 500, the last one marked', async () => {
    const { client, events } = await open();
    for (let at = 0; at < 1001; at++) events.record({ name: `r-${at}`, action: 'created' });
    const sizes: [number, boolean][] = [];
    for await (const { events: batch, caughtUp } of client.listEvents({})) sizes.push([batch.length, caughtUp]);
    expect(sizes).toEqual([
      [500, false],
      [500, false],
      [1, true],
    ]);
  });

  test('gives one marked response for no history', async () => {
    const { client } = await open();
    const all = [];
    for await (const { events, caughtUp } of client.listEvents({})) all.push([events.length, caughtUp]);
    expect(all).toEqual([[0, true]]);
  });

  test('narrows by every field of the request', async () => {
    const { client, events } = await open();
    const scaleSets = ['s1', 's1', 's2', 's1'];
    for (const [at, scaleSet] of scaleSets.entries())
      events.record({ name: `r-${at}`, action: 'created', scaleSet, provider: 'p' });
    const names: string[] = [];
    const since = timestampFromMs(Date.UTC(2020, 0, 1));
    for await (const { events: batch } of client.listEvents({ scaleSet: 's1', provider: 'p', since, limit: 2 })) {
      names.push(...batch.map((event) => event.name));
    }
    expect(names).toEqual(['r-1', 'r-3']);
  });

  test('refuses a negative limit', async () => {
    const { client } = await open();
    const reading = (async () => {
      for await (const _ of client.listEvents({ limit: -1 }));
    })();
    await expect(reading).rejects.toMatchObject({ code: Code.InvalidArgument });
  });

  test('ends a follower that fell behind as unavailable, and no other', async () => {
    const { client, events } = await open();
    const seen: string[] = [];
    let caughtUp = false;
    const following = (async () => {
      for await (const answer of client.listEvents({ follow: true })) {
        caughtUp ||= answer.caughtUp;
        seen.push(...answer.events.map((event) => event.name));
      }
    })().catch((error: unknown) => error);
    await eventually(() => expect(caughtUp).toBe(true));
    for (let at = 0; at < 300; at++) events.record({ name: `r-${at}`, action: 'created' });
    expect(await following).toMatchObject({
      code: Code.Unavailable,
      rawMessage: expect.stringContaining('fell behind'),
    });
    expect(seen.length).toBeLessThan(300);
    expect(events.read({})).toHaveLength(300);
  });
});
