import type { Call, Operation } from '../operation.js';
import { type Task, taskView } from '../tasks.js';

const TASK_PATH = '/nodes/:node/tasks/:upid';

function taskOf({ path, cluster }: Call): Task {
  cluster.node(path.node ?? '');
  return cluster.tasks.find(path.node ?? '', path.upid ?? '');
}

const list: Operation = {
  name: 'tasks',
  method: 'GET',
  path: '/nodes/:node/tasks',
  query: ['vmid', 'typefilter', 'source'],
  run({ input, path, cluster }) {
    const vmid = input.integer('vmid', { min: 100, max: 999_999_999 });
    const type = input.text('typefilter');
    const source = input.text('source');
    input.check();
    const { name } = cluster.node(path.node ?? '');
    return cluster.tasks
      .ofNode(name)
      .filter((task) => vmid === undefined || task.id === String(vmid))
      .filter((task) => type === undefined || task.type === type)
      .filter((task) => source !== 'active' || task.exit === undefined)
      .map(taskView);
  },
};

const status: Operation = {
  name: 'task_status',
  method: 'GET',
  path: `${TASK_PATH}/status`,
  run(call) {
    call.input.check();
    return taskView(taskOf(call));
  },
};

const log: Operation = {
  name: 'task_log',
  method: 'GET',
  path: `${TASK_PATH}/log`,
  query: ['start', 'limit'],
  run(call) {
    const start = call.input.integer('start', { min: 0, max: 1_000_000 }) ?? 0;
    const limit = call.input.integer('limit', { min: 0, max: 1_000_000 }) ?? 50;
    call.input.check();
    return taskOf(call)
      .log.map((t, index) => ({ n: index + 1, t }))
      .slice(start, limit === 0 ? undefined : start + limit);
  },
};

/** What is asked of tasks. */
export const taskOperations: readonly Operation[] = [list, status, log];
