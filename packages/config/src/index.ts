export type { GitHubCredentials, ProviderSettings, Settings } from './settings.js';
