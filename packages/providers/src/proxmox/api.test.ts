import { createRedactor } from '@rungar/model';
import { fakeClock } from '@rungar/model/testing';
import { describe, expect, test } from 'vitest';
import { pveOver, vmPath } from './api.js';
import type { PveReply } from './transport.js';

const signal = new AbortController().signal;

function asking(reply: Partial<PveReply> | Error): Promise<unknown> {
  const pve = pveOver({
    transport: {
      send: async () => {
        if (reply instanceof Error) throw reply;
        return { status: 200, reason: 'OK', body: '{"data":null}', date: undefined, ...reply };
      },
      close() {},
    },
    clock: fakeClock(),
    redactor: createRedactor(),
    timeoutMs: 1_000,
  });
  return pve.get('version', signal);
}

test('an answer is what its envelope holds', async () => {
  expect(await asking({ body: '{"data":{"release":"9.0"}}' })).toEqual({ release: '9.0' });
  expect(await asking({})).toBeNull();
});

test.each(['', '<html></html>', '[]', '"data"', 'null', '{"date":1}'])('an answer of %j is not one', async (body) => {
  await expect(asking({ body })).rejects.toMatchObject({ refusal: 'unanswered' });
});

describe('an error says', () => {
  test.each<[string, Partial<PveReply>, string]>([
    ['the status line', { status: 500, reason: 'no such thing', body: '' }, 'no such thing'],
    ['the usual words where that is empty', { status: 500, reason: '', body: '{}' }, 'Internal Server Error'],
    ['the number where there are none', { status: 595, reason: '', body: '' }, 'HTTP 595'],
    [
      'the message once',
      { status: 500, reason: 'no such VM', body: '{"data":null,"message":"no such VM\\n"}' },
      'no such VM',
    ],
    [
      'another message too',
      { status: 500, reason: 'failed', body: '{"message":"for a reason\\n"}' },
      'failed: for a reason',
    ],
    [
      'what is wrong with each parameter, by name',
      {
        status: 400,
        reason: 'Parameter verification failed.',
        body: '{"errors":{"name":"bad","cores":"too many\\n"}}',
      },
      'Parameter verification failed.; cores: too many; name: bad',
    ],
  ])('%s', async (_, reply, message) => {
    await expect(asking(reply)).rejects.toMatchObject({ message });
  });
});

test.each([
  ['ECONNREFUSED', 'unsent'],
  ['ENOTFOUND', 'unsent'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'unsent'],
  ['ECONNRESET', 'unanswered'],
  ['EPIPE', 'unanswered'],
])('a connection that fails with %s leaves a call %s', async (code, refusal) => {
  const error = Object.assign(new Error(`it failed: ${code}`), { code });
  await expect(asking(error)).rejects.toMatchObject({ refusal, message: `GET version: it failed: ${code}` });
});

test('names in paths are encoded', () => {
  expect(vmPath('a/b', 105, '/config')).toBe('nodes/a%2Fb/qemu/105/config');
});
