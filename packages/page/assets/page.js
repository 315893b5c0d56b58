// Hears what changes, and draws it once per frame.
import { byId, makeScrollable, setAttribute, setText } from './elements.js';
import { eventsSection } from './events.js';
import { fleetSection, inWords, sum } from './fleet.js';
import { jobsSection } from './jobs.js';
import { providersSection } from './providers.js';
import { standingLine } from './standing.js';
import { waitsSection } from './waits.js';
import { number, plural } from './words.js';

/** @import { PageMessage } from '../src/server/live.js' */
/** @import { PageView } from '../src/view/view.js' */
/** @import { NumberedEvent } from './events.js' */

const EVENTS_SHOWN = 200;
/** A frame's share for drawing: what is left is drawn in the next one. */
const FRAME_MS = 8;
const RECONNECT_AFTER_MS = 3_000;

/** @type {Omit<PageView, 'events'> | undefined} */
let view;
/** @type {NumberedEvent[]} */
let events = [];
let nextNumber = 0;
/** The daemon's clock when it was heard last, and when that was. */
let heard = { now: 0, at: 0 };
let held = false;
let wanted = '';

const draw = sections();
/** @type {Set<keyof typeof draw>} */
const stale = new Set();

function sections() {
  const standing = standingLine();
  const fleet = fleetSection();
  const jobs = jobsSection();
  const waits = waitsSection();
  const providers = providersSection();
  const eventList = eventsSection();
  const now = () => heard.now + performance.now() - heard.at;
  const matches = (/** @type {string[]} */ ...texts) =>
    wanted === '' || texts.some((text) => text.toLowerCase().includes(wanted));
  return {
    /** @param {Omit<PageView, 'events'>} all */
    summary({ fleet: { total, waitingJobs } }) {
      const waiting = plural(waitingJobs, 'job waits', 'jobs wait');
      setText(byId('summary'), `${plural(sum(total), 'runner')}: ${inWords(total)}. ${waiting}.`);
      const title = `${number(total.busy)} busy, ${number(waitingJobs)} waiting · Rungar`;
      if (document.title !== title) document.title = title;
    },
    /** @param {Omit<PageView, 'events'>} all */
    daemon: (all) => standing(all.daemon, now()),
    /** @param {Omit<PageView, 'events'>} all */
    fleet: (all) => fleet(all.fleet, matches),
    /** @param {Omit<PageView, 'events'>} all */
    jobs: (all) => jobs(all.jobs, matches, now()),
    /** @param {Omit<PageView, 'events'>} all */
    waits: (all) => waits(all.waits, matches),
    /** @param {Omit<PageView, 'events'>} all */
    providers: (all) => providers(all.providers, matches, now()),
    events: () => eventList(events, matches),
  };
}

/** @param {PageMessage} message */
function take(message) {
  const { now, all, events: fresh = [], ...changed } = message;
  heard = { now, at: performance.now() };
  if (all) events = [];
  events = [...events, ...fresh.map((event) => ({ ...event, number: nextNumber++ }))].slice(-EVENTS_SHOWN);
  view = /** @type {typeof view} */ ({ ...view, ...changed });
  const names = /** @type {(keyof typeof changed)[]} */ (Object.keys(changed));
  redraw(...names, ...(changed.fleet ? ['summary'] : []), ...(all || fresh.length > 0 ? ['events'] : []));
}

/** @param {...string} names */
function redraw(...names) {
  const idle = stale.size === 0;
  for (const name of names) stale.add(/** @type {keyof typeof draw} */ (name));
  if (idle && stale.size > 0) requestAnimationFrame(paint);
}

function paint() {
  if (held || !view) return stale.clear();
  const start = performance.now();
  for (const name of stale) {
    stale.delete(name);
    draw[name](view);
    if (performance.now() - start > FRAME_MS) break;
  }
  if (stale.size > 0) requestAnimationFrame(paint);
}

function connect() {
  const connection = byId('connection');
  const source = new EventSource('api/stream');
  source.onmessage = ({ data }) => take(JSON.parse(data));
  source.onopen = () => {
    setText(connection, 'Live');
    setAttribute(connection, 'class', '');
  };
  source.onerror = () => {
    setText(connection, 'The daemon does not answer: what is shown is old.');
    setAttribute(connection, 'class', 'lost');
    // It tries again by itself unless it was refused.
    if (source.readyState === EventSource.CLOSED) setTimeout(connect, RECONNECT_AFTER_MS);
  };
}

function control() {
  const filter = /** @type {HTMLInputElement} */ (byId('filter'));
  const pause = byId('pause');
  const everything = () => redraw(...Object.keys(draw));
  filter.addEventListener('input', () => {
    wanted = filter.value.trim().toLowerCase();
    everything();
  });
  pause.addEventListener('click', () => {
    held = !held;
    setAttribute(pause, 'aria-pressed', String(held));
    everything();
  });
}

for (const node of document.querySelectorAll('.scroll')) makeScrollable(/** @type {HTMLElement} */ (node));
control();
connect();
// Waits go on and clocks run down, also while nothing happens.
setInterval(() => redraw('jobs', 'providers'), 1_000);
