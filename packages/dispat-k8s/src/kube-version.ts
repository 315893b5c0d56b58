import type { InputProblem } from './problems.js';

/**
 * `MAJOR.MINOR` of a version as people and clusters write it: `1.32`, `v1.29.4-eks-1a2b`.
 * @returns nothing for a text that is no version
 */
export function kubeVersionOf(text: string): string | undefined {
  const [, major, minor] = /^v?([1-9][0-9]?)\.([0-9]{1,3})(?:[.+-][A-Za-z0-9.+_-]*)?$/.exec(text) ?? [];
  return major === undefined || minor === undefined ? undefined : `${major}.${Number(minor)}`;
}

/** What to say of a text that is no version. */
export function notAKubeVersion(text: string): Pick<InputProblem, 'code' | 'found' | 'allowed' | 'fix'> {
  return {
    code: 'KUBE_VERSION_INVALID',
    found: JSON.stringify(text.slice(0, 80)),
    allowed: "a version of Kubernetes, the cluster's own suffix included",
    fix: 'write it like 1.32',
  };
}

/** Whether a cluster's version, when it is known, is at least `least`. Versions are `MAJOR.MINOR`. */
export function kubeAtLeast(version: string | undefined, least: string): boolean {
  if (version === undefined) return false;
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [leastMajor = 0, leastMinor = 0] = least.split('.').map(Number);
  return major > leastMajor || (major === leastMajor && minor >= leastMinor);
}
