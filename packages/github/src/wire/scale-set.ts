import type { ScaleSetRecord } from '@rungar/model';
import { asShape, instantOf, integerOf, listOf, member, textOf } from './read.js';
import { decodeStatistics } from './statistics.js';

/** Nothing for a value that is no scale set, `null` included. */
export function decodeScaleSet(value: unknown): ScaleSetRecord | undefined {
  const shape = asShape(value);
  const id = shape ? integerOf(shape, 'id') : 0;
  if (!shape || id === 0) return undefined;
  const createdAt = instantOf(shape, 'createdOn');
  const statistics = decodeStatistics(member(shape, 'statistics'));
  return {
    id,
    name: textOf(shape, 'name'),
    runnerGroupId: integerOf(shape, 'runnerGroupId'),
    runnerGroupName: textOf(shape, 'runnerGroupName'),
    labels: listOf(shape, 'labels').flatMap((label) => {
      const name = textOf(asShape(label) ?? {}, 'name');
      return name === '' ? [] : [name];
    }),
    ...(createdAt !== undefined && { createdAt }),
    ...(statistics && { statistics }),
  };
}

/** What creating a scale set sends. */
export function encodeScaleSet(name: string, runnerGroupId: number, labels: readonly string[]): unknown {
  return {
    name,
    runnerGroupId,
    labels: labels.map((label) => ({ type: 'System', name: label })),
    RunnerSetting: { disableUpdate: true },
  };
}

export interface RunnerGroup {
  readonly id: number;
  readonly name: string;
}

export function decodeRunnerGroup(value: unknown): RunnerGroup | undefined {
  const shape = asShape(value);
  const id = shape ? integerOf(shape, 'id') : 0;
  return shape && id !== 0 ? { id, name: textOf(shape, 'name') } : undefined;
}
