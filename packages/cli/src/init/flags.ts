import type { World } from '../command.js';
import { EXIT, ExitError } from '../exit.js';
import { plural } from '../output/words.js';
import { faultsOf } from './draft.js';
import { type Answers, allQuestions, type Question, questionsFor, TYPE_QUESTION } from './questions.js';

/** The answers that came as flags. */
export function answersIn(args: Readonly<Record<string, unknown>>): Answers {
  const given = allQuestions().flatMap(({ name }) => {
    const value = args[name];
    return typeof value === 'string' ? [[name, value.trim()] as const] : [];
  });
  return Object.fromEntries(given);
}

/**
 * Makes sure that flags alone answer everything, and rightly.
 * @param start the command up to its first flag, to show the whole of it
 * @throws ExitError 64 naming every flag that is missing, after a line for each that is wrong
 */
export function requireAll(given: Answers, start: string, stderr: World['stderr']): void {
  const questions = questionsFor(given);
  const missing = questions.filter(({ name, fallback }) => given[name] === undefined && fallback === undefined);
  const wrong = wrongFlags(given, questions);
  if (missing.length === 0 && wrong.length === 1) throw new ExitError(EXIT.usage, wrong[0] ?? '');
  for (const line of wrong) stderr.write(`${line}\n`);
  if (missing.length === 0 && wrong.length > 0) {
    throw new ExitError(EXIT.usage, `${plural(wrong.length, 'flag')} cannot be used`);
  }
  if (missing.length === 0) return;
  const names = missing.map(({ name }) => `--${name}`).join(', ');
  throw new ExitError(EXIT.usage, `config init needs ${names}`, `for example: \`${wholeCommand(given, start)}\``);
}

/** A line for each flag that will not do. */
function wrongFlags(given: Answers, questions: readonly Question[]): readonly string[] {
  const empty = Object.keys(given).filter((name) => given[name] === '');
  const filled = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== ''));
  return [
    ...strays(given, questions),
    ...empty.map((name) => `--${name} is empty`),
    ...faultsOf(filled).map(({ question, message }) => (question === undefined ? message : `--${question} ${message}`)),
  ];
}

/** Flags that belong to another type, or to the other kind of credentials. */
function strays(given: Answers, questions: readonly Question[]): readonly string[] {
  const asked = new Set(questions.map(({ name }) => name));
  if (given.type === undefined) return [];
  const names = Object.keys(given).filter((name) => !asked.has(name));
  return names.map((name) => `--${name} does not go with --type ${given.type} and these credentials`);
}

/** The command with what was given, and an example for what was not. */
function wholeCommand(given: Answers, start: string): string {
  const { type = TYPE_QUESTION.example } = given;
  const flags = questionsFor({ ...given, type }).flatMap(({ name, example, fallback }) => {
    const value = given[name] ?? (fallback === undefined ? example : undefined);
    return value === undefined ? [] : [`--${name} ${quoted(value)}`];
  });
  return [start, ...flags].join(' ');
}

/** As a shell reads it. */
function quoted(text: string): string {
  return /^[\w./:@,=+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
