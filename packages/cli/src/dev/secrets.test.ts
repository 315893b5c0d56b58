import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { DevBackend } from './backends/backend.js';
import { countTold, secretsOf } from './secrets.js';
import type { DevWorld } from './world.js';

const KEY_LINE = 'MIIEvgIBADANBgkqhkiG9w0BAQEFAASCBKgwggSkAgEAAoIBAQC7VJTUt9Us8cKj';

test('what is secret: the key, what signs calls, what backends ask for, and what machines were given', () => {
  const machines = [{ registration: 'jit-1' }, { registration: undefined }, { registration: 'jit-1' }];
  const backend = { secrets: ['a-password'], machines: () => machines } as unknown as DevBackend;
  const requests = [
    { headers: { authorization: 'Bearer a-token' } },
    { headers: {} },
    { headers: { authorization: 'Bearer a-token' } },
  ];
  const appKey = `-----BEGIN PRIVATE KEY-----\n${KEY_LINE}\nAQ==\n-----END PRIVATE KEY-----\n`;
  const world = { appKey, backends: [backend], github: { requests } } as unknown as DevWorld;
  expect(secretsOf(world)).toEqual([KEY_LINE, 'a-password', 'a-token', 'jit-1']);
});

test('a secret is told when any of the files holds it', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'rungar-secrets-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const [log = '', events = ''] = ['log', 'events'].map((name) => join(folder, name));
  await writeFile(log, 'time=... msg="sent a-token"\n');
  await writeFile(events, '{"message":"a-password, a-token"}\n');
  expect(await countTold(['a-token', 'a-password', 'jit-1'], [log, events, join(folder, 'none')])).toBe(2);
});
