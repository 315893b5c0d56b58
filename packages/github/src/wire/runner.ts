import type { GitHubStatus, RunnerRegistration } from '@rungar/model';
import { asShape, integerOf, listOf, member, textOf } from './read.js';

/** A runner as the Actions service refers to it. */
export function decodeRunnerReference(value: unknown): RunnerRegistration | undefined {
  const shape = asShape(value);
  const id = shape ? integerOf(shape, 'id') : 0;
  if (!shape || id === 0) return undefined;
  return { id, name: textOf(shape, 'name'), scaleSetId: integerOf(shape, 'runnerScaleSetId') };
}

export interface JitConfigAnswer {
  readonly runner: RunnerRegistration;
  readonly encoded: string;
}

export function decodeJitConfig(body: unknown): JitConfigAnswer | undefined {
  const shape = asShape(body);
  const runner = shape && decodeRunnerReference(member(shape, 'runner'));
  const encoded = shape ? textOf(shape, 'encodedJITConfig') : '';
  return runner && encoded !== '' ? { runner, encoded } : undefined;
}

export interface ListedRunner {
  readonly id: number;
  readonly name: string;
  readonly status: Exclude<GitHubStatus, 'not_registered'>;
}

/** One page of the REST listing; nothing for a body that is no such page. */
export function decodeRunnerPage(body: unknown): readonly ListedRunner[] | undefined {
  const shape = asShape(body);
  if (!shape || !Array.isArray(member(shape, 'runners'))) return undefined;
  return listOf(shape, 'runners').flatMap((item) => {
    const runner = asShape(item);
    if (!runner) return [];
    const online = textOf(runner, 'status').toLowerCase() === 'online';
    const status = member(runner, 'busy') === true ? 'busy' : online ? 'idle' : 'offline';
    return [{ id: integerOf(runner, 'id'), name: textOf(runner, 'name'), status } as const];
  });
}
