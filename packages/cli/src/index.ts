export type { Output, World } from './command.js';
export { EXIT } from './exit.js';
export { run } from './run.js';
