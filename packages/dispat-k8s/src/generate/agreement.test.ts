import { expect, test } from 'vitest';
import { MINIMAL } from '../../test/documented.js';
import type { PoolInput } from '../options/table.js';
import { isInputError } from '../problems.js';
import { compareWithConfiguration } from './agreement.js';
import { generate } from './generate.js';

/** What is said of a pool beside a configuration: severity, code and option. */
function said(input: PoolInput, text: string): readonly string[] {
  const { options } = generate({ ...MINIMAL, ...input });
  const told = ({ severity, code, at }: { severity: string; code: string; at: string }) => `${severity} ${code} ${at}`;
  try {
    return compareWithConfiguration(options, { name: 'dispat.yaml', text }).map(told);
  } catch (error) {
    if (!isInputError(error)) throw error;
    return error.problems.map(told);
  }
}

const SPOT: PoolInput = { nodeSelector: { 'karpenter.sh/capacity-type': 'spot' } };
const listed = (endpoint: string): string => `execution: {workers: [{name: w-0, endpoint: "${endpoint}"}]}\n`;

test.each<[string, PoolInput, string, readonly string[]]>([
  ['nothing of a configuration that goes with it', {}, listed('git@github.com:acme/release-mailbox.git'), []],
  ['publishing on machines that go away', SPOT, 'runOnly: [both, worker]\n', ['error OPTIONS_CONFLICT nodeSelector']],
  [
    'one package that publishes there, tolerated',
    { tolerations: ['cloud.google.com/gke-spot'] },
    'packages: {core: {runOnly: [both, worker]}}\n',
    ['error OPTIONS_CONFLICT tolerations'],
  ],
  ['nothing of such machines while the orchestrator publishes', SPOT, 'runOnly: [worker, orchestrator]\n', []],
  ['nothing of publishing on machines that stay', {}, 'runOnly: [both, worker]\n', []],
  [
    'a task timeout above the grace',
    {},
    'execution: {timeouts: {task: 7200}}\n',
    ['error GRACE_TOO_SHORT gracePeriod'],
  ],
  ['nothing of a shorter task timeout', {}, 'execution: {timeouts: {task: 600}}\n', []],
  ['another mailbox', {}, listed('git@github.com:acme/other.git'), ['warning OPTION_QUESTIONABLE endpoint']],
  [
    'probably the same mailbox, as a note',
    {},
    listed('ssh://git@github.com/acme/release-mailbox.git'),
    ['info OPTION_QUESTIONABLE endpoint'],
  ],
  ["nothing of another pool's mailbox", { prefix: 'v-' }, listed('git@github.com:acme/other.git'), []],
  ['a file that is none', {}, '- x\n', ['error DOCUMENT_NOT_OBJECT dispat.yaml']],
])('tells %s', (_, input, text, expected) => expect(said(input, text)).toEqual(expected));
