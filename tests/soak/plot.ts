import type { IncidentSeen, SoakResult } from './result.js';

interface Series {
  readonly name: string;
  /** One of the classes of {@link STYLE}. */
  readonly color: string;
  /** One value for each hour; null where there is none. */
  readonly values: readonly (number | null)[];
  readonly area?: boolean;
}

interface Panel {
  readonly title: string;
  readonly series: readonly Series[];
  /** Waits differ by powers of ten. */
  readonly logarithmic?: boolean;
  /** How many hours one value stands for. */
  readonly every?: number;
}

const WIDTH = 860;
const LEFT = 52;
const RIGHT = 96;
const PLOT = WIDTH - LEFT - RIGHT;
const PANEL = 128;
const GAP = 44;
/** Where the incidents' bands begin, and how far below that the first panel does. */
const TOP = 58;
const TITLE = 20;
const DAY_HOURS = 24;
const DAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];

const STYLE = `
text{font:12px system-ui,-apple-system,"Segoe UI",sans-serif;fill:#24292f}
.t{font-weight:600;font-size:13px}.s{fill:#57606a}
.bg{fill:#fff}.g{stroke:#d8dee4;stroke-width:1}.i{fill:#bc4c00;fill-opacity:.16}
.l{fill:none;stroke-width:1.6;stroke-linejoin:round}.f{stroke:none;fill-opacity:.22}
.a{stroke:#0969da}.b{stroke:#1a7f37}.c{stroke:#bf3989}.d{stroke:#9a6700}.e{stroke:#8250df}
.fa{fill:#0969da}.fb{fill:#1a7f37}.fc{fill:#bf3989}.fd{fill:#9a6700}.fe{fill:#8250df}
@media (prefers-color-scheme:dark){text{fill:#e6edf3}.s{fill:#9198a1}.bg{fill:#0d1117}.g{stroke:#30363d}
.i{fill:#f0883e;fill-opacity:.22}
.a{stroke:#58a6ff}.b{stroke:#3fb950}.c{stroke:#f778ba}.d{stroke:#d29922}.e{stroke:#bc8cff}
.fa{fill:#58a6ff}.fb{fill:#3fb950}.fc{fill:#f778ba}.fd{fill:#d29922}.fe{fill:#bc8cff}}`;

