export { type FakeClock, fakeClock, seededRandom } from '@rungar/model/testing';
export { type MemoryGitHub, type MemoryGitHubCall, memoryGitHub } from './memory-github.js';
export type { MemoryJob } from './memory-jobs.js';
export {
  type MemoryProvider,
  type MemoryProviderCall,
  type MemoryProviderOptions,
  memoryProvider,
} from './memory-provider.js';
