import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { END, fakeDaemon, framed, json, streamed } from '../../test/fake-daemon.js';
import { StopRequest } from '../exit.js';
import { call, stream } from './call.js';

const signal = new AbortController().signal;

async function collect<T>(answers: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const answer of answers) all.push(answer);
  return all;
}

async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'rungar-call-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

describe('one question', () => {
  test('is a POST of JSON to the method, and its answer is given as it came', async () => {
    const { socket, asked } = await fakeDaemon(json({ scale_sets: [{ name: 'birch-s' }] }));
    const answer = await call({ socket, method: 'GetScaleSet', body: { name: 'birch-s' }, signal });
    expect(answer).toEqual({ scale_sets: [{ name: 'birch-s' }] });
    expect(asked).toEqual([
      { method: 'GetScaleSet', contentType: 'application/json', body: Buffer.from('{"name":"birch-s"}') },
    ]);
  });

  test('brings no character that commands a terminal, however it is spelled', async () => {
    const name = 'a\u001b]0;title\u0007b\u009b31mc\u007fd\re\tf\ng é 😀';
    const { socket } = await fakeDaemon(json({ runners: [{ job: { display_name: name } }] }));
    const safe = 'a\ufffd]0;title\ufffdb\ufffd31mc\ufffdd\ufffde\tf\ng é 😀';
    expect(await call({ socket, method: 'ListRunners', signal })).toEqual({
      runners: [{ job: { display_name: safe } }],
    });
  });

  test('without a body asks with an empty message', async () => {
    const { socket, asked } = await fakeDaemon(json({}));
    await call({ socket, method: 'GetStatus', signal });
    expect(asked[0]?.body.toString()).toBe('{}');
  });

  test.each([
    ['not_found', 404, 'not_found'],
    ['invalid_argument', 400, 'invalid_argument'],
    ['failed_precondition', 400, 'busy'],
    ['resource_exhausted', 429, 'no_capacity'],
    ['unavailable', 503, 'unavailable'],
    ['internal', 500, 'internal'],
    ['unimplemented', 501, 'internal'],
    ['a_code_of_tomorrow', 500, 'internal'],
  ])('refused as %s fails with the class of that', async (code, status, expected) => {
    const { socket } = await fakeDaemon(json({ code, message: 'there is no scale set "x"' }, status));
    await expect(call({ socket, method: 'GetScaleSet', signal })).rejects.toMatchObject({
      code: expected,
      message: 'there is no scale set "x"',
    });
  });

  test.each([
    ['an error without a message', 503, { code: 'unavailable' }],
    ['a page that is no JSON', 502, '<html>Bad gateway</html>'],
    ['success that is no JSON', 200, 'hello'],
    ['nothing', 404, ''],
  ])('answered with %s says what came', async (_, status, body) => {
    const { socket } = await fakeDaemon(json(body, status));
    await expect(call({ socket, method: 'GetStatus', signal })).rejects.toThrow(
      `the daemon answered HTTP ${status} to GetStatus`,
    );
  });

  test('that the user ends fails with what the user ended it by', async () => {
    const stop = new AbortController();
    const reason = new StopRequest('SIGINT');
    const { socket } = await fakeDaemon(() => stop.abort(reason));
    await expect(call({ socket, method: 'GetStatus', signal: stop.signal })).rejects.toBe(reason);
  });

  test('whose answer breaks off says that the daemon has gone', async () => {
    const { socket } = await fakeDaemon((_, response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('{"daemon":', () => response.destroy());
    });
    await expect(call({ socket, method: 'GetStatus', signal })).rejects.toMatchObject({ exitCode: 3 });
  });
});

