import type { Passed, PoolOptions } from '../../pool.js';
import { type PreemptibleMark, preemptibleMarks } from '../../preemptible.js';
import { DNS_SUBDOMAIN, fits, LABEL_KEY, LABEL_VALUE, shown, textOf } from '../forms.js';
import type { Gathered } from '../gather.js';

type Placement = Pick<
  PoolOptions,
  | 'tolerations'
  | 'nodeSelector'
  | 'affinity'
  | 'priorityClass'
  | 'kueueQueue'
  | 'serviceAccount'
  | 'karpenter'
  | 'pdb'
  | 'extras'
>;

/** Which machines the pods run on, and what else decides about them. */
export function readPlacement(gathered: Gathered): Placement {
  const { input } = gathered;
  const tolerations = readTolerations(gathered);
  const nodeSelector = readSelector(gathered);
  const affinity = input.affinity;
  warnOfPreemptible(gathered, { tolerations, nodeSelector, affinity });
  const priorityClass = textOf(gathered, 'priorityClass', DNS_SUBDOMAIN, undefined);
  const kueueQueue = textOf(gathered, 'kueueQueue', DNS_SUBDOMAIN, undefined);
  const serviceAccount = textOf(gathered, 'serviceAccount', { ...DNS_SUBDOMAIN, code: 'NAME_INVALID' }, undefined);
  const extras = input.extras ?? true;
  checkExtras(gathered, extras);
  return {
    tolerations,
    nodeSelector,
    extras,
    karpenter: input.karpenter ?? true,
    pdb: input.pdb ?? false,
    ...(affinity && { affinity }),
    ...(priorityClass !== undefined && { priorityClass }),
    ...(kueueQueue !== undefined && { kueueQueue }),
    ...(serviceAccount !== undefined && { serviceAccount }),
  };
}

const TOLERATION_KEYS = ['key', 'operator', 'value', 'effect', 'tolerationSeconds'];

function readTolerations(gathered: Gathered): Passed[] {
  const tolerations: Passed[] = [];
  for (const item of gathered.input.tolerations ?? []) {
    const toleration = typeof item === 'string' ? tolerationOf(item) : item;
    if (toleration !== undefined && Object.keys(toleration).every((key) => TOLERATION_KEYS.includes(key))) {
      tolerations.push(toleration);
    } else {
      gathered.report('tolerations', {
        code: 'OPTION_INVALID',
        found: typeof item === 'string' ? shown(item) : 'a mapping with other keys',
        allowed: `KEY[=VALUE][:EFFECT], or ${TOLERATION_KEYS.join(', ')}`,
        fix: 'write it like dedicated=release:NoSchedule',
      });
    }
  }
  return tolerations;
}

function tolerationOf(text: string): Passed | undefined {
  const [, key = '', value, effect] =
    /^([^=:]+)(?:=([^:]*))?(?::(NoSchedule|PreferNoSchedule|NoExecute))?$/.exec(text) ?? [];
  if (!fits(key, LABEL_KEY) || (value !== undefined && !fits(value, LABEL_VALUE))) return undefined;
  return {
    key,
    ...(value === undefined ? { operator: 'Exists' } : { operator: 'Equal', value }),
    ...(effect !== undefined && { effect }),
  };
}

/** Selected by the platform, and not to be contradicted. */
const OWN_KEYS = new Set(['kubernetes.io/arch', 'kubernetes.io/os']);

function readSelector(gathered: Gathered): Readonly<Record<string, string>> {
  const selector = gathered.input.nodeSelector ?? {};
  for (const [key, value] of Object.entries(selector)) {
    if (OWN_KEYS.has(key)) {
      gathered.report('nodeSelector', {
        code: 'OPTIONS_CONFLICT',
        found: key,
        allowed: 'any label but those that the platform sets',
        fix: 'say it with platform',
      });
    } else if (!fits(key, LABEL_KEY) || !fits(value, LABEL_VALUE)) {
      gathered.report('nodeSelector', {
        code: 'OPTION_INVALID',
        found: shown(`${key}=${value}`),
        allowed: `KEY=VALUE: ${LABEL_VALUE.allowed}`,
        fix: 'write it like pool=release',
      });
    }
  }
  return selector;
}

function warnOfPreemptible(gathered: Gathered, spec: Parameters<typeof preemptibleMarks>[0]): void {
  const marks = preemptibleMarks(spec).filter(({ effect }) => effect !== 'excludes');
  for (const mark of marks) {
    gathered.report(OPTION_OF[mark.from], {
      code: 'OPTION_QUESTIONABLE',
      severity: 'warning',
      found: `${mark.label}, which ${mark.effect === 'permits' ? 'permits' : 'asks for'} machines that may be taken away`,
      allowed: 'it while no worker publishes: a publish that is cut off leaves the release lock held',
      fix: 'take it out',
    });
  }
}

const OPTION_OF = {
  nodeSelector: 'nodeSelector',
  affinity: 'affinity',
  toleration: 'tolerations',
} as const satisfies Record<PreemptibleMark['from'], string>;

/** Policies and budgets find the pods by labels of ours. */
function checkExtras(gathered: Gathered, extras: boolean): void {
  if (extras) return;
  const { policyKind = 'standard', pdb = false } = gathered.input;
  if (policyKind === 'none' && !pdb) return;
  gathered.report('extras', {
    code: 'OPTIONS_CONFLICT',
    found: policyKind === 'none' ? 'false, beside pdb' : 'false, beside a NetworkPolicy',
    allowed: 'neither: they find the pods by the labels that it leaves out',
    fix: policyKind === 'none' ? 'leave out pdb' : 'add --no-network-policy',
  });
}
