import { type EmulatedAnswer, type EmulatedRequest, json, type Route } from '../../server.js';
import { type Members, membersOf, readMembers } from '../body.js';
import type { RunnerGroup, ScaleSet, ScaleSetLabel, Scope } from '../entities.js';
import { serviceRefusal } from '../refusals.js';
import { wireList, wireScaleSet } from '../wire.js';
import {
  type AdminCall,
  adminRoute,
  needed,
  SCALE_SETS,
  type ServiceParts,
  scaleSetIn,
  wrong,
} from './service-call.js';

const MEMBERS = [
  ...['id', 'name', 'runnerGroupId', 'runnerGroupName', 'labels', 'RunnerSetting'],
  ...['createdOn', 'runnerJitConfigUrl', 'statistics'],
];

/** The calls on scale sets and runner groups. */
export function scaleSetRoutes(parts: ServiceParts): Route[] {
  const { world, scaleSets, runners } = parts;
  const one = `${SCALE_SETS}/:id`;
  const calls: readonly AdminCall[] = [
    {
      operation: 'find-scale-set',
      method: 'GET',
      path: SCALE_SETS,
      query: ['runnerGroupId', 'name'],
      handle: findScaleSet,
    },
    { operation: 'get-scale-set', method: 'GET', path: one, handle: getScaleSet },
    { operation: 'create-scale-set', method: 'POST', path: SCALE_SETS, takesBody: true, handle: createScaleSet },
    { operation: 'update-scale-set', method: 'PATCH', path: one, takesBody: true, handle: updateScaleSet },
    { operation: 'delete-scale-set', method: 'DELETE', path: one, handle: deleteScaleSet },
    {
      operation: 'find-runner-group',
      method: 'GET',
      path: '/tenant/:tenant/_apis/runtime/runnergroups/',
      query: ['groupName'],
      handle: findRunnerGroup,
    },
  ];
  return calls.map((call) => adminRoute(parts, call));

  function findScaleSet(scope: Scope, request: EmulatedRequest): EmulatedAnswer {
    const group = groupOf(scope, Number(needed(request, 'runnerGroupId')));
    const found = scaleSets.named(scope, group, needed(request, 'name'));
    return json(200, wireList(found ? [wireScaleSet(found)] : []));
  }

  function getScaleSet(scope: Scope, request: EmulatedRequest): EmulatedAnswer {
    return json(200, wireScaleSet(scaleSetIn(world, scope, request.params.id)));
  }

  function createScaleSet(scope: Scope, request: EmulatedRequest): EmulatedAnswer {
    const body = readMembers(request.body, MEMBERS, wrong);
    const name = body.text('name');
    const group = groupOf(scope, body.optionalInteger('runnerGroupId') ?? 1);
    refuseClash(scope, group, name);
    const labels = world.settings.singleLabel ? [] : labelsOf(body);
    const scaleSet = scaleSets.create({
      scope,
      name,
      group,
      labels,
      disableUpdate: disablesUpdate(body) ?? false,
    });
    return json(200, wireScaleSet(scaleSet));
  }

  function updateScaleSet(scope: Scope, request: EmulatedRequest): EmulatedAnswer {
    const scaleSet = scaleSetIn(world, scope, request.params.id);
    const body = readMembers(request.body, MEMBERS, wrong);
    if (body.optionalList('labels')) throw wrong('the labels of a scale set cannot be changed');
    const name = body.optionalText('name') || scaleSet.name;
    const group = groupOf(scope, body.optionalInteger('runnerGroupId') ?? scaleSet.group.id);
    refuseClash(scope, group, name, scaleSet);
    scaleSet.name = name;
    scaleSet.group = group;
    scaleSet.disableUpdate = disablesUpdate(body) ?? scaleSet.disableUpdate;
    scaleSets.tell(scaleSet, 'updated');
    return json(200, wireScaleSet(scaleSet));
  }

  function deleteScaleSet(scope: Scope, request: EmulatedRequest): EmulatedAnswer {
    const scaleSet = scaleSetIn(world, scope, request.params.id);
    if (scaleSet.running.size > 0) {
      throw serviceRefusal(400, 'JobStillRunningException', `The scale set ${scaleSet.name} still runs jobs.`);
    }
    scaleSets.remove(scaleSet, 'deleted');
    return { status: 204 };
  }

  function refuseClash(scope: Scope, group: RunnerGroup, name: string, own?: ScaleSet): void {
    const clash = scaleSets.named(scope, group, name);
    if (!clash || clash === own) return;
    const message = `A runner scale set with name '${name}' already exists in the runner group '${group.name}'.`;
    throw serviceRefusal(400, 'RunnerScaleSetExistsException', message);
  }

  function findRunnerGroup(scope: Scope, request: EmulatedRequest): EmulatedAnswer {
    const name = needed(request, 'groupName').toLowerCase();
    const found = scope.groups.filter((group) => group.name.toLowerCase() === name);
    const size = (group: RunnerGroup): number =>
      runners.of(scope).filter((runner) => runner.scaleSet.group === group).length;
    return json(200, wireList(found.map((group) => ({ ...group, size: size(group), isDefaultGroup: group.id === 1 }))));
  }
}

function groupOf(scope: Scope, id: number): RunnerGroup {
  const group = scope.groups.find((candidate) => candidate.id === id);
  if (!group) throw wrong(`No runner group found with identifier ${id}.`, 'RunnerGroupNotFoundException');
  return group;
}

function labelsOf(body: Members): ScaleSetLabel[] {
  return (body.optionalList('labels') ?? []).map((value) => {
    const label = membersOf(value, ['id', 'type', 'name'], (message) => wrong(message));
    return { type: label.optionalText('type') || 'System', name: label.text('name') };
  });
}

function disablesUpdate(body: Members): boolean | undefined {
  const settings = body.optionalObject('RunnerSetting', ['disableUpdate', 'ephemeral', 'isElastic']);
  return settings?.optionalBoolean('disableUpdate');
}
