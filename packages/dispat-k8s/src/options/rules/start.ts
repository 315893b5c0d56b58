import { kubeAtLeast, kubeVersionOf, notAKubeVersion } from '../../kube-version.js';
import type { PoolOptions } from '../../pool.js';
import { FOLDER, textOf } from '../forms.js';
import type { Gathered } from '../gather.js';

type Start = Pick<
  PoolOptions,
  'workDir' | 'stateDir' | 'user' | 'script' | 'configFrom' | 'init' | 'logFormat' | 'podSecurity' | 'kube'
>;

/** The folders, the user, and how the worker is started. */
export function readStart(gathered: Gathered): Start {
  const { input } = gathered;
  const workDir = textOf(gathered, 'workDir', FOLDER, '/work');
  const stateDir = textOf(gathered, 'stateDir', FOLDER, '/state');
  checkFolders(gathered, workDir, stateDir);
  const kube = readKube(gathered);
  const user = readUser(gathered);
  return {
    workDir,
    stateDir,
    script: input.script ?? 'safe',
    configFrom: readConfigFrom(gathered),
    init: input.init ?? 'none',
    logFormat: input.logFormat ?? 'json',
    podSecurity: input.podSecurity ?? 'restricted',
    ...(user && { user }),
    ...(kube !== undefined && { kube }),
  };
}

function checkFolders(gathered: Gathered, workDir: string, stateDir: string): void {
  if (!`${workDir}/`.startsWith(`${stateDir}/`) && !`${stateDir}/`.startsWith(`${workDir}/`)) return;
  gathered.report('stateDir', {
    code: 'OPTIONS_CONFLICT',
    found: `${stateDir}, with the work folder ${workDir}`,
    allowed: 'two folders, neither inside the other',
    fix: 'leave both out, which makes them /work and /state',
  });
}

function readUser(gathered: Gathered): PoolOptions['user'] {
  const { openshift, runAsUser, runAsGroup, fsGroup } = gathered.input;
  const uid = runAsUser ?? 1001;
  if (openshift !== true) return { uid, gid: runAsGroup ?? 1001, fsGroup: fsGroup ?? uid };
  if (runAsUser !== undefined || runAsGroup !== undefined || fsGroup !== undefined) {
    gathered.report('openshift', {
      code: 'OPTIONS_CONFLICT',
      found: 'a user or a group as well',
      allowed: 'neither: OpenShift picks them',
      fix: 'leave out runAsUser, runAsGroup and fsGroup',
    });
  }
  return undefined;
}

function readConfigFrom(gathered: Gathered): PoolOptions['configFrom'] {
  const { configFrom = 'env', script = 'safe' } = gathered.input;
  if (configFrom === 'configmap' && script === 'documented') {
    gathered.report('configFrom', {
      code: 'OPTIONS_CONFLICT',
      found: 'configmap, with the documented script',
      allowed: 'it with the safe script alone: the documented one holds the text itself',
      fix: 'write script safe',
    });
  }
  return configFrom;
}

function readKube(gathered: Gathered): string | undefined {
  const { kube, failureScope } = gathered.input;
  if (kube === undefined) return undefined;
  const version = kubeVersionOf(kube);
  if (version === undefined) return gathered.report('kube', notAKubeVersion(kube));
  if (failureScope === 'index') needs(gathered, 'failureScope', 'a limit of failures per index', version, '1.29');
  needs(gathered, 'kube', 'an Indexed Job', version, '1.24');
  return version;
}

function needs(
  gathered: Gathered,
  key: 'failureScope' | 'kube',
  feature: string,
  version: string,
  least: string,
): void {
  if (kubeAtLeast(version, least)) return;
  gathered.report(key, {
    code: 'FEATURE_NEEDS_KUBE',
    found: `${feature}, on Kubernetes ${version}`,
    allowed: `it from Kubernetes ${least} on`,
    fix: key === 'failureScope' ? 'write failureScope job' : 'use a newer cluster',
  });
}