/** A result as a picture that stands alone: a panel for each of its courses, the incidents as bands across them. */
export function plot(result: SoakResult): string {
  const panels = panelsOf(result);
  const topOf = (index: number): number => TOP + TITLE + index * (PANEL + GAP);
  const bottom = topOf(panels.length - 1) + PANEL;
  const height = bottom + 34;
  const parts = [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-labelledby="title">`,
    `<title id="title">${escaped(titleOf(result))}</title>`,
    `<style>${STYLE}</style>`,
    `<rect class="bg" width="${WIDTH}" height="${height}"/>`,
    `<text class="t" x="12" y="22">${escaped(titleOf(result))}</text>`,
    ...result.incidents.map((one, index) => band(one, index, result.hours, bottom)),
    ...panels.map((panel, index) => panelText(panel, topOf(index), result.hours)),
    ...dayTexts(result.hours, bottom + 18),
    '</svg>',
  ];
  return `${parts.join('\n')}\n`;
}

const titleOf = ({ jobs, hours }: SoakResult): string =>
  `${short(jobs.queued)} jobs in ${hours % DAY_HOURS === 0 ? `${hours / DAY_HOURS} days` : `${hours} hours`}`;

function panelsOf({ byHour, host }: SoakResult): Panel[] {
  const colors = ['a', 'b', 'c', 'd', 'e'];
  const memory = host?.memory ?? [];
  return [
    { title: 'Jobs an hour', series: [{ name: 'queued', color: 'a', values: byHour.jobs, area: true }] },
    {
      title: 'Machines',
      series: [
        { name: 'all', color: 'a', values: byHour.machines },
        { name: 'with a job', color: 'b', values: byHour.busy, area: true },
      ],
    },
    {
      title: 'Seconds until a job has its runner (logarithmic, from one)',
      logarithmic: true,
      series: [
        { name: 'p99', color: 'c', values: byHour.waitP99 },
        { name: 'p50', color: 'a', values: byHour.waitP50 },
      ],
    },
    {
      title: 'Calls an hour',
      series: Object.entries(byHour.calls).map(([who, values], index) => ({
        name: who === 'github' ? 'GitHub' : who,
        color: colors[index % colors.length] ?? 'a',
        values,
      })),
    },
    ...(memory.length > 1
      ? [
          {
            title: 'Memory, MiB',
            every: DAY_HOURS,
            series: [
              { name: 'resident', color: 'c', values: memory.map(({ rssMiB }) => rssMiB) },
              { name: 'heap', color: 'a', values: memory.map(({ heapMiB }) => heapMiB) },
            ],
          },
        ]
      : []),
  ];
}

/** Its number stands above it, as in the table of incidents. */
function band({ from, minutes, what }: IncidentSeen, index: number, hours: number, bottom: number): string {
  const x = LEFT + (from / 60 / hours) * PLOT;
  const width = Math.max(2, (minutes / 60 / hours) * PLOT);
  return [
    `<rect class="i" x="${fixed(x)}" y="${TOP - 8}" width="${fixed(width)}" height="${bottom - TOP + 8}">`,
    `<title>${escaped(what)}</title></rect>`,
    `<text class="s" x="${fixed(x + width / 2)}" y="${TOP - 13}" text-anchor="middle">${index + 1}</text>`,
  ].join('');
}

function panelText({ title, series, logarithmic = false, every }: Panel, top: number, hours: number): string {
  const present = series.flatMap(({ values }) => values.filter((value) => value !== null));
  const ticks = logarithmic ? decades(Math.max(1, ...present)) : steps(Math.max(1, ...present));
  const most = ticks.at(-1) ?? 1;
  const yOf = (value: number): number => {
    const share = logarithmic ? Math.log10(Math.max(1, value)) / Math.log10(most) : value / most;
    return top + PANEL * (1 - share);
  };
  // An hour's value stands in its middle, a day's at its end.
  const xOf = (at: number): number => LEFT + (Math.min(hours, every ? at * every : at + 0.5) / hours) * PLOT;
  return [
    `<text class="t" x="${LEFT}" y="${top - 7}">${escaped(title)}</text>`,
    ...ticks.map((tick) => {
      const y = fixed(yOf(tick));
      return `<path class="g" d="M${LEFT} ${y}H${LEFT + PLOT}"/><text class="s" x="${LEFT - 6}" y="${fixed(yOf(tick) + 4)}" text-anchor="end">${short(tick)}</text>`;
    }),
    ...series.map((one) => lineText(one, xOf, yOf, top + PANEL)),
    ...legend(series, yOf, top),
  ].join('\n');
}

function lineText(
  { values, color, area }: Series,
  xOf: (at: number) => number,
  yOf: (value: number) => number,
  floor: number,
): string {
  let d = '';
  let isOn = false;
  for (const [at, value] of values.entries()) {
    if (value !== null) d += `${isOn ? 'L' : 'M'}${fixed(xOf(at))} ${fixed(yOf(value))}`;
    isOn = value !== null;
  }
  const line = `<path class="l ${color}" d="${d}"/>`;
  if (!area || values.length === 0) return line;
  return `<path class="f f${color}" d="${d}L${fixed(xOf(values.length - 1))} ${floor}L${fixed(xOf(0))} ${floor}Z"/>${line}`;
}

const LINE = 14;

/** The names beside the lines' ends, as near to them as fits. */
function legend(series: readonly Series[], yOf: (value: number) => number, top: number): string[] {
  const wanted = series
    .map(({ name, color, values }) => ({ name, color, y: yOf(values.findLast((value) => value !== null) ?? 0) }))
    .sort((a, b) => a.y - b.y);
  // From the lowest up, each at least a line above the one below it.
  let below = top + PANEL + LINE;
  const placed = wanted.reverse().map(({ name, color, y }) => {
    below = Math.min(y, below - LINE);
    return { name, color, y: below };
  });
  return placed.map(
    ({ name, color, y }) =>
      `<rect class="f${color}" x="${LEFT + PLOT + 8}" y="${fixed(y - 4)}" width="8" height="8" rx="2"/><text x="${LEFT + PLOT + 21}" y="${fixed(y + 4)}">${escaped(name)}</text>`,
  );
}

function dayTexts(hours: number, y: number): string[] {
  return Array.from({ length: Math.ceil(hours / DAY_HOURS) }, (_, day) => {
    const x = LEFT + ((day * DAY_HOURS) / hours) * PLOT;
    const width = (Math.min(DAY_HOURS, hours - day * DAY_HOURS) / hours) * PLOT;
    return `<text class="s" x="${fixed(x + width / 2)}" y="${y}" text-anchor="middle">${DAYS[day % 7]}</text>`;
  });
}

/** From 0 to at least `most`, in three to five round steps. */
function steps(most: number): number[] {
  const power = 10 ** Math.floor(Math.log10(most / 4));
  const step = ([1, 2, 2.5, 5, 10].find((one) => one * power * 4 >= most) ?? 10) * power;
  return Array.from({ length: Math.ceil(most / step) + 1 }, (_, at) => at * step);
}

const decades = (most: number): number[] =>
  Array.from({ length: Math.max(1, Math.ceil(Math.log10(most))) + 1 }, (_, at) => 10 ** at);

const fixed = (value: number): string => String(Number(value.toFixed(1)));
const short = (value: number): string => String(value).replace(/\B(?=(\d{3})+$)/g, ',');
const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
