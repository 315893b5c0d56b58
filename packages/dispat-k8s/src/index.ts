export { type CheckInput, check, reaches } from './check/check.js';
export { checkJson } from './check/report/json.js';
export type { CheckReport, Finding, IgnoredFinding, ReportObject } from './check/report/model.js';
export { checkSarif } from './check/report/sarif.js';
export { checkText, type TextOptions } from './check/report/text.js';
export { type Found, type Hit, type Page, type Rule, SEVERITIES, type Severity, type Unknown } from './check/rule.js';
export { ruleOf, rules } from './check/rules/index.js';
export type {
  Applied,
  ApplyOptions,
  ClusterApi,
  KindRef,
  Listed,
  ListQuery,
  LiveObject,
  LogLine,
  LogQuery,
  NamespacedName,
  ObjectRef,
  RemoveOptions,
  WatchEvent,
  WriteOptions,
} from './cluster/api.js';
export { type ApplyResult, apply } from './cluster/apply.js';
export type { AppliedObject, ApplyAction, ApplyRequest } from './cluster/apply-object.js';
export { type MailboxDeps, mailboxAsker } from './cluster/ask-mailbox.js';
export { type ConnectOptions, connectCluster } from './cluster/connect.js';
export type { ClusterEvent } from './cluster/events.js';
export { type FollowEnd, type FollowEvent, type FollowResult, follow } from './cluster/follow.js';
export type { KubeconfigSource } from './cluster/kubeconfig.js';
export type { ClientImport } from './cluster/load-client.js';
export type { NodePhase, NodeState } from './cluster/pods.js';
export type { ClusterDeps } from './cluster/pool-view.js';
export { type NamespaceObjects, readNamespace } from './cluster/read-namespace.js';
export type { PoolFailure, Until, WaitedNode } from './cluster/readiness.js';
export { type AskMailbox, type RemoveRequest, type RemoveResult, remove } from './cluster/remove.js';
export { type SecretKey, secretsOf } from './cluster/secrets.js';
export { type WaitProgress, type WaitRequest, type WaitResult, waitReady } from './cluster/wait.js';
export { type WatcherPortDeps, watcherPort } from './cluster/watcher-port.js';
export type { PoolTarget } from './cluster/workloads.js';
export type { Input, Output, World } from './command.js';
export {
  classifyDemand,
  type Demand,
  type DemandContext,
  type KnownPool,
  type PoolDemand,
  remember,
  type Sighting,
  type Sightings,
  type Tip,
  type TipState,
} from './demand/classify.js';
export type { ClusterPort, PoolPhase, WatchedPool } from './demand/cluster-port.js';
export { type GitCall, type GitOptions, type GitResult, type GitRunner, systemGit } from './demand/git.js';
export { gitMailbox, type Mailbox } from './demand/mailbox.js';
export { type MetricsView, metricsText } from './demand/metrics.js';
export { type Branch, type BranchKind, type ParsedRefs, parseRefs } from './demand/parse-refs.js';
export { createWatcher, type Watcher, type WatchNews, type WatchOptions } from './demand/watch.js';
export {
  decideWatch,
  INITIAL_STATE,
  type PoolSight,
  type PoolState,
  type WatchSettings,
  type WatchStep,
} from './demand/watch-state.js';
export {
  type DispatConfiguration,
  type Execution,
  type Relation,
  type RunOnly,
  type Scope,
  settingsOf,
  type Where,
  type WorkerLink,
} from './dispat-config/configuration.js';
export { readDispatConfiguration } from './dispat-config/read.js';
export {
  type Endpoint,
  type EndpointFault,
  type EndpointReading,
  probablySameRepository,
  readEndpoint,
  redactEndpoint,
} from './endpoint.js';
export { EXIT } from './exit.js';
export { type Choice, explainManifest, type PoolChoices } from './explain/choices.js';
export { type Explanation, explain, topics } from './explain/explain.js';
export type { NamedText } from './files.js';
export { type Generated, type GeneratedPool, generate, generateFrom, generatePool } from './generate/generate.js';
export { manifestFiles, manifestsJson, manifestsYaml, type OutputFile, secretStub } from './generate/manifests.js';
export type { OptionsSource } from './options/gather.js';
export { type CheckedOptions, readPoolOptions } from './options/read-options.js';
export { runIdFromText } from './options/rules/naming.js';
export { optionsSchema } from './options/schema.js';
export { OPTIONS, type OptionKey, type OptionKind, type OptionRow, type PoolInput } from './options/table.js';
export {
  type OrchestratorBlock,
  orchestratorBlock,
  orchestratorYaml,
  reducedBlock,
} from './orchestrator/block.js';
export { type Shell, workerFlagLines, workerFlags } from './orchestrator/flags.js';
export { type Adjacency, type Ordering, topologicalOrder } from './plan/adjacency.js';
export { analysePlan, type SizeInput, simulate } from './plan/analyse.js';
export { type CurveBounds, type CurvePoint, sizeCurve } from './plan/curve.js';
export { type Durations, readDurations, type TaskDurations } from './plan/durations.js';
export { type Levels, measureLevels } from './plan/levels.js';
export { type PackageState, type ParsedPlan, type Plan, type PlanPackage, parsePlan } from './plan/parse-plan.js';
export { sizePlot } from './plan/plot.js';
export { createSimulator, type SimulatedRun, type SimulationSetup, type Simulator } from './plan/simulate.js';
export type { Bind, PlatformSize, SizeReport, SizeRow } from './plan/size-report.js';
export { sizeCsv, sizeText } from './plan/size-text.js';
export { buildTaskGraph, type GraphOptions, type TaskGraph } from './plan/task-graph.js';
export type { TaskPolicy } from './plan/task-policy.js';
export { type Antichain, maximumAntichain } from './plan/width.js';
export {
  ANNOTATIONS,
  type EgressTarget,
  type ExtraEnv,
  type KubeObject,
  LABELS,
  type Link,
  linksOf,
  nodeNames,
  type Platform,
  type Pool,
  type PoolOptions,
  type Transfer,
} from './pool.js';
export {
  InputError,
  type InputProblem,
  isInputError,
  PROBLEM_CODES,
  type ProblemCode,
  ProblemList,
  problemLine,
} from './problems.js';
export { run } from './run.js';
