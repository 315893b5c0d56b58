import { commandsOf, expandable, type Heredoc, type Part, type ShellCommand, type Word } from './commands.js';

/** What a variable holds: a text, or nothing when only the cluster knows. A variable that is not set is empty. */
export type Variables = ReadonlyMap<string, string | undefined>;

/** What the program starts a worker with. */
export interface WorkerStart {
  /** From `dispat` on, each word as far as it is known. */
  readonly words: readonly (string | undefined)[];
  /** Whether the worker takes the shell's place. */
  readonly exec: boolean;
  /** Words before `dispat` (and after `exec`): an init, `env`, `nice`. */
  readonly wrappers: readonly (string | undefined)[];
  /** Whether it is the script's only command, which some shells take as an `exec`. */
  readonly alone: boolean;
}

/** What a start script leaves behind, as far as it can be told without running it. */
export interface Interpretation {
  /** Files by path; nothing for one whose content only running would tell. */
  readonly files: ReadonlyMap<string, string | undefined>;
  /** The environment the worker gets, on top of the container's own. */
  readonly variables: Variables;
  readonly heredocs: readonly Heredoc[];
  /** The first command that starts a worker. */
  readonly start: WorkerStart | undefined;
  /** Where the worker is started. */
  readonly folder: string | undefined;
}

/**
 * Follows a shell script along its straight path: variables, `cat`, `printf`, `echo` and `tee` into files. What a
 * branch or another program would decide is unknown, never guessed.
 * @param given the container's environment
 * @param mounted files that are there from the start, such as a ConfigMap's
 */
export function interpret(
  script: string,
  given: Variables,
  mounted: ReadonlyMap<string, string | undefined> = new Map(),
  folder?: string,
): Interpretation {
  const commands = commandsOf(script);
  const run = new Run(given, mounted, folder);
  for (const command of commands) run.step(command, commands.length === 1);
  return {
    files: run.files,
    variables: run.variables,
    heredocs: commands.flatMap((command) => command.heredocs),
    start: run.start,
    folder: run.folder,
  };
}

const OPENING = new Set(['if', 'case', 'while', 'until', 'for']);
const CLOSING = new Set(['fi', 'esac', 'done']);
const LEADING = new Set(['if', 'then', 'else', 'elif', 'while', 'until', 'do', '!', '{', 'time', 'command', 'builtin']);
/** Programs that leave the files they name alone. */
const READERS = new Set(['cat', 'chmod', 'chown', 'ls', 'test', '[', 'grep', 'head', 'tail', 'jq', 'echo', 'printf']);

type Values = readonly (string | undefined)[];

class Run {
  readonly variables: Map<string, string | undefined>;
  readonly files: Map<string, string | undefined>;
  start: WorkerStart | undefined;
  folder: string | undefined;
  #depth = 0;

  constructor(given: Variables, mounted: ReadonlyMap<string, string | undefined>, folder: string | undefined) {
    this.variables = new Map(given);
    this.files = new Map(mounted);
    this.folder = folder;
  }

  step(command: ShellCommand, alone: boolean): void {
    const words = this.#withoutKeywords(command.words);
    const rest = this.#assignments(words);
    const values = rest.map((word) => this.#value(word));
    this.start ??= startIn(values, alone);
    const program = values[0];
    if (program === 'export') this.#assignments(rest.slice(1));
    if (program === 'cd') this.folder = this.#path(values[1]);
    this.#write(command, values);
    this.#touch(program, values.slice(1));
  }

  /** Drops `if`, `then` and the like, and keeps count of how deep in branches this is. */
  #withoutKeywords(words: readonly Word[]): readonly Word[] {
    for (let at = 0; at < words.length; at++) {
      const word = plainText(words[at]);
      if (word !== undefined && OPENING.has(word)) this.#depth++;
      if (word !== undefined && CLOSING.has(word)) this.#depth = Math.max(0, this.#depth - 1);
      if (word === undefined || !LEADING.has(word)) return words.slice(at);
    }
    return [];
  }

