import { seededRandom } from '@rungar/model/testing';
import { describe, expect, test } from 'vitest';
import { EdgeList, topologicalOrder } from './adjacency.js';
import { maximumAntichain } from './width.js';

function antichain(
  size: number,
  edges: readonly (readonly [number, number])[],
  members?: readonly number[],
): readonly number[] {
  const list = new EdgeList(size);
  for (const [from, to] of edges) list.add(from, to);
  const graph = list.toAdjacency();
  const ordering = topologicalOrder(graph);
  if (!('order' in ordering)) throw new Error('the graph has a cycle');
  return maximumAntichain(
    graph,
    ordering.order,
    Int32Array.from(members ?? Array.from({ length: size }, (_, at) => at)),
  );
}

describe('the largest unrelated set', () => {
  test.each([
    { name: 'of nothing is empty', size: 0, edges: [], want: [] },
    { name: 'of unrelated vertices is all of them', size: 3, edges: [], want: [0, 1, 2] },
    {
      name: 'of a fork is its prongs',
      size: 4,
      edges: [
        [0, 1],
        [0, 2],
        [0, 3],
      ] as const,
      want: [1, 2, 3],
    },
    {
      name: 'of two forks that share a prong is their prongs',
      size: 5,
      edges: [
        [0, 2],
        [0, 3],
        [1, 3],
        [1, 4],
      ] as const,
      want: [2, 3, 4],
    },
  ])('$name', ({ size, edges, want }) => {
    expect(antichain(size, edges)).toEqual(want);
  });

  test('counts paths through vertices that are no members', () => {
    expect(
      antichain(
        3,
        [
          [0, 1],
          [1, 2],
        ],
        [0, 2],
      ),
    ).toHaveLength(1);
  });

  test('needs more than the nearest match: three sources that share two targets', () => {
    const edges = [
      [0, 3],
      [0, 4],
      [1, 3],
      [2, 4],
    ] as const;
    expect(antichain(5, edges)).toEqual([0, 1, 2]);
  });

  test('has words of bits to spare at 32 and 33 vertices', () => {
    for (const size of [31, 32, 33, 64, 65]) {
      const chain = Array.from({ length: size - 1 }, (_, at) => [at, at + 1] as const);
      expect(antichain(size, chain)).toHaveLength(1);
      expect(antichain(size, [])).toHaveLength(size);
    }
  });

  test('of 2,000 layered vertices is one layer', () => {
    const random = seededRandom(7);
    const layers = 40;
    const each = 50;
    // Every vertex leads to its successor in the next layer, so that 50 chains cover all.
    const edges: [number, number][] = [];
    for (let layer = 0; layer + 1 < layers; layer++) {
      for (let at = 0; at < each; at++) {
        edges.push([layer * each + at, (layer + 1) * each + at]);
        edges.push([layer * each + at, (layer + 1) * each + Math.floor(random.fraction() * each)]);
      }
    }
    expect(antichain(layers * each, edges)).toHaveLength(each);
  });
});
