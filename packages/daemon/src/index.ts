export { type Daemon, type Host, type StartOptions, startDaemon } from './start.js';
