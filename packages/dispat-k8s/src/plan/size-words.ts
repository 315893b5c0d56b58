import type { SizeReport, SizeRow } from './size-report.js';

type Unworded = Omit<SizeReport, 'notes' | 'summary'>;

/** A time in the report's unit, for a person: `3 steps`, `14.5 s`, `4m 10s`, `1h 5m`. */
export function timeText(value: number, unit: SizeReport['unit']): string {
  if (unit === 'steps') return `${rounded(value)} ${value === 1 ? 'step' : 'steps'}`;
  if (value < 100) return `${rounded(value)} s`;
  const seconds = Math.round(value);
  const parts: [number, string][] = [
    [Math.floor(seconds / 3600), 'h'],
    [Math.floor(seconds / 60) % 60, 'm'],
    [seconds % 60, 's'],
  ];
  return parts.flatMap(([amount, letter]) => (amount === 0 ? [] : [`${amount}${letter}`])).join(' ');
}

/** A number without digits nobody reads. */
export function rounded(value: number, digits = 2): string {
  return String(Number(value.toFixed(digits)));
}

export function plural(count: number, one: string, several = `${one}s`): string {
  return `${count} ${count === 1 ? one : several}`;
}

/** What binds the run, in words: why more workers stop helping. */
function bindText(report: Unworded): string {
  const bound = timeText(report.lowerBound, report.unit);
  switch (report.bind) {
    case 'chain':
      return `the longest chain of tasks takes ${bound} on any number of machines`;
    case 'publishes':
      return `the publish chain, one publish after another, takes ${bound}, and workers cannot shorten it`;
    case 'budget':
      return `the build budget, \`concurrency\` in the dispat configuration, lets only ${report.buildBudget ?? 0} builds run at a time`;
    case 'width':
      return `the widest set of tasks that can be ready at once has ${report.width}`;
    case 'work':
      return 'more workers would still help: the table ends before';
  }
}

/** The recommendation in one sentence: how many, why, and what the next one would save. */
export function summaryOf(report: Unworded): string {
  const { recommended, rows, unit } = report;
  if (recommended === 0) return 'Recommended: no workers, as no task of this plan may run on one.';
  const at = rows.findIndex(({ n }) => n === recommended);
  const row = rows[at];
  if (row === undefined) return `Recommended: ${plural(recommended, 'worker')}.`;
  const best = Math.min(...rows.map(({ time }) => time));
  const close =
    row.time === best ? 'the best time' : `within ${report.targetGain} % of the best, ${timeText(best, unit)}`;
  const takes = `${timeText(row.time, unit)}, ${close}`;
  return `Recommended: ${plural(recommended, 'worker')} (${takes}), because ${bindText(report)}; ${nextText(row, rows[at + 1], unit)}.`;
}

function nextText(row: SizeRow, next: SizeRow | undefined, unit: SizeReport['unit']): string {
  if (next === undefined) return 'larger pools were not looked at';
  const saved = row.time - next.time;
  const which = next.n === row.n + 1 ? 'one more worker' : `a pool of ${next.n}`;
  if (saved > 0) return `${which} would save ${timeText(saved, unit)}`;
  return saved === 0 ? `${which} would save nothing` : `${which} would even take ${timeText(-saved, unit)} longer`;
}

/** What a reader should know of the result before trusting it. */
export function notesOf(report: Unworded): string[] {
  const { width, buildBudget, localSlots, unit, rows } = report;
  const notes = ['width is the bound, the table decides: a slot that can be used once need not be worth having'];
  if (unit === 'steps')
    notes.push(
      'without --durations the times are steps, not minutes: they say which pool is wide enough, not what it costs',
    );
  if (buildBudget !== null && buildBudget < width) {
    notes.push(
      `the build budget ${buildBudget} (\`concurrency\` in the dispat configuration) is below the width ${width}: ` +
        'it is not multiplied by the number of workers, so more slots than that stay idle',
    );
  }
  if (localSlots > 0) {
    notes.push(
      `the orchestrator adds ${plural(localSlots, 'slot')}: builds that find no free worker run on the release machine (--local 0 leaves it out)`,
    );
  }
  if (rows.some(({ rise }) => rise)) {
    notes.push('some larger pools take longer: tasks are started as they become ready, and another order can be worse');
  }
  return notes;
}
