import { type CallOptions, RungarError, type ScaleSetRecord, type ScaleSetStatistics } from '@rungar/model';
import type { ActionsRequest, ActionsService } from './actions-service.js';
import type { Answer } from './answer.js';
import { decodeEnvelope } from './wire/envelope.js';
import { decodeFault } from './wire/fault.js';
import { decodeRunnerGroup, decodeScaleSet, encodeScaleSet } from './wire/scale-set.js';

/** Looking scale sets up, creating and deleting them. */
export interface ScaleSets {
  find(name: string, runnerGroup: string, options: CallOptions): Promise<ScaleSetRecord | undefined>;
  create(name: string, runnerGroup: string, labels: readonly string[], options: CallOptions): Promise<ScaleSetRecord>;
  delete(id: number, options: CallOptions): Promise<void>;
}

const PATH = '_apis/runtime/runnerscalesets';
const DEFAULT_GROUP = 'default';
const DEFAULT_GROUP_ID = 1;

const sameName = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();

/** The labels to create a scale set with: its name always among them, none twice whatever the case. */
function labelsToSend(name: string, labels: readonly string[]): readonly string[] {
  const known = new Set<string>();
  return [...(labels.some((label) => sameName(label, name)) ? [] : [name]), ...labels].filter((label) => {
    const key = label.toLowerCase();
    return !known.has(key) && known.add(key);
  });
}

/** Whether GitHub refused to create a scale set because there is one of that name. */
function isNameClash(answer: Answer): boolean {
  const { typeName, message } = decodeFault(answer.body);
  return (
    (answer.status === 400 || answer.status === 409) &&
    (typeName.includes('RunnerScaleSetExists') || /already exists/i.test(message))
  );
}

/** What GitHub itself counts for the scale set now; nothing when it does not say. */
export async function readStatistics(
  actions: ActionsService,
  scaleSetId: number,
  options: Pick<ActionsRequest, 'impatient'> & { readonly limitMs: number; readonly signal?: AbortSignal },
): Promise<ScaleSetStatistics | undefined> {
  const request: ActionsRequest = {
    method: 'GET',
    path: `${PATH}/${scaleSetId}`,
    scaleSetId,
    retries: 0,
    limitMs: options.limitMs,
    ...(options.impatient && { impatient: true }),
  };
  const answer = await actions.expect(200, request, options.signal);
  return decodeScaleSet(answer.body)?.statistics;
}

export function createScaleSets(actions: ActionsService): ScaleSets {
  const groupIdOf = async (name: string, signal: AbortSignal): Promise<number> => {
    if (name === '' || sameName(name, DEFAULT_GROUP)) return DEFAULT_GROUP_ID;
    const request: ActionsRequest = { method: 'GET', path: '_apis/runtime/runnergroups/', query: { groupName: name } };
    const answer = await actions.expect(200, request, signal);
    const envelope = decodeEnvelope(answer.body);
    if (!envelope) throw actions.incomplete(request, answer, 'a list of runner groups');
    const group = decodeRunnerGroup(envelope.values[0]);
    if (envelope.count === 0 || (group && !sameName(group.name, name))) {
      throw new RungarError('not_found', `there is no runner group "${name}"`, {
        hint: "Create it in GitHub's settings under Actions, Runner groups, or name one that exists.",
      });
    }
    if (envelope.count > 1) {
      throw new RungarError(
        'invalid_argument',
        `GitHub knows ${envelope.count} runner groups "${name}", one is wanted`,
      );
    }
    if (!group) throw actions.incomplete(request, answer, 'the runner group');
    return group.id;
  };

  const findIn = async (name: string, groupId: number, signal: AbortSignal): Promise<ScaleSetRecord | undefined> => {
    const request: ActionsRequest = { method: 'GET', path: PATH, query: { runnerGroupId: groupId, name } };
    const answer = await actions.expect(200, request, signal);
    const envelope = decodeEnvelope(answer.body);
    if (!envelope) throw actions.incomplete(request, answer, 'a list of scale sets');
    if (envelope.count === 0) return undefined;
    if (envelope.count > 1) {
      throw new RungarError(
        'invalid_argument',
        `GitHub knows ${envelope.count} scale sets "${name}" in one runner group`,
      );
    }
    const record = decodeScaleSet(envelope.values[0]);
    if (!record) throw actions.incomplete(request, answer, 'the scale set');
    if (!sameName(record.name, name)) {
      throw actions.incomplete(request, answer, `the scale set "${name}": it gave "${record.name}"`);
    }
    return record;
  };

  return {
    async find(name, runnerGroup, { signal }) {
      return findIn(name, await groupIdOf(runnerGroup, signal), signal);
    },
    async create(name, runnerGroup, labels, { signal }) {
      if (name === '') throw new RungarError('invalid_argument', 'a scale set needs a name');
      const groupId = await groupIdOf(runnerGroup, signal);
      const body = encodeScaleSet(name, groupId, labelsToSend(name, labels));
      const request: ActionsRequest = { method: 'POST', path: PATH, body };
      const answer = await actions.call(request, signal);
      if (isNameClash(answer)) {
        // Somebody else made it meanwhile, or we did and the answer was lost.
        const existing = await findIn(name, groupId, signal);
        if (existing) return existing;
      }
      if (answer.status !== 200 && answer.status !== 201) throw actions.refusal(request, answer);
      const record = decodeScaleSet(answer.body);
      if (!record) throw actions.incomplete(request, answer, 'the scale set');
      return record;
    },
    async delete(id, { signal }) {
      const request: ActionsRequest = { method: 'DELETE', path: `${PATH}/${id}`, scaleSetId: id };
      const answer = await actions.call(request, signal);
      if (answer.status === 204 || answer.status === 200) return;
      // A 404 that does not name the scale set may be some proxy's.
      const isGone = answer.status === 404 && decodeFault(answer.body).typeName.includes('RunnerScaleSetNotFound');
      if (!isGone) throw actions.refusal(request, answer);
    },
  };
}
