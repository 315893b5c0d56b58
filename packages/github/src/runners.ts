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

/** What a 404 says: that GitHub knows no such runner, perhaps that, or nothing of the runner at all. */
function readNotFound(answer: Answer): 'unknown' | 'unnamed' | 'proxy' {
  if (answer.body === '') return 'unnamed';
  // A page or plain text is some proxy's.
  if (typeof answer.body !== 'object') return 'proxy';
  const { typeName } = decodeFault(answer.body);
  if (typeName === '') return 'unnamed';
  return typeName.includes('AgentNotFound') ? 'unknown' : 'proxy';
}

/** Whether a look at the runner itself gives the same 404: one without a name may be anybody's. */
async function isUnknownToo(actions: ActionsService, id: number, signal: AbortSignal): Promise<boolean> {
  const answer = await actions.call({ method: 'GET', path: `${PATH}/${id}` }, signal);
  return answer.status === 404 && readNotFound(answer) !== 'proxy';
}

/**
 * Removes a registration. An unknown one counts as removed, told by GitHub's own word or by two answers; a runner
 * with a job stays, which is `busy`.
 */
export async function removeRunner(actions: ActionsService, id: number, { signal }: CallOptions): Promise<void> {
  const request: ActionsRequest = { method: 'DELETE', path: `${PATH}/${id}` };
  const answer = await actions.call(request, signal);
  if (answer.status === 204 || answer.status === 200) return;
  if (answer.status !== 404) throw actions.refusal(request, answer);
  const found = readNotFound(answer);
  if (found === 'unknown' || (found === 'unnamed' && (await isUnknownToo(actions, id, signal)))) return;
  throw actions.incomplete(request, answer, "GitHub's own words");
}
