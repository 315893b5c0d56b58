export { type Clock, type Limit, limitTime, systemClock } from './clock.js';
export { formatDuration, formatDurationMs, parseDuration, roundedDuration } from './duration.js';
export {
  ERROR_CODES,
  type ErrorCode,
  errorCodeOf,
  isRungarError,
  messageOf,
  RungarError,
  type RungarErrorOptions,
} from './errors.js';
export { EVENT_ACTIONS, type EventAction, type EventKind, type EventSink, type RungarEvent } from './event.js';
export {
  entryOf,
  type ListOptions,
  placeOf,
  readMapping,
  type TextMapOptions,
  UNKNOWN_KEY,
} from './fields/collections.js';
export type { Field, FieldOptions, Fields, Reading, Shape, ValueOf, Values } from './fields/field.js';
export { field } from './fields/kinds.js';
export { itemPath, memberPath } from './fields/path.js';
export { asWritten, quoted, type Rejection, reject } from './fields/report.js';
export {
  type DurationOptions,
  didYouMean,
  type NumberOptions,
  type ParsedTextOptions,
  type TextOptions,
} from './fields/scalars.js';
export type {
  JitRegistration,
  JobCompleted,
  JobFacts,
  JobMessage,
  JobMessageHandler,
  JobStarted,
  MessageSession,
  RunnerRegistration,
  RunnerStatuses,
  ScaleSetRecord,
  ScaleSetService,
  ScaleSetStatistics,
  SessionRefusal,
} from './github.js';
export { cannotListen, type ListenAddress, parseListenAddress, type ServerName } from './listen-address.js';
export type {
  Located,
  LocatedEntry,
  LocatedList,
  LocatedMap,
  LocatedScalar,
  Place,
  Problem,
  ProblemSink,
} from './located.js';
export { type LogFields, type Logger, silentLogger } from './logger.js';
export type {
  DeleteOutcome,
  Labels,
  ListingPart,
  Machine,
  MachineListing,
  MachineRef,
  MachineRequest,
  MachineState,
} from './machine.js';
export { nearest } from './nearest.js';
export type {
  CallOptions,
  ChangeOptions,
  ConfiguredProvider,
  OnlineFinding,
  OpenProvider,
  ParsedRunner,
  ProviderContext,
  ProviderFields,
  ProviderType,
  RunnerToCheck,
} from './provider.js';
export { type Random, systemRandom } from './random.js';
export {
  type GitHubStatus,
  LOSS_REASONS,
  type LossReason,
  REMOVAL_REASONS,
  type RemovalReason,
  type RunnerJob,
  type RunnerState,
} from './runner.js';
export type { Placement, ScaleSetPolicy, ScaleSetProvider, Schedule, ScheduleWindow, Weekday } from './scale-set.js';
export { createRedactor, type Redactor, Secret } from './secret.js';
export { exactSize, formatSize, parseSize } from './size.js';
