import type { World } from '../command.js';
import type { OptionKey } from '../options/table.js';

interface Question {
  readonly key: OptionKey;
  readonly ask: string;
  /** What an empty answer stands for; nothing when an answer is needed. */
  readonly usual?: string;
}

/** The few things that nobody can choose for the user. */
const QUESTIONS: readonly Question[] = [
  { key: 'endpoint', ask: 'The mailbox repository, as git clones it' },
  { key: 'image', ask: 'The image with dispat, git and your build tools' },
  { key: 'count', ask: 'How many workers', usual: '4' },
  { key: 'cpu', ask: 'The CPUs a worker asks for, close to a whole machine', usual: '7' },
  { key: 'memory', ask: 'Its memory', usual: '24Gi' },
  { key: 'platform', ask: 'The platform it builds on', usual: 'linux/amd64' },
  { key: 'egress', ask: 'The addresses of the Git host and registries, with commas (- for no policy)' },
];

/**
 * Asks for what is not given, a line each.
 * @returns the answers by option key; what was not answered before the input ended is absent
 */
export async function askFor(
  given: Readonly<Record<string, unknown>>,
  world: Pick<World, 'stdin' | 'stderr'>,
): Promise<Record<string, unknown>> {
  const answers: Record<string, unknown> = {};
  const open = QUESTIONS.filter(
    ({ key }) => given[key] === undefined && !(key === 'egress' && given.policyKind === 'none'),
  );
  const lines = linesOf(world.stdin);
  for (const { key, ask, usual } of open) {
    world.stderr.write(`${ask}${usual === undefined ? '' : ` [${usual}]`}: `);
    const line = await lines.next();
    if (line.done === true) {
      world.stderr.write('\n');
      break;
    }
    const answer = line.value.trim();
    if (key === 'egress') Object.assign(answers, egressAnswer(answer));
    else if (answer !== '') answers[key] = answer;
  }
  await lines.return(undefined);
  return answers;
}

function egressAnswer(answer: string): Record<string, unknown> {
  if (answer === '-') return { policyKind: 'none' };
  const targets = answer.split(',').map((target) => target.trim());
  return { egress: targets.filter((target) => target !== '') };
}

async function* linesOf(input: AsyncIterable<Buffer | string>): AsyncGenerator<string, void, undefined> {
  let rest = '';
  for await (const part of input) {
    const lines = `${rest}${part}`.split(/\r?\n/);
    rest = lines.pop() ?? '';
    yield* lines;
  }
  if (rest !== '') yield rest;
}
