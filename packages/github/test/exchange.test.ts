import { Secret } from '@rungar/model';
import { expect, test } from 'vitest';
import { createScaleSetService, type WireRequest } from '../src/index.js';
import { call } from './clients.js';
import { quickClock } from './quick-clock.js';

const credentials = { kind: 'token', token: new Secret('ghp-mine') } as const;
const url = 'https://github.com/acme';

test('a way to GitHub of the caller is given every request as it goes over the wire', async () => {
  const requests: WireRequest[] = [];
  const client = createScaleSetService({
    url,
    credentials,
    clock: quickClock(),
    async exchange(request) {
      requests.push(request);
      return {
        status: 200,
        headers: { etag: ['"1"', '"2"'] },
        body: '{"runners":[{"id":7,"name":"a","status":"online"}]}',
      };
    },
  });
  const { runners } = await client.runnerStatuses(call);
  expect([...runners]).toEqual([['a', { id: 7, status: 'idle' }]]);
  await client.close();
  const [first] = requests;
  expect(requests).toHaveLength(1);
  expect(first?.method).toBe('GET');
  expect(first?.url.href).toBe('https://api.github.com/orgs/acme/actions/runners?per_page=100');
  expect(first?.headers.authorization).toBe('Bearer ghp-mine');
});

test('what it throws counts as no answer of GitHub', async () => {
  const statuses: unknown[] = [];
  const client = createScaleSetService({
    url,
    credentials,
    clock: quickClock(),
    onRequest: (status) => statuses.push(status),
    exchange: () => Promise.reject(new Error('the way is blocked')),
  });
  await expect(client.runnerStatuses(call)).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringContaining('the way is blocked'),
  });
  expect(statuses).toEqual(['error']);
  await client.close();
});