  /** Takes the assignments a command begins with; in a branch what they set is unknown. */
  #assignments(words: readonly Word[]): readonly Word[] {
    for (let at = 0; at < words.length; at++) {
      const word = words[at] ?? [];
      const [first, ...others] = word;
      const match = first?.kind === 'text' ? /^([A-Za-z_][A-Za-z0-9_]*)=(.*)$/s.exec(first.text) : null;
      if (match === null) return words.slice(at);
      const [, name = '', head = ''] = match;
      const value = this.#value([{ kind: 'text', text: head }, ...others]);
      this.variables.set(name, this.#depth > 0 ? undefined : value);
    }
    return [];
  }

  #value(word: Word): string | undefined {
    return expandParts(word, this.variables);
  }

  #path(path: string | undefined): string | undefined {
    if (path === undefined) return undefined;
    if (path.startsWith('/')) return normalPath(path);
    return this.folder === undefined ? undefined : normalPath(`${this.folder}/${path}`);
  }

  #write(command: ShellCommand, values: Values): void {
    const content = this.#depth > 0 ? undefined : this.#output(command, values);
    for (const { operator, target } of command.redirects) {
      if (operator !== '>' && operator !== '>>') continue;
      const path = this.#path(this.#value(target));
      if (path === undefined || path.startsWith('/dev/')) continue;
      const before = operator === '>>' ? (this.files.has(path) ? this.files.get(path) : '') : '';
      this.files.set(path, before === undefined || content === undefined ? undefined : before + content);
    }
    const [program, target] = values;
    if (program === 'tee') {
      const path = this.#path(target);
      if (path !== undefined) this.files.set(path, content);
    }
  }

  /** What a command prints, when that is plain. */
  #output({ heredocs, redirects }: ShellCommand, [program, ...args]: Values): string | undefined {
    if (args.includes(undefined)) return undefined;
    const texts = args.map((arg) => arg ?? '');
    switch (program) {
      case 'cat':
      case 'tee': {
        const heredoc = heredocs[0];
        if (heredoc !== undefined) return this.#body(heredoc);
        const source = texts[0] ?? this.#input(redirects);
        const path = this.#path(source);
        return path === undefined ? undefined : this.files.get(path);
      }
      case 'printf':
        return formatted(texts);
      case 'echo': {
        const silent = texts[0] === '-n';
        const text = texts.slice(silent ? 1 : 0).join(' ');
        return text.includes('\\') || text.startsWith('-') ? undefined : `${text}${silent ? '' : '\n'}`;
      }
      case ':':
      case undefined:
        return redirects.length > 0 ? '' : undefined;
      default:
        return undefined;
    }
  }

  #input(redirects: ShellCommand['redirects']): string | undefined {
    const input = redirects.find(({ operator }) => operator === '<');
    return input === undefined ? undefined : this.#value(input.target);
  }

  #body({ quoted, body }: Heredoc): string | undefined {
    return quoted ? body : expandParts(expandable(body), this.variables);
  }

  /** A program that is not known to only read may change any file it names; `cp` and `mv` are followed. */
  #touch(program: string | undefined, args: Values): void {
    if (program === undefined || READERS.has(program) || program === 'tee') return;
    const paths = args.map((arg) => (arg?.startsWith('-') ? undefined : this.#path(arg)));
    const named = paths.filter((path) => path !== undefined);
    const [from, to] = named;
    if ((program === 'cp' || program === 'mv') && named.length === 2 && from !== undefined && to !== undefined) {
      this.files.set(to, this.files.get(from));
      return;
    }
    if (isDispat(program) || program === 'exec') return;
    for (const path of named) if (this.files.has(path)) this.files.set(path, undefined);
  }
}

function plainText(word: Word | undefined): string | undefined {
  const [part, ...others] = word ?? [];
  return part?.kind === 'text' && others.length === 0 ? part.text : undefined;
}

/** The text a word comes to; nothing when a part of it is unknown. */
export function expandParts(word: Word, variables: Variables): string | undefined {
  let text = '';
  for (const part of word) {
    const value = partValue(part, variables);
    if (value === undefined) return undefined;
    text += value;
  }
  return text;
}

