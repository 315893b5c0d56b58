import type { Benchmark } from '../benchmark.js';
import { askedToPause, burst, firstRequest, outstandingPoll } from './bursts.js';
import { computeEngineCalls, computeEnginePage, computeEngineQuota } from './compute-engine.js';
import { configuration } from './configuration.js';
import { dicerListing } from './dicer-listing.js';
import { demand, poolSize } from './dispat-plans.js';
import { ec2ChangingThrottle, ec2Throttle } from './ec2-pace.js';
import { ec2Page } from './ec2-page.js';
import { installation, labelEncodings, revision } from './encodings.js';
import { placement } from './engine-decisions.js';
import { fairness } from './engine-fairness.js';
import { passCalls, passRevisions, restarting } from './engine-listings.js';
import { memory } from './engine-memory.js';
import { passCpu } from './engine-passes.js';
import { fullBackend, silentBackend } from './engine-placing.js';
import { jobsDone, removing, removingLost, turningBusy } from './engine-removing.js';
import { stalls } from './engine-stalls.js';
import { stopping } from './engine-stopping.js';
import { connectionLag, idleRequests, restOutage, spentByOthers, tokenMints } from './github-budget.js';
import { idling } from './idling.js';
import { installSize } from './install-size.js';
import { jobMessages } from './job-messages.js';
import { keptEvents } from './kept-events.js';
import { loadedModules } from './loaded-modules.js';
import { metricsPage } from './metrics-page.js';
import { proxmoxCalls, proxmoxLock } from './proxmox-clones.js';
import { proxmoxListing } from './proxmox-listing.js';
import { serving } from './serving.js';
import { imports, startUp } from './start-up.js';
import { wire, wireCalls } from './wire.js';
import { workerCheck } from './worker-check.js';
import { workerManifests } from './worker-manifests.js';

/** Every benchmark, in the order to run them. */
export const benchmarks: readonly Benchmark[] = [
  burst,
  firstRequest,
  outstandingPoll,
  ec2Throttle,
  ec2ChangingThrottle,
  computeEngineQuota,
  askedToPause,
  silentBackend,
  fairness,
  fullBackend,
  proxmoxLock,
  proxmoxCalls,
  proxmoxListing,
  dicerListing,
  computeEngineCalls,
  removing,
  removingLost,
  jobsDone,
  turningBusy,
  passCalls,
  passCpu,
  stalls,
  memory,
  restarting,
  stopping,
  computeEnginePage,
  ec2Page,
  idleRequests,
  connectionLag,
  spentByOthers,
  restOutage,
  tokenMints,
  installation,
  labelEncodings,
  revision,
  passRevisions,
  configuration,
  jobMessages,
  keptEvents,
  metricsPage,
  placement,
  startUp,
  serving,
  loadedModules,
  installSize,
  imports,
  workerManifests,
  workerCheck,
  poolSize,
  demand,
  wire,
  wireCalls,
  idling,
];
