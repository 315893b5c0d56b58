import { formatDurationMs } from '@rungar/model';
import { wrapLine } from '../../wrap.js';
import type { ClusterEvent } from '../events.js';
import type { FollowEvent } from '../follow.js';
import type { NodeState } from '../pods.js';
import type { WaitedNode } from '../readiness.js';
import type { WaitProgress, WaitResult } from '../wait.js';

const MOST_EVENTS = 10;

/** One change, as a line for a person. */
export function progressText(progress: WaitProgress): string {
  switch (progress.kind) {
    case 'state':
      return wrapLine(`${progress.state.node}  ${stateText(progress.state)}`);
    case 'started':
      return `${progress.node}  its worker has started`;
    case 'ready':
      return `${progress.node}  ready`;
    case 'mailbox error':
      return wrapLine(
        `${progress.node}  running, but index ${progress.index} cannot serve its mailbox: ${progress.text}`,
      );
    case 'wrong name':
      return wrapLine(`${progress.node}  running, but index ${progress.index} calls itself ${progress.text}`);
    case 'note':
      return wrapLine(`Note: ${progress.text}`);
  }
}

/** `pending (Unschedulable: 0/3 nodes are available)`. */
function stateText({ phase, reason, message, exitCode }: NodeState): string {
  const why = [
    exitCode === undefined ? '' : `exit code ${exitCode}`,
    [reason, message].filter((part) => part).join(': '),
  ]
    .filter((part) => part !== '')
    .join(', ');
  const words = phase === 'absent' ? 'no pod yet' : phase;
  return why === '' ? words : `${words} (${oneLine(why)})`;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

/** How a wait ended, and why. */
export function waitText(result: WaitResult): string {
  const { outcome, nodes, until, tookMs, limitMs, failure, events } = result;
  const lines: string[] = [];
  switch (outcome) {
    case 'ready':
      lines.push(`${nodes.length} of ${nodes.length} nodes are ${until} after ${formatDurationMs(tookMs)}.`);
      if (until === 'running') lines.push(NOT_PROVEN);
      break;
    case 'failed':
      lines.push(`${failure?.node ?? 'The pool'} ${failure?.why ?? 'failed'}.`, `Hint: ${failure?.hint ?? ''}.`);
      if (failure && failure.lastLines.length > 0) lines.push('The end of its log:');
      break;
    case 'timed out': {
      const late = nodes.filter(({ ready }) => !ready);
      lines.push(`${late.length} of ${nodes.length} nodes are not ${until} after ${formatDurationMs(limitMs)}:`);
      lines.push(...late.map((node) => `  ${lateText(node)}`));
      break;
    }
  }
  const log = (failure?.lastLines ?? []).map((line) => `  ${line}`);
  return [...lines.map((line) => wrapLine(line, 4)), ...log, ...eventLines(events)].map((line) => `${line}\n`).join('');
}

const NOT_PROVEN =
  'That they run does not prove that they serve: a worker has no readiness of its own, and one with a wrong key runs too.';

function lateText(node: WaitedNode): string {
  const problem = node.logError ?? (node.otherName === undefined ? undefined : `it calls itself ${node.otherName}`);
  const detail = problem === undefined ? '' : `: ${oneLine(problem)}`;
  return `${node.node} (index ${node.index})  ${stateText(node)}${detail}`;
}

function eventLines(events: readonly ClusterEvent[]): string[] {
  if (events.length === 0) return [];
  const last = events.slice(-MOST_EVENTS);
  return ['What the cluster warned of:', ...last.map((event) => wrapLine(`  ${eventText(event)}`, 4))];
}

function eventText({ about, reason, message }: ClusterEvent): string {
  return `${about}  ${reason}: ${oneLine(message)}`;
}

/** One event of a pool, each line of it begun with the node's name. */
export function followText(event: FollowEvent): string {
  switch (event.kind) {
    case 'state':
      return `${event.node} | -- ${stateText(event.state)}\n`;
    case 'log':
      return `${event.node} | ${event.text}\n`;
    case 'note':
      return `${wrapLine(`Note: ${event.text}`)}\n`;
    case 'end':
      return `${wrapLine(`${event.workload} is ${event.as}${event.why === '' ? '' : ` (${event.why})`}.`)}\n`;
  }
}
