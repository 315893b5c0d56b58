export { readCredentials } from './credentials.js';
export { type Daemon, type Host, type StartOptions, startDaemon } from './start.js';
