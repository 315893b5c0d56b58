import { formatSize, RungarError } from '@rungar/model';
import type { ListedNode } from './resources.js';
import type { ProxmoxRunner } from './settings.js';

/**
 * The node to make a machine on: of those that are up and large enough, the one with the most free memory.
 * @param wanted the nodes to choose from; empty for every one
 * @param promised how much of a node's memory machines will take that are being made, in bytes
 * @throws RungarError `invalid_argument` when no node could ever have it; `no_capacity` when none has room now;
 * `unavailable` when none is up
 */
export function chooseNode(
  nodes: readonly ListedNode[],
  wanted: readonly string[],
  { cores, memory: size }: Pick<ProxmoxRunner, 'cores' | 'memory'>,
  promised: (node: string) => number,
): ListedNode {
  const memory = Number(size);
  const candidates = wanted.length === 0 ? nodes : nodes.filter(({ name }) => wanted.includes(name));
  if (candidates.length === 0) throw noCandidates(nodes, wanted);
  const sized = candidates.filter((node) => node.cores > 0 && node.memory > 0);
  if (sized.length > 0 && !sized.some((node) => node.cores >= cores && node.memory >= memory)) {
    throw new RungarError(
      'invalid_argument',
      `no node has ${cores} cores and ${formatSize(size)} of memory: ${sized.map(describeSize).join(', ')}`,
      { hint: 'ask for smaller machines, or name larger nodes' },
    );
  }
  const online = candidates.filter(({ isOnline }) => isOnline);
  if (online.length === 0) {
    throw new RungarError('unavailable', `no node is online: ${candidates.map(({ name }) => name).join(', ')}`);
  }
  const free = (node: ListedNode): number => Math.max(node.memory - node.memoryUsed, 0) - promised(node.name);
  const fitting = online.filter((node) => node.cores >= cores && free(node) >= memory);
  const [first, ...others] = fitting;
  if (first === undefined) throw noRoom(online, size, free);
  return others.reduce((best, node) => (free(node) > free(best) ? node : best), first);
}

function noCandidates(nodes: readonly ListedNode[], wanted: readonly string[]): RungarError {
  if (wanted.length === 0) return new RungarError('internal', 'the cluster lists no node');
  const known = nodes.map(({ name }) => name).join(', ');
  return new RungarError('invalid_argument', `none of the nodes ${wanted.join(', ')} is in the cluster`, {
    hint: `its nodes are ${known}`,
  });
}

function noRoom(online: readonly ListedNode[], size: bigint, free: (node: ListedNode) => number): RungarError {
  const rooms = online.map((node) => `${node.name} has ${formatSize(BigInt(Math.max(0, Math.trunc(free(node)))))}`);
  return new RungarError('no_capacity', `no node has ${formatSize(size)} of memory free: ${rooms.join(', ')}`);
}

function describeSize({ name, cores, memory }: ListedNode): string {
  return `${name} has ${cores} and ${formatSize(BigInt(memory))}`;
}
