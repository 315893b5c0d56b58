import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** An EC2 written by somebody else, on a port of 127.0.0.1. */
export interface MotoServer {
  readonly url: string;
  stop(): Promise<void>;
}

export function hasMoto(): boolean {
  return spawnSync('sh', ['-c', 'command -v moto_server']).status === 0;
}

const READY_WITHIN_MS = 60_000;
const ASK_EVERY_MS = 100;

export async function startMoto(): Promise<MotoServer> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const child = spawn('moto_server', ['-H', '127.0.0.1', '-p', String(port)], { stdio: 'ignore' });
  const ended = once(child, 'exit');
  const stop = async (): Promise<void> => {
    child.kill('SIGKILL');
    await ended;
  };
  try {
    await untilReady(`${url}/moto-api/`, ended);
  } catch (error) {
    await stop();
    throw error;
  }
  return { url, stop };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  if (address === null || typeof address === 'string') throw new Error('no port was given');
  return address.port;
}

async function untilReady(url: string, ended: Promise<unknown>): Promise<void> {
  let isOver = false;
  void ended.then(() => {
    isOver = true;
  });
  for (let waited = 0; waited < READY_WITHIN_MS && !isOver; waited += ASK_EVERY_MS) {
    const answer = await fetch(url).catch(() => undefined);
    if (answer?.ok) return;
    await sleep(ASK_EVERY_MS);
  }
  throw new Error(isOver ? 'moto_server ended at its start' : 'moto_server did not start in time');
}
