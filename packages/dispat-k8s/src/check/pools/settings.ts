import type { DispatConfiguration, Execution } from '../../dispat-config/configuration.js';
import { readDispatConfiguration } from '../../dispat-config/read.js';
import { ANNOTATIONS } from '../../pool.js';
import { type InputProblem, ProblemList } from '../../problems.js';
import type { KubeValue } from '../kube/value.js';
import { type Interpretation, normalPath } from '../shell/interpret.js';
import type { Program } from './program.js';
import type { Workload } from './workload.js';

/** How a worker's nodes are named: the same text around each index. */
export interface NamePattern {
  readonly before: string;
  readonly after: string;
  /** Whether the index is in it at all; without it every pod has the same name. */
  readonly hasIndex: boolean;
}

/** The file the worker reads, in the pod of one index. */
export interface WorkerFile {
  readonly path: string;
  readonly text: string;
  readonly configuration: DispatConfiguration;
  readonly problems: readonly InputProblem[];
}

/** What the command line of the worker says. Nothing where it could not be read. */
export interface WorkerFlags {
  readonly root: string | undefined;
  readonly stateDir: string | undefined;
  readonly config: string | undefined;
  /** Whole seconds; 0 when the flag is absent, which is dispat's own default. */
  readonly idleTimeout: number | undefined;
}

/** What is known of a pool's workers. Whatever is missing is unknown, which is no pass. */
export interface WorkerSettings {
  /** Where the settings stand in the manifest. */
  readonly at: KubeValue;
  readonly run: Interpretation | undefined;
  readonly flags: WorkerFlags | undefined;
  readonly file: WorkerFile | undefined;
  /** Paths of all configuration files written or mounted. */
  readonly candidates: readonly string[];
  readonly execution: Execution | undefined;
  readonly names: NamePattern | undefined;
  /** Hash of the endpoint, for a pool whose file cannot be read but whose annotations can. */
  readonly endpointHash: string | undefined;
  readonly preflight: number | undefined;
  readonly taskTimeout: number | undefined;
  /** What could not be read, in words that follow "could not read". */
  readonly unread: string | undefined;
  /** The same file for other indexes, to see that each of them can be read. */
  fileOf(index: number): WorkerFile | undefined;
}

/**
 * The effective settings of a pool's workers: what the program writes and starts wins over the annotations, because it
 * is what runs.
 */
export function settingsOfWorker(
  workload: Workload,
  container: KubeValue,
  program: Program | undefined,
): WorkerSettings {
  const annotated = annotationsOf(workload);
  const first = firstIndex(workload);
  const run = program?.run(first);
  const flags = run?.start && flagsOf(run.start.words);
  const fileOf = (index: number): WorkerFile | undefined => {
    const each = index === first ? run : program?.run(index);
    return each === undefined ? undefined : workerFile(each, flags);
  };
  const file = fileOf(first);
  const names = file === undefined ? annotated.names : namesOf(fileOf, file, first);
  return {
    at: program?.at ?? container,
    run,
    flags,
    file,
    candidates: run === undefined ? [] : configurationsIn(run),
    execution: file?.configuration.execution,
    names,
    endpointHash: annotated.endpointHash,
    preflight: annotated.preflight,
    taskTimeout: annotated.taskTimeout,
    unread: unreadOf(program, run, file),
    fileOf,
  };
}

/** The number in the first pod's name. */
export function firstIndex({ form, spec }: Workload): number {
  return form === 'statefulset' ? (spec.at('ordinals', 'start').number ?? 0) : 0;
}

function unreadOf(
  program: Program | undefined,
  run: Interpretation | undefined,
  file: WorkerFile | undefined,
): string | undefined {
  if (file?.configuration.execution !== undefined) return undefined;
  if (program === undefined) return 'the program, which the image decides';
  if (run?.start === undefined) return 'the command that starts the worker';
  return "the worker's configuration file, which the input does not hold as plain text";
}

