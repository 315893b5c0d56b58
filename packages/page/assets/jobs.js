// Each job's wait as a bar of its steps, and in words.
import { bar, byId, element, inside, keepTable, list, setAttribute, setHidden, setText } from './elements.js';
import { duration, number } from './words.js';

/** @import { JobRow, JobStep, JobsView } from '../src/view/view.js' */
/** @import { BarPart } from './elements.js' */

/** @returns {(jobs: JobsView, matches: (...texts: string[]) => boolean, now: number) => void} */
export function jobsSection() {
  const section = byId('jobs');
  const table = byId('jobs-table');
  keepTable(table);
  const body = inside(table, 'tbody');
  const nothing = inside(section, '.nothing');
  const more = byId('jobs-more');
  const show = list(body, (/** @type {Shown} */ { job }) => job.id, jobRow);

  return ({ rows, moreWaiting, moreStarted }, matches, now) => {
    const shown = rows.filter(({ name, repository, scaleSet, provider = '', runner = '' }) =>
      matches(name, repository, scaleSet, provider, runner),
    );
    const longest = Math.max(1, ...shown.map((job) => waitOf(job, now)));
    setHidden(table, shown.length === 0);
    setHidden(nothing, shown.length > 0);
    show(shown.map((job) => ({ job, now, longest })));
    setText(
      more,
      [
        moreWaiting > 0 ? `${number(moreWaiting)} more wait.` : '',
        moreStarted > 0 ? `${number(moreStarted)} more have started earlier.` : '',
      ].join(' '),
    );
  };
}

/** @typedef {{ job: JobRow, now: number, longest: number }} Shown */

function jobRow() {
  const name = element('span');
  const repository = element('span', { class: 'note' });
  const scaleSet = element('span');
  const place = element('span', { class: 'note' });
  const wait = element('span', { class: 'figures' });
  const steps = element('span', { class: 'note' });
  const run = element('span');
  const way = bar();
  const node = element(
    'tr',
    { role: 'row' },
    element('th', { role: 'rowheader', scope: 'row' }, name, repository),
    element('td', { role: 'cell' }, scaleSet, place),
    element('td', { role: 'cell' }, wait, way.node, steps),
    element('td', { role: 'cell' }, run),
  );
  return {
    node,
    /** @param {Shown} shown */
    update({ job, now, longest }) {
      setText(name, job.name);
      setText(repository, job.repository);
      setText(scaleSet, job.scaleSet);
      setText(place, [job.provider, job.runner].filter(Boolean).join(' · '));
      setText(wait, waitInWords(job, now));
      setText(steps, stepsInWords(job));
      setText(run, runInWords(job, now));
      setAttribute(run, 'class', isBad(job) ? 'bad' : '');
      way.update(partsOf(job, now, longest));
    },
  };
}

/** @param {JobRow} job @param {string} name */
const instantOf = ({ steps }, name) => steps.find(({ step }) => step === name)?.at;

/** @param {JobRow} job @param {number} now */
function waitOf(job, now) {
  const first = job.steps[0]?.at;
  return first === undefined ? 0 : Math.max(0, (instantOf(job, 'started') ?? now) - first);
}

/** The steps up to the start. @param {JobRow} job @returns {readonly JobStep[]} */
const wayOf = ({ steps }) => steps.filter(({ step }) => step !== 'finished');

/** @param {JobRow} job @param {number} now @param {number} longest */
function partsOf(job, now, longest) {
  const way = wayOf(job);
  const first = way[0]?.at ?? now;
  const place = (/** @type {number} */ instant) => (Math.max(0, instant - first) / longest) * 100;
  /** @type {BarPart[]} */
  const parts = way.slice(1).map(({ step, at }, index) => {
    const from = place(way[index]?.at ?? first);
    return { kind: step, from, width: place(at) - from };
  });
  const last = way.at(-1)?.at;
  if (job.state === 'waiting' && last !== undefined)
    parts.push({ kind: 'open', from: place(last), width: place(now) - place(last) });
  return parts;
}

/** @param {JobRow} job @param {number} now */
function waitInWords(job, now) {
  if (job.steps.length === 0) return 'not known';
  if (job.steps[0]?.step !== 'queued') return 'since when is not known';
  return job.state === 'waiting' ? `waits for ${duration(waitOf(job, now))}` : duration(waitOf(job, now));
}

/** @param {JobRow} job */
function stepsInWords(job) {
  const way = wayOf(job);
  const first = way[0]?.at ?? 0;
  const said = way.slice(1).map(({ step, at }) => `${step} +${duration(at - first)}`);
  return [...said, ...(job.fromReserve ? ['from the reserve'] : [])].join(' · ');
}

/** @param {JobRow} job @param {number} now */
function runInWords(job, now) {
  const started = instantOf(job, 'started');
  const finished = instantOf(job, 'finished');
  if (started === undefined) return '';
  if (finished === undefined) return `runs for ${duration(now - started)}`;
  return `${job.result ?? 'ended'} after ${duration(finished - started)}`;
}

/** @param {JobRow} job */
const isBad = ({ result = '' }) => result === 'failed' || result.startsWith('runner ');
