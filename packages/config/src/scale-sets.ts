import { runnerName } from '@rungar/labels';
import {
  entryOf,
  formatDurationMs,
  itemPath,
  type Located,
  type LocatedMap,
  memberPath,
  messageOf,
  type ProblemSink,
  placeOf,
  quoted,
  type Reading,
  readMapping,
  type ScaleSetPolicy,
  type Schedule,
} from '@rungar/model';
import { SCALE_SET_FIELDS } from './fields.js';
import { addError, oncePerPlace, within } from './problem-list.js';
import type { RunnerReader } from './scale-set-providers.js';
import { readSchedule } from './schedule.js';

type ScaleSet = Reading<typeof SCALE_SET_FIELDS>;

/** Reads `scale_sets`, and finds two that GitHub would take for one. */
export function readScaleSets(
  nodes: readonly Located[],
  path: string,
  readRunners: RunnerReader,
  problems: ProblemSink,
): readonly ScaleSetPolicy[] {
  const policies: ScaleSetPolicy[] = [];
  const names = new Map<string, { name: string; line: number }>();
  const said = new Set<string>();
  for (const [index, node] of nodes.entries()) {
    const at = itemPath(path, index);
    if (node.kind !== 'map') {
      addError(problems, {
        place: node.place,
        path: at,
        message: 'must be a mapping with name, max_runners and providers',
      });
      continue;
    }
    const name = nameOf(node);
    if (name !== undefined) refuseTwin(node, name, at, names, problems);
    const named = oncePerPlace(said, name === undefined ? problems : within(problems, `in scale set ${quoted(name)}`));
    const policy = readScaleSet(node, at, readRunners, named);
    if (policy !== undefined) policies.push(policy);
  }
  return policies;
}

function nameOf(map: LocatedMap): string | undefined {
  const node = entryOf(map, 'name')?.value;
  return node?.kind === 'scalar' && !node.isNull && node.source !== '' ? node.source : undefined;
}

function refuseTwin(
  map: LocatedMap,
  name: string,
  path: string,
  names: Map<string, { name: string; line: number }>,
  problems: ProblemSink,
): void {
  const place = placeOf(map, 'name');
  const first = names.get(name.toLowerCase());
  if (first === undefined) {
    names.set(name.toLowerCase(), { name, line: place.line });
    return;
  }
  const message =
    first.name === name
      ? `is the name of two scale sets: ${quoted(name)} stands on line ${first.line} too`
      : `differs from ${quoted(first.name)} on line ${first.line} in case only, and GitHub takes the two for one`;
  addError(problems, { place, path: memberPath(path, 'name'), value: name, message });
}

function readScaleSet(
  map: LocatedMap,
  path: string,
  readRunners: RunnerReader,
  problems: ProblemSink,
): ScaleSetPolicy | undefined {
  const scaleSet = readMapping(map, SCALE_SET_FIELDS, path, problems);
  const { values, all } = scaleSet;
  const sampleName = checkName(scaleSet, path, problems);
  const numbersFine = [checkMinimum(scaleSet, path, problems), checkAges(scaleSet, path, problems)].every(Boolean);
  const schedule = checkSchedule(scaleSet, path, problems);
  const providers = readRunners(values.providers ?? [], memberPath(path, 'providers'), sampleName, problems);
  if (
    all === undefined ||
    sampleName === undefined ||
    !numbersFine ||
    schedule === 'wrong' ||
    providers === undefined
  ) {
    return undefined;
  }
  return {
    name: all.name,
    labels: labelsOf(all.name, all.labels),
    runnerGroup: all.runner_group,
    minRunners: all.min_runners,
    maxRunners: all.max_runners,
    ...(schedule !== undefined && { schedule }),
    priority: all.priority,
    placement: all.placement,
    startTimeoutMs: all.start_timeout,
    ...(all.max_idle_age !== undefined && { maxIdleAgeMs: all.max_idle_age }),
    ...(all.max_age !== undefined && { maxAgeMs: all.max_age }),
    paused: all.paused,
    providers,
  };
}

/** @returns the name one of its runners could have; nothing when it can have none */
function checkName({ map, values }: ScaleSet, path: string, problems: ProblemSink): string | undefined {
  if (values.name === undefined) return undefined;
  try {
    return runnerName(values.name, '00000000');
  } catch (error) {
    const at = { place: placeOf(map, 'name'), path: memberPath(path, 'name'), value: values.name };
    addError(problems, {
      ...at,
      message: `cannot be part of a runner's name: ${messageOf(error)}`,
      hint: 'rename the scale set',
    });
    return undefined;
  }
}

function checkMinimum({ map, values }: ScaleSet, path: string, problems: ProblemSink): boolean {
  const { min_runners: min, max_runners: max } = values;
  if (min === undefined || max === undefined || min <= max) return true;
  const at = { place: placeOf(map, 'min_runners'), path: memberPath(path, 'min_runners'), value: `${min}` };
  addError(problems, { ...at, message: `${min} is more than max_runners ${max}` });
  return false;
}

/** A runner younger than `start_timeout` may still be starting, and must not be replaced for its age. */
function checkAges({ map, values }: ScaleSet, path: string, problems: ProblemSink): boolean {
  const { start_timeout: least } = values;
  let fine = true;
  for (const key of ['max_idle_age', 'max_age'] as const) {
    const age = values[key];
    if (age === undefined || least === undefined || age >= least) continue;
    fine = false;
    const message = `${formatDurationMs(age)} is less than start_timeout ${formatDurationMs(least)}: a runner would be replaced while it starts`;
    addError(problems, { place: placeOf(map, key), path: memberPath(path, key), message });
  }
  return fine;
}

function checkSchedule({ values }: ScaleSet, path: string, problems: ProblemSink): Schedule | undefined | 'wrong' {
  const node = values.schedule;
  if (node === undefined) return undefined;
  const at = memberPath(path, 'schedule');
  if (node.kind !== 'map') {
    addError(problems, { place: node.place, path: at, message: 'must be a mapping with windows' });
    return 'wrong';
  }
  let fine = true;
  const counted: ProblemSink = {
    add(problem) {
      if (problem.severity === 'error') fine = false;
      problems.add(problem);
    },
  };
  const schedule = readSchedule(node, at, values.max_runners, counted);
  return fine ? schedule : 'wrong';
}

/** The name first, then each further label once; GitHub does not tell cases apart. */
function labelsOf(name: string, further: readonly string[]): readonly string[] {
  const labels = new Map<string, string>();
  for (const label of [name, ...further]) if (!labels.has(label.toLowerCase())) labels.set(label.toLowerCase(), label);
  return [...labels.values()];
}
