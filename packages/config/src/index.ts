export { type CheckFilesOptions, checkFiles } from './check-files.js';
export { hideCredentials, looksLikeCredential, REDACTED, withoutCredentials } from './credential-like.js';
export { exposedSecretFiles } from './exposed-files.js';
export { formatDeprecation, formatProblem } from './format-problem.js';
export { loadConfig } from './load-file.js';
export { mergeRunner } from './merge-runner.js';
export { type ParsedConfig, type ParseOptions, parseConfig } from './parse.js';
export type { GitHubCredentials, GitHubSettings, ProviderSettings, Settings } from './settings.js';
