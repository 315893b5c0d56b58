import type { Fault } from './faults.js';
import type { SimulationResult } from './simulate.js';
import type { Happening } from './trace.js';

/** What many runs come to. */
export class Summary {
  runs = 0;
  steps = 0;
  jobs = 0;
  kills = 0;
  daemons = 0;
  virtualMs = 0;
  violations = 0;
  readonly failed: number[] = [];
  readonly faults = new Map<string, number>();
  readonly looked = new Map<string, number>();
  readonly #began = performance.now();

  add(result: SimulationResult): void {
    this.runs++;
    this.steps += result.steps;
    this.jobs += result.jobs;
    this.kills += result.kills;
    this.daemons += result.daemons;
    this.virtualMs += result.virtualMs;
    this.violations += result.violations.length;
    if (result.violations.length > 0) this.failed.push(result.seed);
    for (const [fault, count] of result.faults) this.faults.set(fault, (this.faults.get(fault) ?? 0) + count);
    for (const [reason, count] of result.looked) this.looked.set(reason, (this.looked.get(reason) ?? 0) + count);
  }

  get seconds(): number {
    return (performance.now() - this.#began) / 1000;
  }

  line(): string {
    const { runs, jobs, steps, violations, seconds } = this;
    return `${runs} runs, ${jobs} jobs, ${steps} steps, ${Math.round(jobs / seconds)} jobs a second, ${violations} violations`;
  }

  text(): string {
    const hours = (this.virtualMs / 3_600_000).toFixed(1);
    const total = [...this.faults.values()].reduce((sum, count) => sum + count, 0);
    const lines = [
      `${this.runs} runs: ${this.jobs} jobs, ${this.steps} steps, ${hours} hours of virtual time in ${Math.round(this.seconds)} s`,
      `${total} faults, ${this.kills} kills, ${this.daemons} daemons`,
      `faults: ${inOrder(this.faults)}`,
      `ends: ${inOrder(this.looked)}`,
      `${this.violations} violations${this.failed.length > 0 ? ` in seeds ${this.failed.join(', ')}` : ''}`,
    ];
    return `${lines.join('\n')}\n`;
  }
}

export const jsonOf = (summary: Summary): unknown => ({
  runs: summary.runs,
  jobs: summary.jobs,
  steps: summary.steps,
  kills: summary.kills,
  daemons: summary.daemons,
  virtualMs: summary.virtualMs,
  seconds: Math.round(summary.seconds),
  violations: summary.violations,
  failed: summary.failed,
  faults: Object.fromEntries(summary.faults),
  looked: Object.fromEntries(summary.looked),
});

export const storyLines = (story: readonly Happening[]): string[] =>
  story.map(
    ({ at, what, subject, more }) => `    ${(at / 1000).toFixed(2).padStart(9)} s  ${what}  ${subject}  ${more}`,
  );

const inOrder = (counts: ReadonlyMap<Fault | string, number>): string =>
  [...counts]
    .sort(([, a], [, b]) => b - a)
    .map(([name, count]) => `${name} ${count}`)
    .join(', ');
