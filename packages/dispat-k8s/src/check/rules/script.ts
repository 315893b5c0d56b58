import { INDEX_VARIABLE } from '../pools/environment.js';
import type { Program } from '../pools/program.js';
import { pathsRead } from '../pools/settings.js';
import { type Found, forPools, PAGE, type Rule, someOf } from '../rule.js';
import { expandable } from '../shell/commands.js';
import { expandParts, normalPath } from '../shell/interpret.js';

const INITS = new Set(['tini', 'dumb-init', 'catatonit', 'docker-init']);
/** Characters that make a variable's value look like a script or a file, where a shell's meaning was meant. */
const SHELL_LIKE = /[`;|{"]/;

export const scriptRules: readonly Rule[] = [
  {
    id: 'DWM601',
    severity: 'error',
    title: "the worker takes the shell's place",
    why: 'A shell as process 1 does not pass SIGTERM on, so the node is killed when the grace period is over, with whatever it runs.',
    when: 'a shell starts the worker without exec (a bash -c of that one command is fine)',
    fix: 'start it with exec dispat worker …',
    page: PAGE.embedding,
    find: forPools(function* ({ program, settings }): Iterable<Found> {
      if (program?.shell === undefined) return;
      const start = settings.run?.start;
      if (start === undefined) return yield { unknown: settings.unread ?? 'the command that starts the worker' };
      if (!start.exec && !(program.shell === 'bash' && start.alone))
        yield { at: settings.at, message: 'the shell stays process 1 and keeps SIGTERM to itself' };
    }),
  },
  {
    id: 'DWM602',
    severity: 'error',
    title: 'nothing in a heredoc runs',
    why: 'An unquoted heredoc runs the commands in it and takes backslashes away.',
    when: 'a heredoc with an unquoted delimiter holds a backtick, $(, a backslash, or a $ other than the index variable',
    fix: 'put values into environment variables and write them with printf, as the generated script does',
    page: PAGE.embedding,
    find: forPools(function* ({ settings, program, first }): Iterable<Found> {
      for (const { quoted, body } of settings.run?.heredocs ?? []) {
        const bad = quoted || program === undefined ? [] : runIn(body, program, first);
        if (bad.length > 0)
          yield { at: settings.at, message: `the heredoc holds ${someOf(bad)}, which the shell acts on` };
      }
    }),
  },
  {
    id: 'DWM603',
    severity: 'error',
    title: 'the kubelet reads it first',
    why: "The kubelet replaces $(NAME) by the variable's value before any shell sees it, without quotes.",
    when: '$(NAME) stands in a script, or in a variable that looks like one, and NAME is a variable of the container',
    fix: 'write "${NAME}" for the shell\'s variable, or $$(NAME) to keep the text',
    page: PAGE.embedding,
    find: forPools(function* ({ program, settings, worker }): Iterable<Found> {
      const variables = settings.run?.variables;
      if (variables === undefined) return;
      const own = new Set(worker.at('env').items.map((entry) => entry.at('name').source ?? ''));
      const named = (text: string): readonly string[] =>
        [...text.matchAll(/(?<!\$)\$\(([A-Za-z_][A-Za-z0-9_]*)\)/g)]
          .map((match) => match[1] ?? '')
          .filter((name) => own.has(name) && name !== INDEX_VARIABLE);
      const inScript = named(program?.script ?? '');
      if (inScript.length > 0)
        yield { at: settings.at, message: `$(${inScript[0]}) is replaced before the shell reads the script` };
      for (const entry of worker.at('env').items) {
        const value = entry.at('value');
        const inValue = SHELL_LIKE.test(value.source ?? '') ? named(value.source ?? '') : [];
        if (inValue.length > 0)
          yield {
            at: value,
            message: `$(${inValue[0]}) in ${entry.at('name').source} is replaced before the container starts`,
          };
      }
    }),
  },
  {
    id: 'DWM606',
    severity: 'error',
    title: 'the file written is the file read',
    why: 'dispat looks for dispat.json, .yaml, .yml and .toml in --root and its parents, or reads --config alone. A file anywhere else is not read.',
    when: 'none of the files the script writes is at a path dispat reads, or two configuration files are in one folder',
    fix: 'write the file to ROOT/dispat.json, and only that one',
    page: PAGE.embedding,
    find: forPools(function* ({ settings }): Iterable<Found> {
      const { run, flags, candidates, at } = settings;
      const paths = pathsRead(flags, run?.folder);
      if (run === undefined || paths === undefined || candidates.length === 0) return;
      if (!paths.some((path) => run.files.has(path)))
        yield { at, message: `the script writes ${someOf(candidates)}, and dispat reads ${someOf(paths, 1)}` };
      const folders = candidates.map((path) => normalPath(`${path}/..`));
      const twice = candidates.filter(
        (_, index) => folders.indexOf(folders[index] ?? '') !== folders.lastIndexOf(folders[index] ?? ''),
      );
      if (twice.length > 1 && flags?.config === undefined)
        yield { at, message: `${twice.join(' and ')} are in one folder` };
    }),
  },
  {
    id: 'DWM607',
    severity: 'error',
    title: 'a file that can be read',
    why: 'dispat refuses a file that is no JSON, YAML or TOML, and the pod fails at once.',
    when: "after the index is put in, the worker's file for index 0, 9 or the last one is not JSON, YAML or TOML",
    fix: 'correct the text in the script; the generated script cannot write anything else',
    page: PAGE.embedding,
    find: forPools(function* ({ settings, first, count = 1 }): Iterable<Found> {
      for (const index of new Set([first, first + 9, first + Math.max(0, count - 1)])) {
        const file = settings.fileOf(index);
        const [problem] = file?.problems ?? [];
        if (file === undefined || problem === undefined) continue;
        const isSyntax =
          problem.code === 'YAML_INVALID' ||
          problem.code === 'YAML_DUPLICATE_KEY' ||
          problem.code === 'DOCUMENT_NOT_OBJECT';
        const where = problem.place === undefined ? '' : ` (line ${problem.place.line})`;
        yield {
          at: settings.at,
          message: `${file.path} of index ${index}${where}: ${isSyntax ? '' : `${problem.at}: `}${problem.found}; allowed: ${problem.allowed}`,
        };
        return;
      }
    }),
  },
  {
    id: 'DWM608',
    severity: 'info',
    title: 'somebody who reaps',
    why: 'As process 1 dispat is the parent of every orphan, and git and builds leave some.',
    when: 'dispat is process 1, the pod does not share its process namespace and no init is used',
    fix: 'generate with --init share-process, or --init tini when the image has it',
    page: PAGE.embedding,
    find: forPools(function* ({ pod, settings, program }): Iterable<Found> {
      const start = settings.run?.start;
      if (start === undefined || program === undefined || pod.at('shareProcessNamespace').boolean === true) return;
      if (start.wrappers.some((word) => INITS.has(word?.split('/').at(-1) ?? ''))) return;
      if (start.exec || (program.shell === 'bash' && start.alone))
        yield { at: settings.at, message: 'dispat is process 1: children of git and of builds stay as zombies' };
    }),
  },
];

/** What in an unquoted heredoc the shell acts on, the index aside. */
function runIn(body: string, program: Program, first: number): readonly string[] {
  const [one, other] = [first, first + 4_321].map((index) => ({ index, variables: program.run(index).variables }));
  const bad = new Set<string>();
  if (body.includes('`')) bad.add('a backtick');
  if (body.includes('$(')) bad.add('$(');
  if (body.includes('\\')) bad.add('a backslash');
  for (const part of expandable(body)) {
    if (part.kind === 'unknown') continue;
    if (part.kind === 'text') {
      if (part.text === '$') bad.add('a lone $');
      continue;
    }
    const isIndex = [one, other].every(
      (each) => each !== undefined && expandParts([part], each.variables) === String(each.index),
    );
    if (!isIndex) bad.add(`$${part.name}`);
  }
  return [...bad];
}
