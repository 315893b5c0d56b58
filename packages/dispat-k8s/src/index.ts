export type { Command, Input, Output, World } from './command.js';
export {
  type Endpoint,
  type EndpointFault,
  type EndpointReading,
  probablySameRepository,
  readEndpoint,
  redactEndpoint,
} from './endpoint.js';
export { EXIT } from './exit.js';
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
  problemLine,
} from './problems.js';
export { run } from './run.js';
