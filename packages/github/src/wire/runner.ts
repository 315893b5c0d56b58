import type { GitHubStatus, RunnerRegistration } from '@rungar/model';
import { asShape, instantOf, integerOf, listOf, member, textOf } from './read.js';

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
  readonly version?: string;
}

/** What a version looks like: anything else is not shown to anybody as one. */
const VERSION = /^\d{1,6}(?:\.\d{1,6}){1,3}$/;

/** One page of the REST listing; nothing for a body that is no such page. */
export function decodeRunnerPage(body: unknown): readonly ListedRunner[] | undefined {
  const shape = asShape(body);
  if (!shape || !Array.isArray(member(shape, 'runners'))) return undefined;
  return listOf(shape, 'runners').flatMap((item) => {
    const runner = asShape(item);
    if (!runner) return [];
    const online = textOf(runner, 'status').toLowerCase() === 'online';
    const status = member(runner, 'busy') === true ? 'busy' : online ? 'idle' : 'offline';
    const version = textOf(runner, 'version');
    return [
      {
        ...{ id: integerOf(runner, 'id'), name: textOf(runner, 'name'), status },
        ...(VERSION.test(version) && { version }),
      } as const,
    ];
  });
}

/** When a version of the runner program ends. Instants are epoch milliseconds; absent while no day is named. */
export interface RunnerVersionLife {
  /** From then on no runner of it can be registered. */
  readonly registrationEndsAt?: number;
  /** From then on its runners get no jobs. */
  readonly jobsEndAt?: number;
}

/** The days that GitHub has named for a version; nothing for a body that says nothing of one. */
export function decodeVersionLife(body: unknown): RunnerVersionLife | undefined {
  const shape = asShape(body);
  if (!shape || textOf(shape, 'runner_version') === '') return undefined;
  const registrationEndsAt = instantOf(shape, 'registration_deprecates_at');
  const jobsEndAt = instantOf(shape, 'runtime_deprecates_at');
  return {
    ...(registrationEndsAt !== undefined && { registrationEndsAt }),
    ...(jobsEndAt !== undefined && { jobsEndAt }),
  };
}
