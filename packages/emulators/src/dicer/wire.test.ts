import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:http2';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { dicerClient, instanceRequest, refusalOf, startDicerWorld } from '../../test/dicer.js';
import { endAfterTest } from '../../test/ec2.js';

describe('the listener', () => {
  test('takes a Unix socket, and leaves none behind', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'rungar-dicer-'));
    endAfterTest(() => rm(folder, { recursive: true }));
    const { dicer, client } = await startDicerWorld({ socketPath: join(folder, 'dicer.sock'), version: '0.9.1' });
    expect(dicer.address).toBe(`unix://${folder}/dicer.sock`);
    expect(await client.getHostInfo({})).toMatchObject({ version: '0.9.1', apiAddresses: [dicer.address] });
  });

  test('lets in who shows the certificate it asks for', async () => {
    const { dicer } = await startDicerWorld({ tls: {} });
    const tls = dicer.tls;
    expect((await dicerClient(dicer, tls).getHostInfo({})).hostname).toBe('dicer-1');
    expect(await refusalOf(dicerClient(dicer, { ca: tls?.ca ?? '' }).getHostInfo({}))).not.toBe('no refusal');
    dicer.renewClient();
    expect(await refusalOf(dicerClient(dicer, tls).getHostInfo({}))).not.toBe('no refusal');
    expect((await dicerClient(dicer, dicer.tls).getHostInfo({})).hostname).toBe('dicer-1');
  });

  test('lets everybody in who knows its own certificate when it asks for none', async () => {
    const { dicer } = await startDicerWorld({ tls: { clientCertificate: false } });
    expect((await dicerClient(dicer, { ca: dicer.tls?.ca ?? '' }).getHostInfo({})).hostname).toBe('dicer-1');
  });

  test('sends away who pings too often', async () => {
    const { dicer, clock } = await startDicerWorld();
    const session = connect(`http://${dicer.address}`);
    endAfterTest(() => session.destroy());
    const said = new Promise<string>((resolve) => session.on('goaway', (_code, _id, data) => resolve(String(data))));
    session.on('error', () => {});
    await once(session, 'connect');
    const ping = (): Promise<void> => new Promise((resolve) => session.ping(() => resolve()));
    await ping();
    clock.advance(10_000);
    for (let early = 0; early < 4; early++) await ping();
    expect(await said).toBe('too_many_pings');
    expect(dicer.stats().pings).toBe(5);
  });

  test('has no other methods', async () => {
    const { client } = await startDicerWorld();
    const follow = async (): Promise<void> => {
      for await (const _ of client.getEvents({}));
    };
    expect(await refusalOf(follow())).toContain('Unimplemented');
  });
});

describe('faults', () => {
  test.each([
    ['reset', 0],
    ['lost', 1],
    ['empty', 1],
    ['html', 0],
    ['status', 0],
  ] as const)('%s: no success, and %d instances', async (kind, made) => {
    const { dicer, client } = await startDicerWorld();
    dicer.fault({ operation: 'CreateInstance', kind });
    expect(await refusalOf(client.createInstance(instanceRequest('linux-1')))).not.toBe('no refusal');
    expect(dicer.instances()).toHaveLength(made);
    expect((await client.listInstances({})).instances).toHaveLength(made);
    expect(dicer.stats().calls).toEqual({ CreateInstance: 1, ListInstances: 1 });
  });

  test('hang: no answer until the caller goes away', async () => {
    const { dicer, client } = await startDicerWorld();
    dicer.fault({ operation: 'ListInstances', kind: 'hang' });
    expect(await refusalOf(client.listInstances({}, { timeoutMs: 20 }))).toContain('DeadlineExceeded');
  });

  test('slow: the answer comes when its time has come', async () => {
    const { dicer, client, clock } = await startDicerWorld({ latency: { ListInstances: 2_000 } });
    dicer.fault({ operation: 'ListInstances', kind: 'slow', delayMs: 3_000 });
    let isAnswered = false;
    const answered = client.listInstances({}).then(() => {
      isAnswered = true;
    });
    while (clock.waiting === 0) await new Promise((resolve) => setImmediate(resolve));
    clock.advance(4_999);
    expect(isAnswered).toBe(false);
    clock.advance(1);
    await answered;
  });

  test('refusals come as planned, one of them with the whole request', async () => {
    const { dicer, client } = await startDicerWorld();
    dicer.refuseNext('GetImage', 'UNAVAILABLE', 1, 'not now');
    expect(await refusalOf(client.getImage({ ref: 'x' }))).toBe('Unavailable: not now');
    dicer.echoNextRequest('GetImage');
    expect(await refusalOf(client.getImage({ ref: 'x' }))).toBe('Internal: cannot handle {"ref":"x"}');
    expect(dicer.calls.map(({ method, refused }) => `${method} ${refused}`)).toEqual([
      'GetImage Unavailable',
      'GetImage Internal',
    ]);
    expect(() => dicer.fault({ operation: '*', kind: 'bom' })).toThrow('gRPC knows no fault of kind bom');
  });
});
