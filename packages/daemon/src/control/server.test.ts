import { execFile } from 'node:child_process';
import { request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Code, ConnectError, createClient, type Transport } from '@connectrpc/connect';
import { createConnectTransport, createGrpcTransport, createGrpcWebTransport } from '@connectrpc/connect-node';
import { RungarError, systemClock } from '@rungar/model';
import { fakeClock } from '@rungar/model/testing';
import { describe, expect, onTestFinished, test } from 'vitest';
import { RungarService } from '../../gen/rungar/v1/rungar_pb.js';
import { openControl } from '../../test/control-harness.js';
import { eventually } from '../../test/eventually.js';
import { runnerView, scaleSetStatus } from '../../test/fake-reconciler.js';
import { recordingLogger } from '../../test/recording-logger.js';
import { tempDir } from '../../test/temp-dir.js';
import { createControlClient } from '../client.js';
import { serveControl } from './server.js';

const run = promisify(execFile);
const hasCurl = await run('curl', ['--version']).then(
  () => true,
  () => false,
);

const BASE = { baseUrl: 'http://rungar' };
const overHttp2 = (path: string) => ({ nodeOptions: { createConnection: () => connect({ path }) } });

const transports: [string, (path: string) => Transport][] = [
  ['gRPC', (path) => createGrpcTransport({ ...BASE, ...overHttp2(path) })],
  ['gRPC-web', (path) => createGrpcWebTransport({ ...BASE, httpVersion: '2', ...overHttp2(path) })],
  ['Connect over HTTP/2', (path) => createConnectTransport({ ...BASE, httpVersion: '2', ...overHttp2(path) })],
  [
    'Connect over HTTP/1.1',
    (path) => createConnectTransport({ ...BASE, httpVersion: '1.1', nodeOptions: { socketPath: path } }),
  ],
  [
    "Connect's JSON",
    (path) =>
      createConnectTransport({
        ...BASE,
        httpVersion: '1.1',
        useBinaryFormat: false,
        nodeOptions: { socketPath: path },
      }),
  ],
];

describe.each(transports)('%s', (_, transportTo) => {
  test('gets an answer', async () => {
    const { path, reconciler } = await openControl();
    reconciler.view = { runners: [runnerView('r-1', { state: 'busy' })], unreachable: { 'rack-b': 'timed out' } };
    const answer = await createClient(RungarService, transportTo(path)).listRunners({});
    expect(answer.runners.map((runner) => runner.name)).toEqual(['r-1']);
    expect(answer.unreachableProviders).toEqual({ 'rack-b': 'timed out' });
  });

  test('gets an error as its code and its message alone', async () => {
    const { path, reconciler } = await openControl();
    reconciler.onListRunners = async () => {
      throw new RungarError('not_found', 'there is no provider "x"', { hint: 'See `rungar providers ls`.' });
    };
    const refused = createClient(RungarService, transportTo(path)).listRunners({ provider: 'x' });
    await expect(refused).rejects.toMatchObject({ code: Code.NotFound, rawMessage: 'there is no provider "x"' });
  });

  test('gets a stream', async () => {
    const { path, events } = await openControl();
    events.record({ name: 'birch-s', action: 'paused', scaleSet: 'birch-s' });
    const names: string[] = [];
    for await (const { events: batch } of createClient(RungarService, transportTo(path)).listEvents({})) {
      names.push(...batch.map((event) => event.name));
    }
    expect(names).toEqual(['birch-s']);
  });

  test('follows events until it hangs up', async () => {
    const { path, events } = await openControl();
    const client = createClient(RungarService, transportTo(path));
    const names: string[] = [];
    const hangUp = new AbortController();
    const following = (async () => {
      for await (const { events: batch, caughtUp } of client.listEvents({ follow: true }, { signal: hangUp.signal })) {
        names.push(...batch.map((event) => event.name));
        if (caughtUp) events.record({ name: 'r-1', action: 'created' });
      }
    })();
    await eventually(() => expect(names).toEqual(['r-1']));
    hangUp.abort();
    await expect(following).rejects.toMatchObject({ code: Code.Canceled });
  });
});

