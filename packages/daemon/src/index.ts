export { type KeptState, type Note, parseState, stateFilePath } from './by-hand/state-file.js';
export { readCredentials } from './credentials.js';
export type { EventQuery } from './events/event-query.js';
export { createKeptEvents, type KeptEvent, type KeptEvents } from './events/kept-events.js';
export { type EventsOfFile, readEvents } from './events/read-events.js';
export {
  createPrometheus,
  type DaemonMetrics,
  type Levels,
  type Prometheus,
  type PrometheusOptions,
} from './metrics/prometheus.js';
export type { Reloaded } from './reload/reload.js';
export { type Daemon, type Host, type StartOptions, startDaemon } from './start.js';
