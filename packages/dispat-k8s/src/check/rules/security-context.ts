import type { KubeValue } from '../kube/value.js';

/** A field of the security context that holds for a container: its own, else the pod's. */
export function effective(pod: KubeValue, container: KubeValue, ...path: readonly string[]): KubeValue {
  const own = container.at('securityContext', ...path);
  const shared = pod.at('securityContext', ...path);
  return own.exists || !shared.exists ? own : shared;
}

/** The user a container runs as, when the manifest says so. */
export function userOf(pod: KubeValue, container: KubeValue): number | undefined {
  return effective(pod, container, 'runAsUser').number;
}

/** Whether the manifest makes sure that a container does not run as root. */
export function isNonRoot(pod: KubeValue, container: KubeValue): boolean {
  const user = userOf(pod, container);
  return user === undefined ? effective(pod, container, 'runAsNonRoot').boolean === true : user !== 0;
}