function annotationsOf({
  resource,
  template,
}: Workload): Pick<WorkerSettings, 'names' | 'endpointHash' | 'preflight' | 'taskTimeout'> {
  const annotations = new Map([
    ...template.at('metadata', 'annotations').textMap,
    ...resource.root.at('metadata', 'annotations').textMap,
  ]);
  const seconds = (key: string): number | undefined => {
    const text = annotations.get(key);
    return text !== undefined && /^[0-9]{1,9}$/.test(text) ? Number(text) : undefined;
  };
  const pattern = /^(.*)\{[0-9]+\.\.[0-9]+\}(.*)$/s.exec(annotations.get(ANNOTATIONS.nodes) ?? '');
  return {
    names: pattern === null ? undefined : { before: pattern[1] ?? '', after: pattern[2] ?? '', hasIndex: true },
    endpointHash: annotations.get(ANNOTATIONS.endpointHash),
    preflight: seconds(ANNOTATIONS.preflight),
    taskTimeout: seconds(ANNOTATIONS.taskTimeout),
  };
}

function flagsOf(words: readonly (string | undefined)[]): WorkerFlags {
  const value = (name: string): string | undefined | null => {
    const at = words.indexOf(name);
    if (at !== -1) return words[at + 1];
    const joined = words.find((word) => word?.startsWith(`${name}=`));
    return joined === undefined ? null : joined.slice(name.length + 1);
  };
  const idle = value('--idle-timeout');
  const known = !words.includes(undefined);
  return {
    root: value('--root') ?? (known ? '.' : undefined),
    stateDir: value('--state-dir') ?? undefined,
    config: value('--config') ?? undefined,
    idleTimeout: idle === null ? (known ? 0 : undefined) : wholeNumber(idle),
  };
}

function wholeNumber(text: string | undefined): number | undefined {
  return text !== undefined && /^[0-9]{1,9}$/.test(text) ? Number(text) : undefined;
}

const FILE_NAMES = ['dispat.json', 'dispat.yaml', 'dispat.yml', 'dispat.toml'];

/** Every file that could be a worker's configuration by its name or by its text. */
function configurationsIn({ files }: Interpretation): readonly string[] {
  return [...files].flatMap(([path, text]) => {
    const named = FILE_NAMES.includes(path.split('/').at(-1) ?? '');
    return named || text?.includes('execution') === true ? [path] : [];
  });
}

/** The paths dispat looks at, in its order: `--config` alone, else the names it knows in `--root` and its parents. */
export function pathsRead(flags: WorkerFlags | undefined, folder: string | undefined): readonly string[] | undefined {
  if (flags?.root === undefined) return undefined;
  const root = flags.root.startsWith('/') ? flags.root : folder === undefined ? undefined : `${folder}/${flags.root}`;
  if (flags.config !== undefined) {
    if (flags.config.startsWith('/')) return [normalPath(flags.config)];
    return root === undefined ? undefined : [normalPath(`${root}/${flags.config}`)];
  }
  if (root === undefined) return undefined;
  const paths: string[] = [];
  for (let at = normalPath(root); ; at = normalPath(`${at}/..`)) {
    paths.push(...FILE_NAMES.map((name) => normalPath(`${at}/${name}`)));
    if (at === '/') return paths;
  }
}

function workerFile(run: Interpretation, flags: WorkerFlags | undefined): WorkerFile | undefined {
  const read = pathsRead(flags, run.folder)?.find((path) => run.files.has(path));
  // A file in the wrong place is still what its author meant; that it is not read is a rule of its own.
  const path = read ?? configurationsIn(run)[0];
  const text = path === undefined ? undefined : run.files.get(path);
  if (path === undefined || text === undefined) return undefined;
  const problems = new ProblemList();
  const configuration = readDispatConfiguration(text, path, problems);
  return { path, text, configuration, problems: problems.all };
}

/** The pattern of the names, seen at a few indexes; nothing when they do not follow one. */
function namesOf(
  fileOf: (index: number) => WorkerFile | undefined,
  file: WorkerFile,
  first: number,
): NamePattern | undefined {
  const nameAt = (index: number): string | undefined => fileOf(index)?.configuration.execution?.name?.value;
  const name = file.configuration.execution?.name?.value;
  const far = first + 12_345;
  const other = nameAt(far);
  if (name === undefined || other === undefined) return undefined;
  if (name === other) return { before: name, after: '', hasIndex: false };
  const at = other.indexOf(String(far));
  if (at === -1) return undefined;
  const pattern = { before: other.slice(0, at), after: other.slice(at + String(far).length), hasIndex: true };
  return name === nodeNameOf(pattern, first) ? pattern : undefined;
}

/** The name of the node with that index. */
export function nodeNameOf({ before, after, hasIndex }: NamePattern, index: number): string {
  return hasIndex ? `${before}${index}${after}` : before;
}
