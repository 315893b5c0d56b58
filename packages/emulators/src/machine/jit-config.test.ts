import { expect, test } from 'vitest';
import { decodeJitConfig, encodeJitConfig } from './jit-config.js';

const config = {
  serverUrl: 'http://127.0.0.1:1/runners',
  scaleSetId: 3,
  runnerId: 7,
  name: 'linux-1',
  secret: 's3cret',
};
const base64 = (text: string): string => Buffer.from(text).toString('base64');

test('encodes the names of configuration files to their contents in base64', () => {
  const files = JSON.parse(Buffer.from(encodeJitConfig(config), 'base64').toString()) as Record<string, string>;
  expect(Object.keys(files)).toEqual(['.runner', '.credentials']);
  expect(JSON.parse(Buffer.from(files['.runner'] ?? '', 'base64').toString())).toMatchObject({
    runnerId: 7,
    name: 'linux-1',
  });
});

test('reads back what was encoded', () => {
  expect(decodeJitConfig(encodeJitConfig(config))).toEqual(config);
});

test.each([
  ['text that is no base64', '{}', 'the configuration is not base64'],
  ['something that is no JSON', base64('hello'), 'the configuration is not JSON in base64'],
  ['a list', base64('1'), 'the configuration is not a JSON object'],
  ['an object without the files', base64('{}'), 'the configuration has no .runner'],
])('refuses %s', (_, text, message) => {
  expect(() => decodeJitConfig(text)).toThrow(message);
});
