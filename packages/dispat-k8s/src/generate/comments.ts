import type { KubeObject } from '../pool.js';
import type { Comments } from '../yaml-out/write.js';

const POD = 'spec/template/spec';
const WORKER = `${POD}/containers/worker`;
const PATTERN = 'spec/template/metadata';

/** Why a field stands there that the documentation's own manifest does not have. */
const WORKLOAD: Comments = {
  'metadata/annotations': 'Added: what `check` and `wait` read without reading the script.',
  'spec/completionMode': 'The index of a pod is its annotation, its JOB_COMPLETION_INDEX and, since 1.28, its label.',
  'spec/backoffLimitPerIndex': 'Instead of backoffLimit 0: one lost pod ends its own index, not the whole pool.',
  'spec/podManagementPolicy': 'All at once: one after another would outlast the preflight.',
  'spec/updateStrategy': 'No edit restarts a pod in a run.',
  'spec/serviceName': 'There is no such Service: nothing connects to a worker.',
  [`${PATTERN}/labels/sidecar.istio.io/inject`]: "Added: a mesh's proxy never ends, and so the Job never would.",
  [`${PATTERN}/annotations/karpenter.sh/do-not-disrupt`]: 'Added: the same for Karpenter.',
  [`${PATTERN}/annotations/sidecar.istio.io/inject`]: 'Added: no service mesh.',
  [`${POD}/enableServiceLinks`]: 'Added: no variables of the services around it in builds.',
  [`${POD}/shareProcessNamespace`]:
    "Added: the pause container reaps what builds leave; the pod's containers see each other.",
  [`${POD}/nodeSelector/kubernetes.io/os`]: 'Added: the start script needs a POSIX shell.',
  [`${POD}/securityContext/runAsGroup`]: 'Added: no group 0.',
  [`${POD}/securityContext/fsGroup`]: 'Added: without it the key belongs to root, and the worker cannot read it.',
  [`${POD}/securityContext/fsGroupChangePolicy`]: 'Added: a large claim is not gone through at every start.',
  [`${POD}/securityContext/seccompProfile`]: 'Added: the restricted profile.',
  [`${WORKER}/securityContext`]: 'Added: the restricted profile.',
  [`${WORKER}/env/DWM_HEAD`]: "Added: the worker's file before and after the index; no value is part of the script.",
  [`${WORKER}/env/GIT_TERMINAL_PROMPT`]: 'Added: a prompt could not be answered.',
  [`${WORKER}/env/GIT_SSH_COMMAND`]: 'Added: this key alone, and hosts that the Secret names.',
  [`${WORKER}/env/GIT_CONFIG_COUNT`]: 'Added: git asks the mounted Secret.',
  [`${WORKER}/env/GIT_AUTHOR_NAME`]: "Added: the pod's user has no identity of its own.",
  [`${WORKER}/env/HOME`]: 'Added: where ssh and the build tools look.',
};

const NAMESPACE: Comments = {
  'metadata/labels/pod-security.kubernetes.io/enforce': 'Added: the level that the pods meet.',
};

const POLICY: Comments = {
  'spec/ingress': 'Nothing connects to a worker.',
  'spec/egress': 'DNS, the Git host and the registries, and nothing else.',
};

const NONE: Readonly<Comments> = {};

/** The comments that go into an object's YAML. */
export function commentsOf({ kind }: KubeObject): Comments {
  switch (kind) {
    case 'Job':
    case 'StatefulSet':
      return WORKLOAD;
    case 'Namespace':
      return NAMESPACE;
    case 'NetworkPolicy':
    case 'CiliumNetworkPolicy':
      return POLICY;
    default:
      return NONE;
  }
}
