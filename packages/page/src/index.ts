export { type Page, type PageOptions, servePage } from './server/serve-page.js';
export type { ByHandFacts, GitHubFacts, PageSource, PageStatus, ProviderFacts, ScaleSetFacts } from './source.js';
export { EventBook } from './view/event-book.js';
export type { StartedJob } from './view/job-row.js';
export { pageView } from './view/page-view.js';
export type {
  Counts,
  DaemonView,
  EventRow,
  FleetRow,
  FleetView,
  HourOfWaits,
  JobRow,
  JobStep,
  JobStepName,
  JobsView,
  PageView,
  ProviderRow,
  ScaleSetWaits,
  Trouble,
  WaitFigures,
  WaitsView,
} from './view/view.js';
export type { Wait } from './view/waits.js';
