import type { Demand } from './classify.js';

/** The demand for a terminal: what waits, for whom, and what else lies in the mailbox. */
export function demandText(demand: Demand): string {
  const { inspected, unclaimed } = demand;
  const kinds = Object.entries(unclaimed).filter(([, count]) => count > 0);
  const what = kinds.length === 0 ? '' : ` (${kinds.map(([kind, count]) => `${kind} ${count}`).join(', ')})`;
  const lines = [
    inspected
      ? `${demand.demand} unclaimed${what}, ${demand.running} running, ${demand.done} done, ${demand.withdrawn} withdrawn` +
        (demand.unknown > 0 ? `, ${demand.unknown} of unknown state` : '')
      : `at most ${demand.demand} waiting${what}: an upper bound, some may be claimed (--inspect looks)`,
    `wanted nodes: ${demand.wantedNodes.length === 0 ? 'none' : demand.wantedNodes.join(', ')}`,
    ...demand.pools.map(({ prefix, count, wantedNodes, wanted, gaps }) => {
      const of = count === null ? '' : ` of ${count}`;
      const missing = gaps.length === 0 ? '' : `, without ${gaps.map((index) => `${prefix}${index}`).join(', ')}`;
      return `pool ${prefix}: ${wantedNodes.length}${of} wanted${wanted > 0 ? `, up to ${prefix}${wanted - 1}` : ''}${missing}`;
    }),
    ...(demand.unservable.length > 0 ? [`of no known pool: ${demand.unservable.join(', ')}`] : []),
    ...(demand.oldestUnclaimedSeconds === null ? [] : [`oldest first seen ${demand.oldestUnclaimedSeconds} s ago`]),
    `mailbox: ${demand.branches} branches, ${demand.transport} transport, ${demand.stale} stale, ${demand.retained} retained, ${demand.foreign} foreign`,
    ...demand.messages.map((message) => `attention: ${message}`),
  ];
  return `${lines.join('\n')}\n`;
}

/** The same on one line, for a watcher. */
export function demandLine(demand: Demand): string {
  const { unclaimed } = demand;
  return (
    `probes ${unclaimed.probe}, builds ${unclaimed.build}, publishes ${unclaimed.publish} unclaimed; ` +
    `${demand.running} running; wanted: ${demand.wantedNodes.length === 0 ? 'none' : demand.wantedNodes.join(', ')}`
  );
}
