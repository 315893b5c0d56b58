import type { GitHubEmulator, JobView } from '@rungar/emulators/github';
import type { Style } from '../output/style.js';
import { table } from '../output/table.js';
import type { DevBackend } from './backends/backend.js';
import { hasPower } from './backends/machines.js';
import type { DevWorld } from './world.js';

/** The emulated world at this moment: jobs as bars, machines by their backend. */
export function picture({ github, backends }: Pick<DevWorld, 'github' | 'backends'>, style: Style): string[] {
  const titles = ['BACKEND', 'MACHINES', 'STARTING', 'IDLE', 'BUSY', 'NOT OURS'];
  return [
    ...jobBars(github.jobs(), style),
    '',
    ...table(
      titles.map((title) => ({ title })),
      backends.map((backend) => machineCounts(backend, github.runners(), style)),
      { header: style.bold },
    ),
  ];
}

function machineCounts(
  { title, room, machines }: DevBackend,
  runners: ReturnType<GitHubEmulator['runners']>,
  style: Style,
): string[] {
  const on = machines().filter(hasPower);
  const own = on.filter(({ isForeign }) => !isForeign);
  const online = new Map(runners.filter(({ status }) => status === 'online').map((runner) => [runner.name, runner]));
  const connected = own.flatMap(({ name }) => online.get(name) ?? []);
  const busy = connected.filter((runner) => runner.busy).length;
  const marks = (count: number, paint: (text: string) => string): string => (count > 0 ? paint(String(count)) : '-');
  return [
    title,
    room === undefined ? String(own.length) : `${own.length} of ${room}`,
    marks(own.length - connected.length, style.yellow),
    marks(connected.length - busy, style.green),
    marks(busy, style.cyan),
    marks(on.length - own.length, style.dim),
  ];
}

/** One line per workflow, one mark per job: done, running, waiting. */
function jobBars(jobs: readonly JobView[], style: Style): string[] {
  const workflows = [...new Set(jobs.map(({ workflow }) => workflow))];
  const mark = ({ state }: JobView): string =>
    state === 'completed' ? style.green('#') : state === 'running' ? style.cyan('>') : style.dim('.');
  const count = (one: readonly JobView[], state: string): number => one.filter((job) => job.state === state).length;
  return workflows.map((workflow) => {
    const own = jobs.filter((job) => job.workflow === workflow);
    const done = count(own, 'completed');
    const running = count(own, 'running');
    return `${workflow.padEnd(8)} ${own.map(mark).join('')}  ${done} done, ${running} running, ${own.length - done - running} waiting`;
  });
}
