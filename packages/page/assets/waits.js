// The waits of the latest 24 hours.
import { byId, columns, element, inside, list, setText } from './elements.js';
import { duration, hour, number, plural } from './words.js';

/** @import { WaitFigures, WaitsView } from '../src/view/view.js' */

const HOURS = 24;

/** @returns {(waits: WaitsView, matches: (...texts: string[]) => boolean) => void} */
export function waitsSection() {
  const day = byId('waits-day');
  const chart = columns(HOURS);
  const least = element('span');
  const middle = element('span');
  const most = element('span');
  byId('waits-chart').append(chart.node, element('div', { class: 'axis', 'aria-hidden': 'true' }, least, middle, most));
  const showHours = list(bodyOf('waits-hours'), (/** @type {Figures} */ { name }) => name, figuresRow);
  const showSets = list(bodyOf('waits-sets'), (/** @type {Figures} */ { name }) => name, figuresRow);

  return ({ hours, day: all, scaleSets, knownSince }, matches) => {
    const since = knownSince === undefined ? '' : ` Events are known since ${hour(knownSince)}.`;
    setText(day, `${inWords(all)}${since}`);
    const longest = Math.max(1, ...hours.map(({ p95 = 0 }) => p95));
    const height = (/** @type {number} */ ms) => (ms / longest) * 100;
    const parts = hours.flatMap(({ p50, p95 }, place) => [
      ...(p95 === undefined ? [] : [{ kind: 'p95', place, height: height(p95) }]),
      ...(p50 === undefined ? [] : [{ kind: 'p50', place, height: height(p50) }]),
    ]);
    chart.update(`Waits of the latest ${HOURS} hours, up to ${duration(longest)}. ${inWords(all)}`, parts);
    setText(least, hour(hours[0]?.from ?? 0));
    setText(middle, all.jobs > 0 ? `the highest is ${duration(longest)}` : '');
    setText(most, 'now');
    showHours(hours.map(({ from, ...figures }) => ({ name: hour(from), ...figures })).reverse());
    const shown = scaleSets.filter(({ scaleSet }) => matches(scaleSet));
    showSets(shown.map(({ scaleSet, ...figures }) => ({ name: scaleSet, ...figures })));
  };
}

/** @typedef {WaitFigures & { name: string }} Figures */

/** @param {string} table */
const bodyOf = (table) => inside(byId(table), 'tbody');

function figuresRow() {
  const title = element('th', { scope: 'row' });
  const cells = [element('td'), element('td'), element('td')];
  return {
    node: element('tr', {}, title, ...cells),
    /** @param {Figures} figures */
    update({ name, jobs, p50, p95 }) {
      setText(title, name);
      const texts = [number(jobs), p50 === undefined ? '–' : duration(p50), p95 === undefined ? '–' : duration(p95)];
      for (const [index, cell] of cells.entries()) setText(cell, texts[index] ?? '');
    },
  };
}

/** @param {WaitFigures} figures */
function inWords({ jobs, p50 = 0, p95 = 0 }) {
  if (jobs === 0) return 'No job that started has told how long it waited.';
  return `${plural(jobs, 'job')}: half waited at most ${duration(p50)}, 95 of 100 at most ${duration(p95)}.`;
}
