export {
  type JobCompleted,
  type JobFacts,
  type JobMessage,
  type JobMessageHandler,
  type JobStarted,
  type MessageSession,
  type ScaleSetRecord,
  type ScaleSetService,
  type ScaleSetStatistics,
  Secret,
  type SessionRefusal,
} from '@rungar/model';
export { type ProxySettings, proxySettingsOf } from '@rungar/proxies';
export type { GitHubService } from './answer.js';
export { signAppJwt } from './app-auth.js';
export {
  type AppForm,
  type AppRegistrar,
  type AppRegistrarOptions,
  type CreatedApp,
  createAppRegistrar,
} from './app-manifest.js';
export { type ConfigUrl, parseConfigUrl, type Scope } from './config-url.js';
export { type Credentials, checkCredentials, readPrivateKey } from './credentials.js';
export { failureOf, type GitHubFailure, refusalOf } from './errors.js';
export {
  createScaleSetService,
  type GitHubClient,
  type GitHubStanding,
  type ScaleSetServiceOptions,
} from './service.js';
export type { Exchange, RequestObserver, WireAnswer, WireRequest } from './transport.js';
export { type ClientIdentity, userAgentOf } from './user-agent.js';
export { decodePolled, type Polled } from './wire/job-message.js';
export type { RunnerVersionLife } from './wire/runner.js';