test.each(['grpc', 'connect'] as const)('the typed client speaks %s', async (protocol) => {
  const { path, reconciler } = await openControl();
  reconciler.scaleSetStatuses = [scaleSetStatus('birch-s')];
  const client = createControlClient(path, { protocol, timeoutMs: 10_000 });
  expect((await client.pauseScaleSet({ name: 'birch-s' })).paused).toBe(true);
  const { daemon, scaleSets } = await client.getStatus({});
  expect(daemon?.version).toBe('1.2.3');
  expect(scaleSets.map((scaleSet) => scaleSet.paused)).toEqual([true]);
});

test.skipIf(!hasCurl)('curl gets JSON with the names of the proto file (skipped where there is no curl)', async () => {
  const { path, reconciler } = await openControl();
  reconciler.view = {
    runners: [runnerView('r-1', { state: 'idle', machineState: 'running', githubStatus: 'idle' })],
    unreachable: {},
    githubError: 'no answer',
  };
  const ask = (...more: string[]) =>
    run('curl', [
      '-sS',
      '--unix-socket',
      path,
      '-H',
      'content-type: application/json',
      '-d',
      '{"scale_set":"birch-s"}',
      ...more,
      'http://rungar/rungar.v1.RungarService/ListRunners',
    ]);
  const want = {
    runners: [
      {
        name: 'r-1',
        scale_set: 'birch-s',
        provider: 'rack-a',
        state: 'RUNNER_STATE_IDLE',
        machine_state: 'MACHINE_STATE_RUNNING',
        github_status: 'RUNNER_GITHUB_STATUS_IDLE',
      },
    ],
    github_error: 'no answer',
  };
  expect(JSON.parse((await ask('--http1.1')).stdout)).toEqual(want);
  expect(JSON.parse((await ask('--http2-prior-knowledge')).stdout)).toEqual(want);
});

test('says that it cannot reload what was not read from a file, and answers another path with 404', async () => {
  const { path } = await openControl();
  await expect(createControlClient(path).reload({})).rejects.toMatchObject({
    code: Code.InvalidArgument,
    rawMessage: expect.stringContaining('not started from a file'),
  });
  const status = await new Promise((resolve, reject) => {
    request({ socketPath: path, path: '/' }, (response) => resolve(response.statusCode))
      .on('error', reject)
      .end();
  });
  expect(status).toBe(404);
});

test('says nothing of a secret that an error echoes', async () => {
  const { path, reconciler, redactor } = await openControl();
  redactor.hold('ghp_0123456789abcdef');
  reconciler.onListRunners = async () => {
    throw new Error('refused: authorization ghp_0123456789abcdef');
  };
  await expect(createControlClient(path).listRunners({})).rejects.toMatchObject({
    code: Code.Internal,
    rawMessage: 'refused: authorization REDACTED',
  });
});

const closed = (socket: Socket): Promise<void> => new Promise((resolve) => socket.once('close', () => resolve()));

describe('a connection', () => {
  test('that says nothing for five seconds is closed', async () => {
    const clock = fakeClock();
    const { path, server } = await openControl({ clock });
    const silent = connect({ path });
    const gone = closed(silent);
    await eventually(() => expect(clock.sleepers).toBe(1));
    await clock.advance(4_999);
    expect(silent.destroyed).toBe(false);
    await clock.advance(1);
    await gone;
    await server.close();
  });

  test('may bring its first bytes one by one', async () => {
    const { path } = await openControl();
    const socket = connect({ path });
    let answer = '';
    socket.setEncoding('utf8').on('data', (text: string) => (answer += text));
    for (const byte of 'POST / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n') {
      await new Promise((resolve) => socket.write(byte, resolve));
    }
    await closed(socket);
    expect(answer).toMatch(/^HTTP\/1\.1 404 /);
  });

  test('that speaks neither protocol is closed, and others are still answered', async () => {
    const { path } = await openControl();
    const strange = connect({ path });
    strange.resume().write('PRIVET\r\n\r\n');
    const other = connect({ path });
    other.resume().write('\u0016\u0003\u0001\u0000\r\n\r\n');
    await Promise.all([closed(strange), closed(other)]);
    await expect(createControlClient(path).getStatus({})).resolves.toMatchObject({ runners: [] });
  });
});

