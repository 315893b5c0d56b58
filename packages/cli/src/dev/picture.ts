import type { JobView } from '@rungar/emulators/github';
import type { Style } from '../output/style.js';
import { table } from '../output/table.js';
import type { DevWorld } from './world.js';

/** The emulated world at this moment: jobs as bars, machines as a table. */
export function picture({ github, ec2 }: DevWorld, style: Style, width = 80): string[] {
  const jobs = github.jobs();
  const runners = new Map(github.runners().map((runner) => [runner.name, runner]));
  const busyWith = new Map(jobs.filter(({ state }) => state === 'running').map((job) => [job.runnerName, job.name]));
  const rows = ec2
    .instances()
    .filter(({ state }) => state === 'pending' || state === 'running')
    .map((machine) => {
      const runner = runners.get(machine.name);
      const state = runner?.busy
        ? style.green('busy')
        : runner?.status === 'online'
          ? style.green('idle')
          : runner
            ? style.yellow('starting')
            : style.dim('not ours');
      return [machine.name, machine.state, state, busyWith.get(machine.name) ?? '-'];
    });
  return [
    ...jobBars(jobs, style),
    '',
    ...table([{ title: 'MACHINE' }, { title: 'EC2' }, { title: 'RUNNER' }, { title: 'JOB' }], rows, {
      width,
      header: style.bold,
    }),
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
