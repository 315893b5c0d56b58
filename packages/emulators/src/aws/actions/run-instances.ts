import type { Ec2Catalogue, Ec2LaunchTemplate } from '../catalogue.js';
import { Ec2Error, invalidCombination, invalidValue, missingParameter } from '../errors.js';
import type { ListedInstance } from '../fleet.js';
import { currentState, type Instance, isLive } from '../instance.js';
import { reservationMembers } from '../instance-xml.js';
import { planLaunch } from '../launch-plan.js';
import { type LaunchRequest, mergeLaunchRequests, readLaunchRequest } from '../launch-request.js';
import { QueryParameters } from '../query.js';
import type { Account, Action } from './action.js';

/** What does not make a request another one: the token itself, and what is not about the launch. */
const NOT_ARGUMENTS = ['Action', 'Version', 'ClientToken', 'DryRun'];

/** Launches instances; the same token with the same parameters gives those of the first time. */
export const runInstances: Action = (params, account) => {
  const least = requiredCount(params, 'MinCount');
  const most = requiredCount(params, 'MaxCount');
  if (least > most) throw invalidValue(`The minimum count ${least} must not exceed the maximum count ${most}`);
  const token = params.text('ClientToken');
  const asked = readLaunchRequest(params);
  const template = readLaunchTemplate(params, account.catalogue);
  const request = template === undefined ? asked : mergeLaunchRequests(template, asked);
  const plan = planLaunch(request, account.catalogue, account.id);
  const zone = namesPlace(request) ? plan.subnet.availabilityZone : undefined;

  return () => {
    if (token !== undefined) {
      const earlier = account.tokens.use(token, zone, params.fingerprint(NOT_ARGUMENTS));
      if (earlier.length > 0) return answer(earlierInstances(account, earlier), account);
    }
    const count = account.capacity.take(plan, least, most, liveInstances(account));
    const instances = account.fleet.launch(plan, count, token);
    if (token !== undefined) {
      account.tokens.made(
        token,
        zone,
        instances.map(({ id }) => id),
      );
    }
    return answer(instances, account);
  };
};

function requiredCount(params: QueryParameters, name: string): number {
  const count = params.integer(name);
  if (count === undefined) throw missingParameter(name);
  if (count < 1) throw invalidValue(`Value (${count}) for parameter ${name} is invalid. Must be at least 1.`);
  return count;
}

function namesPlace({ networkInterface, subnetId, zone }: LaunchRequest): boolean {
  return (networkInterface?.subnetId ?? subnetId ?? zone) !== undefined;
}

function liveInstances({ fleet }: Account): { subnetId: string; vcpus: number; spot: boolean }[] {
  return fleet.all
    .filter(isLive)
    .map(({ plan }) => ({ subnetId: plan.subnet.id, vcpus: plan.type.vcpus, spot: plan.spot }));
}

function earlierInstances({ fleet }: Account, ids: readonly string[]): Instance[] {
  return ids.map((id) => {
    const instance = fleet.find(id);
    if (instance !== undefined && currentState(instance).state !== 'terminated') return instance;
    throw new Ec2Error(
      'IdempotentInstanceTerminated',
      'The client token you have provided is associated with a terminated instance. Please use a different client token.',
    );
  });
}

function answer(instances: readonly Instance[], account: Account): ReturnType<ReturnType<Action>> {
  const listed: ListedInstance[] = instances.map((instance) => ({
    instance,
    change: currentState(instance),
    tags: instance.tags,
  }));
  return reservationMembers(listed, account.id);
}

function readLaunchTemplate(params: QueryParameters, catalogue: Ec2Catalogue): LaunchRequest | undefined {
  const reference = params.structure('LaunchTemplate');
  if (reference === undefined) return undefined;
  const id = reference.text('LaunchTemplateId');
  const name = reference.text('LaunchTemplateName');
  const template = findLaunchTemplate(catalogue, id, name);
  const version = versionNumber(template, reference.text('Version') ?? '$Default');
  const data = template.versions[version - 1];
  if (data === undefined) {
    throw new Ec2Error(
      'InvalidLaunchTemplateId.VersionNotFound',
      `Could not find the specified version ${version} for the launch template with ID ${template.id}.`,
    );
  }
  const templateParams = QueryParameters.of(data);
  const request = readLaunchRequest(templateParams);
  templateParams.assertAllRead();
  return request;
}

function findLaunchTemplate(
  catalogue: Ec2Catalogue,
  id: string | undefined,
  name: string | undefined,
): Ec2LaunchTemplate {
  if (id !== undefined && name !== undefined) {
    throw invalidCombination('The parameters LaunchTemplateId and LaunchTemplateName may not be used together.');
  }
  if (id === undefined && name === undefined) {
    throw new Ec2Error('MissingParameter', 'Either LaunchTemplateId or LaunchTemplateName must be specified.');
  }
  const template = catalogue.launchTemplates.find((known) =>
    id === undefined ? known.name === name : known.id === id,
  );
  if (template !== undefined) return template;
  if (id === undefined) {
    throw new Ec2Error(
      'InvalidLaunchTemplateName.NotFoundException',
      `The specified launch template, with template name ${name}, does not exist.`,
    );
  }
  throw new Ec2Error(
    'InvalidLaunchTemplateId.NotFound',
    `The specified launch template, with template ID ${id}, does not exist.`,
  );
}

function versionNumber(template: Ec2LaunchTemplate, version: string): number {
  if (version === '$Default') return template.defaultVersion ?? 1;
  if (version === '$Latest') return template.versions.length;
  if (/^[1-9]\d{0,8}$/.test(version)) return Number(version);
  throw invalidValue(`Invalid launch template version '${version}': it must be a number, $Latest or $Default.`);
}
