import { describe, expect, test } from 'vitest';
import { chooseNode } from './node-choice.js';
import type { ListedNode } from './resources.js';

const GIB = 1024 ** 3;
const ASKED = { cores: 4, memory: 8n * 1024n ** 3n };

function node(name: string, more: Partial<ListedNode> = {}): ListedNode {
  return { name, isOnline: true, cores: 8, memory: 32 * GIB, memoryUsed: 0, ...more };
}

const nothing = (): number => 0;
const choose = (nodes: ListedNode[], wanted: string[] = [], promised: (node: string) => number = nothing): string =>
  chooseNode(nodes, wanted, ASKED, promised).name;

describe('the node', () => {
  test('is the one with the most free memory', () => {
    expect(
      choose([node('a', { memoryUsed: 2 * GIB }), node('b', { memoryUsed: GIB }), node('c', { memoryUsed: 3 * GIB })]),
    ).toBe('b');
  });

  test('is the first listed of those with as much', () => expect(choose([node('b'), node('a')])).toBe('b'));

  test('is one of those that are named, by its exact name', () => {
    expect(choose([node('a'), node('B', { memoryUsed: GIB })], ['B'])).toBe('B');
  });

  test('may have exactly what is asked', () => {
    expect(choose([node('a', { cores: 4, memory: 8 * GIB })])).toBe('a');
    expect(choose([node('a', { memoryUsed: 24 * GIB })])).toBe('a');
  });

  test('is not one with too few cores, however much memory it has', () => {
    expect(choose([node('a', { cores: 3, memory: 99 * GIB }), node('b')])).toBe('b');
  });

  test('is not one whose memory is promised', () => {
    const promised = (name: string): number => (name === 'a' ? 24 * GIB + 1 : 23 * GIB);
    expect(choose([node('a'), node('b', { memoryUsed: GIB })], [], promised)).toBe('b');
  });

  test('is not one that is offline', () => {
    expect(choose([node('a', { isOnline: false }), node('b', { memoryUsed: GIB })])).toBe('b');
  });
});

describe('there is none', () => {
  test.each<[string, string, string, ListedNode[], string[]]>([
    ['without nodes', 'internal', 'lists no node', [], []],
    ['of these names', 'invalid_argument', 'none of the nodes x', [node('a')], ['x']],
    ['with a byte too little', 'invalid_argument', 'a has 8 and', [node('a', { memory: 8 * GIB - 1 })], []],
    [
      'with a core too few, now or later',
      'invalid_argument',
      'a has 3 and',
      [node('a', { cores: 3, isOnline: false })],
      [],
    ],
    ['that is up', 'unavailable', 'no node is online: a', [node('a', { isOnline: false })], []],
    [
      'that is up, and sizes are not known',
      'unavailable',
      'no node',
      [node('a', { isOnline: false, cores: 0, memory: 0 })],
      [],
    ],
    ['with room now', 'no_capacity', 'a has 7.999GiB', [node('a', { memoryUsed: 24 * GIB + 1024 * 1024 })], []],
    ['with more used than there is', 'no_capacity', 'a has 0B', [node('a', { memoryUsed: 99 * GIB })], []],
  ])('%s', (_, code, message, nodes, wanted) => {
    const error = (() => {
      try {
        return choose(nodes, wanted);
      } catch (thrown) {
        return thrown;
      }
    })();
    expect(error).toMatchObject({ code, message: expect.stringContaining(message) });
  });
});
