import type { PageStatus } from '../source.js';
import { daemonView } from './daemon-view.js';
import type { EventBook } from './event-book.js';
import { fleetView } from './fleet-view.js';
import { startedRow, waitingRow } from './job-row.js';
import { providersView } from './providers-view.js';
import type { JobRow, JobsView, PageView } from './view.js';
import { waitsView } from './waits.js';

const WAITING_SHOWN = 50;
const STARTED_SHOWN = 100;
const EVENTS_SHOWN = 200;

/** What the page shows at `now`, in epoch milliseconds. Pure. */
export function pageView(status: PageStatus, book: EventBook, now: number): PageView {
  return {
    daemon: daemonView(status),
    fleet: fleetView(status, now),
    jobs: jobsView(status, book),
    waits: waitsView(book.waits, book.firstKnown, now),
    providers: providersView(status.providers, now),
    events: book.events.slice(-EVENTS_SHOWN),
  };
}

function jobsView({ scaleSets }: PageStatus, { jobs }: EventBook): JobsView {
  const waiting = scaleSets
    .flatMap(({ name, waitingJobs }) =>
      waitingJobs.filter(({ jobId }) => !jobs.has(jobId)).map((job) => waitingRow(job, name)),
    )
    .sort((a, b) => startOf(a) - startOf(b));
  const started = [...jobs.values()].slice(-STARTED_SHOWN).reverse();
  return {
    rows: [...waiting.slice(0, WAITING_SHOWN), ...started.map(startedRow)],
    moreWaiting: Math.max(0, waiting.length - WAITING_SHOWN),
    moreStarted: Math.max(0, jobs.size - STARTED_SHOWN),
  };
}

/** Not at infinity, so that two without a step can be compared. */
const startOf = ({ steps }: JobRow): number => steps[0]?.at ?? Number.MAX_SAFE_INTEGER;