describe('a stream', () => {
  const first = { events: [{ name: 'birch-s-0a1b2c3d', message: 'Größe: 2 vCPU' }] };
  const second = { events: [{ name: 'birch-s-77aa00ee' }], caught_up: true };

  test('asks with one framed message', async () => {
    const { socket, asked } = await fakeDaemon(streamed([END]));
    await collect(stream({ socket, method: 'ListEvents', body: { follow: true }, signal }));
    expect(asked[0]).toEqual({
      method: 'ListEvents',
      contentType: 'application/connect+json',
      body: Buffer.from('\0\0\0\0\x0f{"follow":true}'),
    });
  });

  test('of nothing is empty', async () => {
    const { socket } = await fakeDaemon(streamed([END]));
    expect(await collect(stream({ socket, method: 'ListEvents', signal }))).toEqual([]);
  });

  const whole = Buffer.concat([framed(first), framed(second), END]);
  const cuts: [string, Buffer[]][] = [
    ['in one piece', [whole]],
    ['byte by byte', [...whole].map((byte) => Buffer.from([byte]))],
    ['cut within a head', [whole.subarray(0, 3), whole.subarray(3)]],
    ['cut within a character', cutAt(whole, whole.indexOf('ö') + 1)],
    ['with a head alone and two messages together', [whole.subarray(0, 5), whole.subarray(5)]],
  ];
  test.each(cuts)('that comes %s gives the same answers', async (_, parts) => {
    const { socket } = await fakeDaemon(streamed(parts));
    expect(await collect(stream({ socket, method: 'ListEvents', signal }))).toEqual([first, second]);
  });

  test('gives each answer as soon as it is there', async () => {
    const { socket } = await fakeDaemon(streamed([framed(first)], { end: 'never' }));
    const answers = stream({ socket, method: 'ListEvents', signal });
    expect(await answers.next()).toEqual({ done: false, value: first });
  });

  test('that ends with an error gives what came before, and then fails', async () => {
    const end = framed({ error: { code: 'unavailable', message: 'this follower fell behind' } }, 2);
    const { socket } = await fakeDaemon(streamed([framed(first), end]));
    const answers = stream({ socket, method: 'ListEvents', signal });
    expect((await answers.next()).value).toEqual(first);
    await expect(answers.next()).rejects.toMatchObject({ code: 'unavailable', message: 'this follower fell behind' });
  });

  test.each(['break', 'close'] as const)('that ends by a %s before its last message says so', async (end) => {
    const { socket } = await fakeDaemon(streamed([framed(first)], { end }));
    const answers = stream({ socket, method: 'ListEvents', signal });
    expect((await answers.next()).value).toEqual(first);
    await expect(answers.next()).rejects.toMatchObject({
      exitCode: 3,
      message: expect.stringContaining('has gone before its answer was complete'),
    });
  });

  test('that is refused fails with the reason', async () => {
    const { socket } = await fakeDaemon(json({ code: 'invalid_argument', message: 'must not be negative' }, 400));
    await expect(collect(stream({ socket, method: 'ListEvents', signal }))).rejects.toMatchObject({
      code: 'invalid_argument',
      message: 'must not be negative',
    });
  });

  test('that the user ends fails with what the user ended it by', async () => {
    const stop = new AbortController();
    const reason = new StopRequest('SIGTERM');
    const { socket } = await fakeDaemon(streamed([framed(first)], { end: 'never' }));
    const answers = stream({ socket, method: 'ListEvents', signal: stop.signal });
    await answers.next();
    stop.abort(reason);
    await expect(answers.next()).rejects.toBe(reason);
  });
});

describe('without a daemon', () => {
  test('a missing socket is named, with the ways to name another', async () => {
    const socket = join(await temporaryFolder(), 'none.sock');
    await expect(call({ socket, method: 'GetStatus', signal })).rejects.toMatchObject({
      exitCode: 3,
      message: `there is no socket at "${socket}"`,
      hint: expect.stringMatching(/--socket.*RUNGAR_SOCKET/),
    });
  });

  test('a socket that a dead daemon left is called unreachable', async () => {
    const folder = await temporaryFolder();
    const left = join(folder, 'left.sock');
    const moved = join(folder, 'moved.sock');
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(moved, resolve));
    await rename(moved, left);
    await new Promise((resolve) => server.close(resolve));
    await expect(call({ socket: left, method: 'GetStatus', signal })).rejects.toMatchObject({
      exitCode: 3,
      message: `the daemon cannot be reached at "${left}" (ECONNREFUSED)`,
    });
  });

  test('an ordinary file in its place is called unreachable', async () => {
    const socket = join(await temporaryFolder(), 'file');
    await writeFile(socket, 'not a socket');
    await expect(call({ socket, method: 'GetStatus', signal })).rejects.toMatchObject({ exitCode: 3 });
  });

  test('a path that no socket can have is called unreachable', async () => {
    const socket = `/tmp/${'x'.repeat(200)}`;
    await expect(call({ socket, method: 'GetStatus', signal })).rejects.toMatchObject({ exitCode: 3 });
  });
});

function cutAt(bytes: Buffer, at: number): Buffer[] {
  return [bytes.subarray(0, at), bytes.subarray(at)];
}
