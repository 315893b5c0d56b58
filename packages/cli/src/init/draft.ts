import { formatProblem, parseConfig } from '@rungar/config';
import { providerTypes } from '@rungar/providers';
import {
  type Answers,
  credentialQuestions,
  type KeyQuestion,
  type Question,
  questionsFor,
  TYPE_QUESTION,
  TYPE_QUESTIONS,
  URL_QUESTION,
} from './questions.js';

/** The schema's file, beside the configuration. */
export const SCHEMA_FILE = 'rungar.schema.json';

/** Something wrong with what was answered. */
export interface Fault {
  /** The question whose answer stands at the place of the problem, where there is one. */
  readonly question: string | undefined;
  readonly message: string;
}

/**
 * What is wrong with a configuration of these answers. What is not answered yet is taken to be its example, so that
 * nothing is held against it.
 */
export function faultsOf(answers: Answers): readonly Fault[] {
  const { text, lines } = compose(answers);
  const { problems } = parseConfig(text, { file: 'config', types: providerTypes });
  return problems
    .filter(({ severity }) => severity === 'error')
    .map((problem) => ({
      question: lines.get(problem.place.line),
      message: formatProblem(problem).replace(/^config:\d+:\d+: [^:]*: /, ''),
    }));
}

/** The text of a configuration of these answers. */
export function draft(answers: Answers): string {
  return compose(answers).text;
}

/** The text, and which answer stands on which line, counted from 1. */
interface Composed {
  readonly text: string;
  readonly lines: ReadonlyMap<number, string>;
}

function compose(answers: Answers): Composed {
  const { type = TYPE_QUESTION.example } = answers;
  const questions = new Map(questionsFor({ ...answers, type }).map((question) => [question.name, question]));
  const answerTo = (name: string): string => {
    const question = questions.get(name);
    return answers[name] ?? question?.fallback ?? question?.example ?? '';
  };
  const written: string[] = [];
  const lines = new Map<number, string>();
  const write = (...text: readonly string[]): void => void written.push(...text);
  const writeKey = (indent: string, key: string, { name, ask }: Question, list = false): void => {
    write(`${indent}# ${ask.charAt(0).toUpperCase()}${ask.slice(1)}.`);
    write(`${indent}${key}: ${list ? listOf(answerTo(name)) : scalar(answerTo(name))}`);
    lines.set(written.length, name);
  };

  write(`# yaml-language-server: $schema=./${SCHEMA_FILE}`, '#');
  write('# Check it after every change: rungar validate -f FILE', 'version: 1', '', 'github:');
  writeKey('  ', 'url', URL_QUESTION);
  for (const question of credentialQuestions(answerTo('credentials')))
    writeKey('  ', question.name.replaceAll('-', '_'), question);

  write('', 'providers:', '  # What scale sets call it.', `  - name: ${scalar(answerTo('provider'))}`);
  lines.set(written.length, 'provider');
  write(`    type: ${scalar(type)}`);
  lines.set(written.length, 'type');
  const { entry = [], runner = [] } = TYPE_QUESTIONS[type] ?? {};
  const writeKeys = (indent: string, keys: readonly KeyQuestion[]): void => {
    for (const question of keys) writeKey(indent, question.key, question, question.list);
  };
  writeKeys('    ', entry);
  write(...(FURTHER_KEYS[type] ?? []));
  write('    # What every machine here has, unless a scale set says otherwise.', '    runner:');
  writeKeys('      ', runner);

  write('', 'scale_sets:', '  # A workflow asks for it by name: "runs-on: NAME".');
  write(`  - name: ${scalar(answerTo('scale-set'))}`);
  lines.set(written.length, 'scale-set');
  write('    # The most runners at any time.', `    max_runners: ${scalar(answerTo('max-runners'))}`);
  lines.set(written.length, 'max-runners');
  write('    # So many idle runners wait for the next jobs.', '    min_runners: 0');
  write(`    providers: [${scalar(answerTo('provider'))}]`);
  return { text: `${written.join('\n')}\n`, lines };
}

/** What one of a type often wants next. */
const FURTHER_KEYS: Readonly<Record<string, readonly string[]>> = {
  aws: ["    # Without any, the VPC's default one.", '    # security_groups: [sg-0a1b2c3d4e5f60718]'],
  dicer: [
    '    # Over TCP, unless the network is trusted:',
    '    # tls:',
    '    #   cert_file: /etc/rungar/dicer.crt',
    '    #   key_file: /etc/rungar/dicer.key',
    '    #   ca_file: /etc/rungar/dicer-ca.crt',
  ],
  gcp: ['    # The default network, unless set.', '    # subnetwork: runners'],
  proxmox: [
    "    # For a certificate that the system does not trust, as Proxmox's own:",
    '    # tls:',
    '    #   ca_file: /etc/rungar/pve-root-ca.pem',
  ],
};

function listOf(text: string): string {
  const items = text.split(',').map((item) => item.trim());
  return `[${items
    .filter((item) => item !== '')
    .map(scalar)
    .join(', ')}]`;
}

/** Plain where YAML reads just that, else in quotes: a JSON string is one of YAML's too. */
function scalar(text: string): string {
  const isPlain = /^[\w./+](?:[\w./@!+-]|:(?=[\w./@]))*$/.test(text) && !/^(?:null|Null|NULL)$/.test(text);
  return isPlain ? text : JSON.stringify(text);
}
