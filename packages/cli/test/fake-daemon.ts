import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** What was asked of the daemon. */
export interface Asked {
  readonly method: string;
  readonly contentType: string;
  /** The request's body as it came. */
  readonly body: Buffer;
}

export interface FakeDaemon {
  readonly socket: string;
  readonly asked: Asked[];
}

/** A message of Connect's streaming form, written by hand: flags, length in four bytes, text. */
export function framed(value: unknown, flags = 0): Buffer {
  const text = Buffer.from(typeof value === 'string' ? value : JSON.stringify(value));
  const head = [flags, text.length >>> 24, (text.length >>> 16) & 255, (text.length >>> 8) & 255, text.length & 255];
  return Buffer.concat([Buffer.from(head), text]);
}

/** How a stream of the daemon ends well. */
export const END = framed({}, 2);

/** Listens on a Unix socket of its own until the test is over, and answers every call with `answer`. */
export async function fakeDaemon(
  answer: (asked: Asked, response: ServerResponse) => void | Promise<void>,
): Promise<FakeDaemon> {
  const folder = await mkdtemp(join(tmpdir(), 'rungar-cli-'));
  const socket = join(folder, 's');
  const asked: Asked[] = [];
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const one = {
      method: (request.url ?? '').replace('/rungar.v1.RungarService/', ''),
      contentType: request.headers['content-type'] ?? '',
      body: Buffer.concat(parts),
    };
    asked.push(one);
    await answer(one, response);
  };
  const server = createServer((request, response) => void serve(request, response));
  await new Promise<void>((resolve) => server.listen(socket, resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await rm(folder, { recursive: true });
  });
  return { socket, asked };
}

/** Answers with one JSON document. */
export function json(value: unknown, status = 200): (asked: Asked, response: ServerResponse) => void {
  return (_, response) => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(typeof value === 'string' ? value : JSON.stringify(value));
  };
}

/** Answers with a stream, part by part: each part has left before the next one is written. */
export function streamed(parts: readonly Buffer[], options: { end?: 'close' | 'break' | 'never' } = {}) {
  return async (_: Asked, response: ServerResponse): Promise<void> => {
    response.writeHead(200, { 'content-type': 'application/connect+json' });
    for (const part of parts) {
      await new Promise<void>((resolve) => response.write(part, () => resolve()));
      await new Promise<void>((resolve) => setImmediate(resolve));
    }
    if (options.end === 'break') response.destroy();
    else if (options.end !== 'never') response.end();
  };
}