function partValue(part: Part, variables: Variables): string | undefined {
  if (part.kind === 'text') return part.text;
  if (part.kind === 'unknown') return undefined;
  const { name, operator, argument } = part;
  if (!/^[A-Za-z_]/.test(name)) return undefined;
  const set = variables.has(name);
  const value = set ? variables.get(name) : '';
  if (value === undefined) return undefined;
  switch (operator) {
    case '':
    case '?':
    case ':?':
      return value;
    case '-':
    case '=':
      return set ? value : argument;
    case ':-':
    case ':=':
      return value === '' ? argument : value;
    case '+':
      return set ? argument : '';
    case ':+':
      return value === '' ? '' : argument;
    default:
      return trimmed(value, operator, argument);
  }
}

/** `${x##*-}` and its equals: a star and one plain text. */
function trimmed(value: string, operator: string, pattern: string): string | undefined {
  if (/[?[\]\\]/.test(pattern)) return undefined;
  const fromStart = operator.startsWith('#');
  const longest = operator.length === 2;
  const star = fromStart ? pattern.startsWith('*') : pattern.endsWith('*');
  const plain = star ? (fromStart ? pattern.slice(1) : pattern.slice(0, -1)) : pattern;
  if (plain.includes('*')) return undefined;
  if (!star) {
    if (fromStart) return value.startsWith(plain) ? value.slice(plain.length) : value;
    return value.endsWith(plain) ? value.slice(0, value.length - plain.length) : value;
  }
  const at = fromStart === longest ? value.lastIndexOf(plain) : value.indexOf(plain);
  if (at === -1) return value;
  return fromStart ? value.slice(at + plain.length) : value.slice(0, at);
}

/** What `printf` prints for `%s` and the common escapes; nothing for a format that does more. */
function formatted([format = '', ...args]: readonly string[]): string | undefined {
  const pieces = format.match(/%.|\\.|[^%\\]+/gs) ?? [];
  const slots = pieces.filter((piece) => piece === '%s').length;
  if (pieces.some((piece) => /^%[^s%]/.test(piece) || (piece.startsWith('\\') && !ESCAPES.has(piece))))
    return undefined;
  let text = '';
  let next = 0;
  do {
    for (const piece of pieces) {
      if (piece === '%s') text += args[next++] ?? '';
      else text += piece === '%%' ? '%' : (ESCAPES.get(piece) ?? piece);
    }
  } while (slots > 0 && next < args.length);
  return text;
}

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['\\n', '\n'],
  ['\\t', '\t'],
  ['\\\\', '\\'],
  ['\\"', '"'],
]);

/** The worker a command starts, when it does. */
export function startIn(values: Values, alone: boolean): WorkerStart | undefined {
  const exec = values[0] === 'exec';
  for (let at = exec ? 1 : 0; at < values.length; at++) {
    if (isDispat(values[at]) && isWorkerCommand(values, at + 1)) {
      return { words: values.slice(at), exec, wrappers: values.slice(exec ? 1 : 0, at), alone };
    }
  }
  return undefined;
}

/** Whether a text that is not understood as a script still names a worker: `su worker -c "dispat worker"`. */
export function mentionsWorker(text: string): boolean {
  return startIn(text.split(/[\s'"();&|]+/), false) !== undefined;
}

function isDispat(word: string | undefined): boolean {
  return word === 'dispat' || word?.endsWith('/dispat') === true;
}

/** A program is not looked for beyond so many options. */
const MOST_OPTIONS = 100;

/** Whether `worker` is the first word from there on that is neither an option nor an option's value. */
function isWorkerCommand(words: Values, from: number): boolean {
  for (let at = from; at < from + MOST_OPTIONS; at++) {
    const word = words[at];
    if (word === 'worker') return true;
    if (word?.startsWith('-') !== true) return false;
    if (!word.includes('=') && words[at + 1] !== 'worker' && words[at + 1]?.startsWith('-') !== true) at++;
  }
  return false;
}

/** A path without `.`, `..`, doubled and trailing slashes. */
export function normalPath(path: string): string {
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return `/${parts.join('/')}`;
}