describe('what answers', () => {
  /** A socket in front of something that greets and hangs up, and fails to load the first time it is told to. */
  async function openGreeter(failures = 0) {
    const path = join(await tempDir(), 'rungar.sock');
    const logger = recordingLogger();
    let [loads, closings] = [0, 0];
    const server = await serveControl({
      path,
      async load() {
        loads += 1;
        if (loads <= failures) throw new Error('no such file');
        return {
          take: (connection, protocol) => void connection.end(`${protocol} after ${loads}`),
          close: async () => {
            closings += 1;
          },
        };
      },
      clock: systemClock,
      logger,
      umask: (mask) => process.umask(mask),
    });
    onTestFinished(() => server.close());
    const greeting = async (): Promise<string> => {
      const socket = connect({ path });
      let said = '';
      socket.setEncoding('utf8').on('data', (text: string) => (said += text));
      socket.on('error', () => {}); // hung up on
      socket.write('GET / HTTP/1.1\r\n\r\n');
      await closed(socket);
      return said;
    };
    return { server, logger, greeting, loads: () => loads, closings: () => closings };
  }

  test('is loaded by the first call alone', async () => {
    const { greeting, loads, server, closings } = await openGreeter();
    expect(loads()).toBe(0);
    expect(await Promise.all([greeting(), greeting()])).toEqual(['http1 after 1', 'http1 after 1']);
    await server.prepare();
    expect(loads()).toBe(1);
    await server.close();
    expect(closings()).toBe(1);
  });

  test('is loaded before the first call where that is wanted', async () => {
    const { greeting, loads, server } = await openGreeter();
    await server.prepare();
    expect(loads()).toBe(1);
    expect(await greeting()).toBe('http1 after 1');
  });

  test('is loaded by the next call where it could not be, which the log says', async () => {
    const { greeting, logger } = await openGreeter(1);
    expect(await greeting()).toBe('');
    expect(logger.lines.map(({ level, message }) => [level, message])).toEqual([
      ['error', 'Nothing can be answered at the socket'],
    ]);
    expect(await greeting()).toBe('http1 after 2');
  });

  test('is not loaded to be closed', async () => {
    const { server, loads } = await openGreeter();
    await server.close();
    expect(loads()).toBe(0);
  });
});

describe('stopping', () => {
  test('tells those who ask and those who follow that the daemon stops, and waits for handlers', async () => {
    const { path, server, reconciler } = await openControl();
    let handled = false;
    const asked = new Promise<void>((started) => {
      reconciler.onListRunners = (signal) =>
        new Promise((_, reject) => {
          started();
          signal.addEventListener('abort', () => {
            handled = true;
            reject(signal.reason as Error);
          });
        });
    });
    const client = createControlClient(path);
    const listing = client.listRunners({}).catch((error: unknown) => error);
    let caughtUp: (() => void) | undefined;
    const followed = new Promise<void>((resolve) => (caughtUp = resolve));
    const following = (async () => {
      for await (const _ of client.listEvents({ follow: true })) caughtUp?.();
    })().catch((error: unknown) => error);
    await Promise.all([asked, followed]);
    await server.close();
    expect(handled).toBe(true);
    for (const error of [await listing, await following]) {
      expect(ConnectError.from(error)).toMatchObject({ code: Code.Unavailable, rawMessage: 'the daemon is stopping' });
    }
  });

  test('is not held up by a client that says nothing', async () => {
    const { path, server } = await openControl();
    const idle = connect({ path });
    const gone = closed(idle);
    await new Promise((resolve) => idle.once('connect', resolve));
    await server.close();
    await gone;
  });
});
