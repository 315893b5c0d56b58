import { request } from 'node:https';
import { afterEach, expect } from 'vitest';
import { type ManualClock, manualClock } from '../src/clock.js';
import { type PveEmulator, type PveEmulatorOptions, startPveEmulator } from '../src/proxmox/index.js';
import { seededRandom } from '../src/random.js';

const NOON = Date.UTC(2026, 0, 2, 12, 0, 0);

const endings: (() => void | Promise<void>)[] = [];

/** What a test starts is ended after it. */
export function endAfterTest(end: () => void | Promise<void>): void {
  endings.push(end);
}

afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end();
});

export interface PveAnswer {
  readonly status: number;
  /** What stands after the status. */
  readonly reason: string;
  readonly body: { readonly data?: unknown; readonly message?: string; readonly errors?: Record<string, string> };
}

export interface PveWorld {
  readonly pve: PveEmulator;
  readonly clock: ManualClock;
  call(method: string, path: string, params?: Readonly<Record<string, string>>, token?: string): Promise<PveAnswer>;
  /** The data of a call that succeeds. */
  data<T = Record<string, unknown>>(
    method: string,
    path: string,
    params?: Readonly<Record<string, string>>,
  ): Promise<T>;
}

/** An emulator whose clock stands still at noon. */
export async function startPveWorld(options: PveEmulatorOptions = {}): Promise<PveWorld> {
  const clock = manualClock(NOON);
  const pve = await startPveEmulator({ clock, random: seededRandom(1), ...options });
  endAfterTest(async () => {
    await pve.close();
    expect(pve.failures).toEqual([]);
  });
  const call: PveWorld['call'] = (method, path, params = {}, token = `${pve.token.id}=${pve.token.secret}`) =>
    send(pve, method, path, params, token);
  return {
    pve,
    clock,
    call,
    async data<T>(method: string, path: string, params?: Readonly<Record<string, string>>) {
      const answer = await call(method, path, params);
      expect(answer).toMatchObject({ status: 200 });
      return answer.body.data as T;
    },
  };
}

function send(
  pve: PveEmulator,
  method: string,
  path: string,
  params: Readonly<Record<string, string>>,
  token: string,
): Promise<PveAnswer> {
  const form = new URLSearchParams(params).toString();
  const inBody = method === 'POST' || method === 'PUT';
  const url = `${pve.url}/api2/json${path}${inBody || form === '' ? '' : `?${form}`}`;
  const headers = {
    authorization: `PVEAPIToken=${token}`,
    ...(inBody && { 'content-type': 'application/x-www-form-urlencoded', 'content-length': String(form.length) }),
  };
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers, ca: pve.certificate, agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          reason: response.statusMessage ?? '',
          body: JSON.parse(text) as PveAnswer['body'],
        }),
      );
    });
    sent.on('error', reject);
    sent.end(inBody ? form : undefined);
  });
}
