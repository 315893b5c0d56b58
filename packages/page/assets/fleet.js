// The fleet as a grid: scale sets by providers, runners by state.
import { bar, byId, element, inside, keepTable, list, setAttribute, setHidden, setText } from './elements.js';
import { clock, number, plural, spaced, wholeInstant } from './words.js';

/** @import { Counts, FleetRow, FleetView } from '../src/view/view.js' */

/** @type {readonly (keyof Counts)[]} */
const STATES = ['busy', 'idle', 'starting'];
const BAD_PHASES = new Set(['failed', 'github_unreachable']);

/** @returns {(fleet: FleetView, matches: (...texts: string[]) => boolean) => void} */
export function fleetSection() {
  const section = byId('fleet');
  const table = byId('fleet-table');
  keepTable(table);
  const head = inside(table, 'thead tr');
  const body = inside(table, 'tbody');
  const nothing = inside(section, '.nothing');
  const showHead = list(head, String, () => {
    const node = element('th', { role: 'columnheader', scope: 'col' });
    return { node, update: (/** @type {string} */ name) => setText(node, name) };
  });
  const showRows = list(body, (/** @type {Shown} */ { row }) => row.scaleSet, fleetRow);

  return (fleet, matches) => {
    const rows = fleet.rows.filter(({ scaleSet, phase }) => matches(scaleSet, spaced(phase)));
    const columns = fleet.providers
      .map((name, index) => ({ name, index }))
      .filter(({ index }) => rows.some(({ cells }) => cells[index]));
    const largest = Math.max(1, ...rows.flatMap(({ cells }) => cells.map((cell) => (cell ? sum(cell) : 0))));
    setHidden(table, rows.length === 0);
    setHidden(nothing, rows.length > 0);
    showHead(['Scale set', 'All', ...columns.map(({ name }) => name)]);
    showRows(rows.map((row) => ({ row, columns, largest })));
  };
}

/** @typedef {{ row: FleetRow, columns: readonly { name: string, index: number }[], largest: number }} Shown */

function fleetRow() {
  const name = element('span');
  const phase = element('span', { class: 'note' });
  const notes = element('span', { class: 'note' });
  const total = element('span', { class: 'figures' });
  const bounds = element('span', { class: 'note' });
  const title = element('th', { role: 'rowheader', scope: 'row' }, name, phase, notes);
  const all = element('td', { role: 'cell' }, total, bounds);
  const node = element('tr', { role: 'row' }, title, all);
  /** @type {ReturnType<typeof cell>[]} */
  const cells = [];
  return {
    node,
    /** @param {Shown} shown */
    update({ row, columns, largest }) {
      setText(name, row.scaleSet);
      setText(phase, phaseInWords(row));
      setAttribute(phase, 'class', BAD_PHASES.has(row.phase) ? 'note bad' : 'note');
      setText(notes, row.notes.join('. '));
      setText(total, row.total ? `${number(sum(row.total))} of ${number(row.maxRunners)}` : '–');
      setText(bounds, boundsInWords(row));
      while (cells.length > columns.length) cells.pop()?.node.remove();
      for (const [at, { name: provider, index }] of columns.entries()) {
        const one = cells[at] ?? cell();
        if (cells.length === at) {
          cells.push(one);
          node.append(one.node);
        }
        one.update(provider, row.cells[index] ?? null, largest);
      }
    },
  };
}

function cell() {
  const label = element('span', { class: 'label' });
  const words = element('span');
  const states = bar();
  const node = element('td', { role: 'cell' }, label, words, states.node);
  return {
    node,
    /** @param {string} provider @param {Counts | null} counts @param {number} largest */
    update(provider, counts, largest) {
      const runners = counts ? sum(counts) : 0;
      setAttribute(node, 'class', runners > 0 ? '' : 'empty');
      setText(label, `${provider}: `);
      setText(words, counts ? inWords(counts) : '');
      setAttribute(states.node, 'visibility', runners > 0 ? 'visible' : 'hidden');
      let from = 0;
      states.update(
        runners === 0 || !counts
          ? []
          : STATES.map((kind) => {
              const width = (counts[kind] / largest) * 100;
              from += width;
              return { kind, from: from - width, width };
            }),
      );
    },
  };
}

/** @param {Counts} counts */
export const sum = ({ starting, idle, busy }) => starting + idle + busy;

/** @param {Counts} counts */
export function inWords(counts) {
  const said = STATES.filter((state) => counts[state] > 0).map((state) => `${number(counts[state])} ${state}`);
  return said.join(' · ') || 'none';
}

/** @param {FleetRow} row */
function phaseInWords({ phase, role, paused, pausedUntil, retryAt }) {
  const again = retryAt === undefined ? '' : `, tried again at ${clock(retryAt)}`;
  const until = pausedUntil === undefined ? '' : ` until ${wholeInstant(pausedUntil)}`;
  return `${spaced(phase)}${role === 'lead' ? ' (lead)' : ''}${paused ? `, paused${until}` : ''}${again}`;
}

/** @param {FleetRow} row */
function boundsInWords({ minRunners, desired, creating, suspects, waitingJobs, machineHours }) {
  return [
    desired === undefined ? '' : `${number(desired)} wanted`,
    minRunners > 0 ? `reserve of ${number(minRunners)}` : '',
    creating > 0 ? `${number(creating)} being created` : '',
    suspects > 0 ? `${number(suspects)} in doubt` : '',
    waitingJobs > 0 ? `${plural(waitingJobs, 'job waits', 'jobs wait')}` : '',
    machineHours > 0 ? `${number(machineHours)} machine-hours` : '',
  ]
    .filter(Boolean)
    .join(' · ');
}
