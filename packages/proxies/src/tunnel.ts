import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { endOf, inAddress } from './host.js';
import { ProxyRefusal } from './refusal.js';

/**
 * Opens a way to a host through a proxy, for what speaks no HTTP/1.1 over it.
 * @param signal ends the wait
 * @returns a socket whose other end is that host
 * @throws ProxyRefusal when the proxy lets nobody through; the system's error when it cannot be reached
 */
export async function openTunnel(proxy: URL, host: string, port: number, signal: AbortSignal): Promise<Socket> {
  const { request } = proxy.protocol === 'https:' ? await import('node:https') : await import('node:http');
  const end = `${inAddress(host)}:${port}`;
  const asked = request({
    ...endOf(proxy),
    agent: false,
    method: 'CONNECT',
    path: end,
    headers: { host: end, ...credentialsOf(proxy) },
  });
  return await answerOf(asked, proxy, signal);
}

function answerOf(asked: ClientRequest, proxy: URL, signal: AbortSignal): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const fail = (error: unknown): void => {
      signal.removeEventListener('abort', abandon);
      asked.destroy();
      reject(error as Error);
    };
    const abandon = (): void => fail(signal.reason);
    asked.on('error', fail);
    asked.once('connect', ({ statusCode = 0 }: IncomingMessage, socket, head) => {
      if (statusCode !== 200) {
        socket.destroy();
        fail(new ProxyRefusal(proxy, statusCode));
        return;
      }
      signal.removeEventListener('abort', abandon);
      if (head.length > 0) socket.unshift(head);
      resolve(socket as Socket);
    });
    if (signal.aborted) abandon();
    else signal.addEventListener('abort', abandon, { once: true });
    asked.end();
  });
}

function credentialsOf({ username, password }: URL): { 'proxy-authorization'?: string } {
  if (username === '' && password === '') return {};
  const words = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { 'proxy-authorization': `Basic ${Buffer.from(words).toString('base64')}` };
}
