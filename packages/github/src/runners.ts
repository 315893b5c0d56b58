import { type CallOptions, RungarError, type RunnerRegistration } from '@rungar/model';
import type { ActionsRequest, ActionsService } from './actions-service.js';
import type { Answer } from './answer.js';
import { decodeEnvelope } from './wire/envelope.js';
import { decodeFault } from './wire/fault.js';
import { decodeRunnerReference } from './wire/runner.js';

const PATH = '_apis/distributedtask/pools/0/agents';

/** The registration of that very name, if there is one. */
export async function findRunner(
  actions: ActionsService,
  name: string,
  { signal }: CallOptions,
): Promise<RunnerRegistration | undefined> {
  const request: ActionsRequest = { method: 'GET', path: PATH, query: { agentName: name } };
  const answer = await actions.expect(200, request, signal);
  const envelope = decodeEnvelope(answer.body);
  if (!envelope) throw actions.incomplete(request, answer, 'a list of runners');
  if (envelope.count === 0) return undefined;
  if (envelope.count > 1) {
    throw new RungarError('invalid_argument', `GitHub knows ${envelope.count} runners "${name}", one is wanted`);
  }
  const runner = decodeRunnerReference(envelope.values[0]);
  // A removal by the id of another runner would be believed: nothing but the very name will do.
  if (!runner || runner.name.toLowerCase() !== name.toLowerCase()) {
    throw actions.incomplete(request, answer, `the runner "${name}"`);
  }
  return runner;
}

/** Whether a 404 is GitHub's own. A page or plain text is some proxy's, and says nothing of the runner. */
function isUnknownRunner(answer: Answer): boolean {
  if (answer.status !== 404) return false;
  if (answer.body === '') return true;
  const { typeName } = decodeFault(answer.body);
  return typeof answer.body === 'object' && (typeName === '' || typeName.includes('AgentNotFound'));
}

/** Removes a registration. An unknown one counts as removed; a runner with a job stays, which is `busy`. */
export async function removeRunner(actions: ActionsService, id: number, { signal }: CallOptions): Promise<void> {
  const request: ActionsRequest = { method: 'DELETE', path: `${PATH}/${id}` };
  const answer = await actions.call(request, signal);
  if (answer.status === 204 || answer.status === 200 || isUnknownRunner(answer)) return;
  throw answer.status === 404
    ? actions.incomplete(request, answer, "GitHub's own words")
    : actions.refusal(request, answer);
}
