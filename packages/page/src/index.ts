export { type Page, type PageOptions, servePage } from './server/serve-page.js';
export type { PageSource, PageStatus, ProviderFacts, ScaleSetFacts } from './source.js';
export { EventBook } from './view/event-book.js';
export { pageView } from './view/page-view.js';
export type {
  EventRow,
  FleetRow,
  FleetView,
  HourOfWaits,
  JobRow,
  JobStep,
  JobsView,
  PageView,
  ProviderRow,
  ScaleSetWaits,
  Trouble,
  WaitFigures,
  WaitsView,
} from './view/view.js';
