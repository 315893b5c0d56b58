import { expect, test } from 'vitest';
import { directions } from './keep.js';

const plain = (text: string): string => text;

test('the commands can be pasted, also where a path has a space or a quote in it', () => {
  const socket = "/tmp/o'brien home/rungar.sock";
  const text = directions({ config: '/c', socket, log: '/l', page: 'http://127.0.0.1:9103/' }, plain);
  expect(text).toContain('  page           http://127.0.0.1:9103/\n');
  expect(text).toContain("  rungar status --socket '/tmp/o'\\''brien home/rungar.sock'\n");
  expect(text).toContain("  rungar events --follow --socket '/tmp/o'\\''brien home/rungar.sock'\n");
});

test('a plain path stands as it is', () => {
  const text = directions({ config: '/c', socket: '/tmp/world-1/rungar.sock', log: '/l', page: 'p' }, plain);
  expect(text).toContain('  rungar status --socket /tmp/world-1/rungar.sock\n');
});
