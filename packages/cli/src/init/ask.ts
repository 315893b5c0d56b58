import type { World } from '../command.js';
import { EXIT, ExitError } from '../exit.js';
import { faultsOf } from './draft.js';
import { linesOf } from './lines.js';
import { type Answers, type Question, questionsFor } from './questions.js';

/**
 * Asks on the terminal for whatever is not answered yet. An answer that a check of the configuration would refuse is
 * refused at once, and asked for again.
 * @param given answers that came as flags; a wrong one is asked for too
 * @throws ExitError 1 when the input ends before the last answer; the signal's reason when that aborts
 */
export async function askFor(given: Answers, world: Pick<World, 'stdin' | 'stderr' | 'signal'>): Promise<Answers> {
  const { stderr } = world;
  const lines = linesOf(world);
  let answers: Answers = {};
  const asked = new Set<string>();
  try {
    for (;;) {
      const question = questionsFor(answers).find(({ name }) => !asked.has(name));
      if (question === undefined) return answers;
      asked.add(question.name);
      answers = await answered(question, answers);
    }
  } finally {
    await lines.return();
  }

  async function answered(question: Question, before: Answers): Promise<Answers> {
    const { name, fallback } = question;
    // A token's file that came as a flag tells what kind of credentials is meant.
    const known = { ...before, ...given };
    const meant = questionsFor(known).find((each) => each.name === name)?.fallback ?? fallback;
    let answer = given[name];
    for (;;) {
      answer ??= await ask({ ...question, ...(meant !== undefined && { fallback: meant }) });
      const refusal = refusalOf(question, answer, before);
      if (refusal === undefined) return { ...before, [name]: answer };
      stderr.write(`  ${refusal}\n`);
      answer = undefined;
    }
  }

  async function ask({ ask, example, fallback, choices }: Question): Promise<string> {
    const shown = choices === undefined ? `like ${example}` : choices.join(', ');
    stderr.write(`${ask.charAt(0).toUpperCase()}${ask.slice(1)}\n  ${shown}${fallback ? ` [${fallback}]` : ''}: `);
    const { value, done } = await lines.next();
    if (done === true) {
      stderr.write('\n');
      throw new ExitError(EXIT.failed, 'the input ended before the last question: nothing is written');
    }
    const answer = value.trim();
    return answer === '' && fallback !== undefined ? fallback : answer;
  }
}

/** Why an answer will not do. */
function refusalOf({ name, choices }: Question, answer: string, before: Answers): string | undefined {
  if (answer === '') return 'there is no answer that could be guessed';
  if (choices !== undefined && !choices.includes(answer)) return `must be one of ${choices.join(', ')}`;
  // A token goes with every address, and an App does not: until there is an answer, nothing is held against it.
  return faultsOf({ credentials: 'token', ...before, [name]: answer })[0]?.message;
}
