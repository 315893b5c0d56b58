export { readCredentials } from './credentials.js';
export { type EventsOfFile, readEvents } from './events/read-events.js';
export { type Daemon, type Host, type StartOptions, startDaemon } from './start.js';
