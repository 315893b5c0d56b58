/** What a run in a process takes, as one file to load. */
export { hostname } from 'node:os';
export { systemClock } from '@rungar/model';
export { StopRequest } from './exit.js';
export { onOutputErrors } from './output-errors.js';
export { pipeHasReader } from './reader.js';
export { run } from './run.js';
