import { RESOURCES } from './objects.js';

const VERBS = ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch'];

/** The parts of the API that say what else it has. */
export function discovery(path: string): object | undefined {
  const versions = [...new Set(RESOURCES.map(({ apiVersion }) => apiVersion))];
  if (path === '/version') return { major: '1', minor: '32', gitVersion: 'v1.32.0', platform: 'linux/amd64' };
  if (path === '/api') return { kind: 'APIVersions', versions: ['v1'], serverAddressByClientCIDRs: [] };
  if (path === '/apis') {
    const groups = versions.filter((one) => one.includes('/')).map(groupOf);
    return { kind: 'APIGroupList', apiVersion: 'v1', groups };
  }
  const version = versions.find((one) => path === (one.includes('/') ? `/apis/${one}` : `/api/${one}`));
  return version === undefined ? undefined : resourceList(version);
}

function groupOf(apiVersion: string): object {
  const [name, version] = apiVersion.split('/');
  const entry = { groupVersion: apiVersion, version };
  return { name, versions: [entry], preferredVersion: entry };
}

function resourceList(groupVersion: string): object {
  const resources = RESOURCES.filter(({ apiVersion }) => apiVersion === groupVersion).flatMap((resource) => {
    const { plural: name, kind, namespaced, shortNames = [] } = resource;
    const whole = { name, singularName: kind.toLowerCase(), namespaced, kind, verbs: VERBS, shortNames };
    const scale = {
      name: `${name}/scale`,
      singularName: '',
      namespaced,
      kind: 'Scale',
      group: 'autoscaling',
      version: 'v1',
      verbs: ['get', 'patch'],
    };
    return kind === 'StatefulSet' ? [whole, scale] : [whole];
  });
  return { kind: 'APIResourceList', apiVersion: 'v1', groupVersion, resources };
}
