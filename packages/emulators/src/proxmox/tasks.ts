import type { EmulatorClock } from '../clock.js';
import { failed } from './errors.js';

/** A task: work that goes on after the call that began it was answered. */
export interface Task {
  readonly upid: string;
  readonly node: string;
  readonly type: string;
  /** What it works on: a VMID. */
  readonly id: string;
  readonly user: string;
  readonly pid: number;
  /** Epoch seconds. */
  readonly startedAt: number;
  /** `OK`, or what went wrong; absent while it runs. */
  exit: string | undefined;
  readonly log: string[];
}

/** Every task since the start. */
export class Tasks {
  readonly #clock: EmulatorClock;
  readonly #tasks = new Map<string, Task>();

  constructor(clock: EmulatorClock) {
    this.#clock = clock;
  }

  begin(node: string, type: string, vmid: number, user: string): Task {
    const pid = 1000 + this.#tasks.size;
    const startedAt = Math.floor(this.#clock.now() / 1000);
    const hex = (value: number): string => value.toString(16).toUpperCase().padStart(8, '0');
    const upid = `UPID:${node}:${hex(pid)}:${hex(pid * 7)}:${hex(startedAt)}:${type}:${vmid}:${user}:`;
    const task: Task = { upid, node, type, id: String(vmid), user, pid, startedAt, exit: undefined, log: [] };
    this.#tasks.set(upid, task);
    return task;
  }

  end(task: Task, exit: string): void {
    task.exit = exit;
    task.log.push(exit === 'OK' ? 'TASK OK' : `TASK ERROR: ${exit}`);
  }

  /** @throws PveError when that node has no such task */
  find(node: string, upid: string): Task {
    const task = this.#tasks.get(upid);
    if (task === undefined || task.node !== node) throw failed('no such task');
    return task;
  }

  ofNode(node: string): readonly Task[] {
    return [...this.#tasks.values()].filter((task) => task.node === node);
  }
}

/** A task as the API shows it. */
export function taskView({ upid, node, type, id, user, pid, startedAt, exit }: Task): Record<string, unknown> {
  const [owner, tokenid] = user.split('!');
  return {
    upid,
    node,
    pid,
    pstart: pid * 7,
    starttime: startedAt,
    type,
    id,
    user: owner,
    ...(tokenid !== undefined && { tokenid }),
    status: exit === undefined ? 'running' : 'stopped',
    ...(exit !== undefined && { exitstatus: exit }),
  };
}
