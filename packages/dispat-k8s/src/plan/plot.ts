import type { SizeReport, SizeRow } from './size-report.js';
import { plural, rounded, timeText } from './size-words.js';

const WIDTH = 800;
const HEIGHT = 480;
const LEFT = 100;
const RIGHT = 776;
const TOP = 64;
const BOTTOM = 416;
const MOST_DOTS = 120;
/** What the axis of time shows beyond the longest run, so that labels find room above the curve. */
const HEADROOM = 1.12;

/** The time of a run against the size of its pool as an SVG, with the lower bound and the knee marked. */
export function sizePlot(report: SizeReport): string {
  const { rows, unit } = report;
  const longest = Math.max(...rows.map(({ time }) => time), report.lowerBound);
  const last = rows.at(-1)?.n ?? 1;
  const timeTicks = unit === 'steps' ? ticks(longest * HEADROOM) : clockTicks(longest * HEADROOM);
  const top = timeTicks.at(-1) ?? 1;
  const x = (n: number): number => LEFT + (last === 1 ? 0 : ((n - 1) / (last - 1)) * (RIGHT - LEFT));
  const y = (time: number): number => BOTTOM - (time / top) * (BOTTOM - TOP);

  const body = [
    title(report),
    ...timeTicks.map((time) => horizontal(y(time), tickText(time, unit))),
    ...sizeTicks(last).map((n) => upright(x(n), String(n))),
    line(LEFT, BOTTOM, RIGHT, BOTTOM, 'axis'),
    line(LEFT, TOP, LEFT, BOTTOM, 'axis'),
    text((LEFT + RIGHT) / 2, BOTTOM + 44, 'workers', 'label', 'middle'),
    `<text class="label" text-anchor="middle" transform="translate(20 ${(TOP + BOTTOM) / 2}) rotate(-90)">${unit === 'steps' ? 'time in steps' : 'time'}</text>`,
    line(LEFT, y(report.lowerBound), RIGHT, y(report.lowerBound), 'bound'),
    text(
      LEFT + 8,
      boundTextY(y(report.lowerBound)),
      `lower bound ${timeText(report.lowerBound, unit)}`,
      'bound-text',
      'start',
    ),
    `<polyline class="curve" points="${rows.map(({ n, time }) => `${px(x(n))},${px(y(time))}`).join(' ')}"/>`,
    ...(rows.length <= MOST_DOTS
      ? rows.map(({ n, time }) => `<circle class="dot" cx="${px(x(n))}" cy="${px(y(time))}" r="3"/>`)
      : []),
    ...kneeMark(
      rows.find(({ knee }) => knee),
      report,
      x,
      y,
    ),
  ];
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}" role="img" aria-label="${escaped(report.summary)}">
<style>${STYLE}</style>
<rect class="paper" width="${WIDTH}" height="${HEIGHT}"/>
${body.join('\n')}
</svg>
`;
}

const STYLE = [
  'text{font:13px system-ui,sans-serif;fill:#444}',
  '.paper{fill:#fff}',
  '.title{font-size:17px;font-weight:600;fill:#111}',
  '.label{fill:#111}',
  '.axis{stroke:#444}',
  '.grid{stroke:#e4e4e4}',
  '.bound{stroke:#999;stroke-dasharray:6 4}',
  '.bound-text{fill:#777}',
  '.curve{fill:none;stroke:#1f6feb;stroke-width:2}',
  '.dot{fill:#1f6feb}',
  '.knee{fill:#fff;stroke:#d1242f;stroke-width:3}',
  '.knee-line{stroke:#d1242f;stroke-dasharray:3 3}',
  '.knee-text{fill:#d1242f;font-weight:600}',
].join('');

function title({ releasing, width }: SizeReport): string {
  const what = `Run time by pool size: ${plural(releasing, 'package')} to release, width ${width}`;
  return text(LEFT, 32, what, 'title', 'start');
}

/** Below its line, where the curve never is, unless the axis is too near. */
function boundTextY(y: number): number {
  return y > BOTTOM - 24 ? y - 8 : y + 17;
}

/** The knee's label stands at the top, beside its line: the curve is lower there. */
function kneeMark(
  knee: SizeRow | undefined,
  { unit, targetGain }: SizeReport,
  x: (n: number) => number,
  y: (time: number) => number,
): string[] {
  if (knee === undefined) return [];
  const at = x(knee.n);
  const onTheRight = at > (LEFT + RIGHT) / 2;
  const label = `${plural(knee.n, 'worker')}: ${timeText(knee.time, unit)} (within ${rounded(targetGain)} % of the best)`;
  return [
    line(at, TOP, at, BOTTOM, 'knee-line'),
    `<circle class="knee" cx="${px(at)}" cy="${px(y(knee.time))}" r="6"/>`,
    text(onTheRight ? at - 8 : at + 8, TOP + 14, label, 'knee-text', onTheRight ? 'end' : 'start'),
  ];
}

function horizontal(y: number, label: string): string {
  return `${line(LEFT, y, RIGHT, y, 'grid')}\n${text(LEFT - 10, y + 4, label, 'tick', 'end')}`;
}

function upright(x: number, label: string): string {
  return `${line(x, BOTTOM, x, BOTTOM + 5, 'axis')}\n${text(x, BOTTOM + 21, label, 'tick', 'middle')}`;
}

/** From 0 in about five round steps to at least `most`. */
function ticks(most: number): number[] {
  const raw = (most > 0 ? most : 1) / 5;
  const power = 10 ** Math.floor(Math.log10(raw));
  return upTo(most, ([1, 2, 5, 10].find((factor) => factor * power >= raw) ?? 10) * power);
}

const MINUTE = 60;
const HOUR = 3600;
const CLOCK_STEPS = [
  1,
  2,
  5,
  10,
  20,
  30,
  ...[1, 2, 5, 10, 15, 30].map((m) => m * MINUTE),
  HOUR,
  2 * HOUR,
  6 * HOUR,
  12 * HOUR,
];

/** The same in steps that look round as seconds, minutes and hours. */
function clockTicks(most: number): number[] {
  const step = CLOCK_STEPS.find((seconds) => seconds >= most / 6);
  return most < 5 || step === undefined ? ticks(most) : upTo(most, step);
}

function upTo(most: number, step: number): number[] {
  const steps = Math.max(1, Math.ceil(most / step - 1e-9));
  return Array.from({ length: steps + 1 }, (_, index) => Number((index * step).toPrecision(12)));
}

function sizeTicks(last: number): number[] {
  if (last <= 20) return Array.from({ length: last }, (_, index) => index + 1);
  const step = ticks(last)[1] ?? 1;
  const round = Array.from({ length: Math.floor(last / step) }, (_, index) => (index + 1) * step);
  return [1, ...round.filter((n) => n > 1)];
}

function tickText(time: number, unit: SizeReport['unit']): string {
  return unit === 'steps' ? rounded(time) : timeText(time, unit);
}

function line(x1: number, y1: number, x2: number, y2: number, kind: string): string {
  return `<line class="${kind}" x1="${px(x1)}" y1="${px(y1)}" x2="${px(x2)}" y2="${px(y2)}"/>`;
}

function text(x: number, y: number, content: string, kind: string, anchor: 'start' | 'middle' | 'end'): string {
  return `<text class="${kind}" x="${px(x)}" y="${px(y)}" text-anchor="${anchor}">${escaped(content)}</text>`;
}

function px(value: number): string {
  return rounded(value, 1);
}

function escaped(content: string): string {
  return content.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/"/g, '&quot;');
}
