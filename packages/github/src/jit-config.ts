import { type CallOptions, type JitRegistration, RungarError, type ScaleSetRecord, Secret } from '@rungar/model';
import type { ActionsRequest, ActionsService } from './actions-service.js';
import { failureOf } from './errors.js';
import type { HeldSecrets } from './held-secrets.js';
import { decodeJitConfig } from './wire/runner.js';

/** A configuration is good once, and its runner connects within minutes or never. */
const HOLD_MS = 3_600_000;

/** Registers a runner just in time. */
export async function createJitConfig(
  actions: ActionsService,
  secrets: HeldSecrets,
  scaleSet: ScaleSetRecord,
  runnerName: string,
  { signal }: CallOptions,
): Promise<JitRegistration> {
  const request: ActionsRequest = {
    method: 'POST',
    path: `_apis/runtime/runnerscalesets/${scaleSet.id}/generatejitconfig`,
    body: { name: runnerName, workFolder: '' },
    scaleSetId: scaleSet.id,
  };
  const answer = await actions.call(request, signal);
  if (answer.status !== 200) throw nameTaken(actions.refusal(request, answer), runnerName);
  const decoded = decodeJitConfig(answer.body);
  if (!decoded) throw actions.incomplete(request, answer, 'a runner and its configuration');
  secrets.hold(decoded.encoded, HOLD_MS);
  if (decoded.runner.name.toLowerCase() !== runnerName.toLowerCase()) {
    throw actions.incomplete(request, answer, `the runner "${runnerName}": it registered "${decoded.runner.name}"`);
  }
  return { runnerId: decoded.runner.id, runnerName, jitConfig: new Secret(decoded.encoded) };
}

function nameTaken(refusal: Error, runnerName: string): Error {
  if (!failureOf(refusal)?.typeName.includes('AgentExists')) return refusal;
  return new RungarError('busy', `a runner "${runnerName}" is registered already`, {
    cause: refusal,
    hint: 'Use another name, or remove the registration of that name first.',
  });
}
