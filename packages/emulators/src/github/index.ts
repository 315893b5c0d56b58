export type { EmulatedApp, Grants, NewApp } from './credentials.js';
export type { GitHubControls, GitHubEmulator, NewScaleSetOptions } from './emulator.js';
export type { JobState } from './entities.js';
export type { GitHubEvent, GitHubListener } from './events.js';
export type { NewJob } from './jobs.js';
export { DEFAULT_SETTINGS, type GitHubEmulatorOptions, type GitHubSettings } from './settings.js';
export { startGitHubEmulator } from './start.js';
export type { Statistics } from './statistics.js';
export type { JobView, RunnerView, ScaleSetView, SessionView } from './views.js';
