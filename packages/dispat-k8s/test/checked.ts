import type { CheckInput } from '../src/check/check.js';
import { check } from '../src/check/check.js';
import type { CheckReport, Finding } from '../src/check/report/model.js';
import type { Severity } from '../src/check/rule.js';
import { documentedExecutionText, documentedPoolText } from './documented.js';

/** A text with one piece replaced, which has to be there. */
export function edited(text: string, ...edits: readonly (readonly [from: string, to: string])[]): string {
  let changed = text;
  for (const [from, to] of edits) {
    if (!changed.includes(from)) throw new Error(`the text has no ${JSON.stringify(from)}`);
    changed = changed.replace(from, () => to);
  }
  return changed;
}

export interface Checked {
  readonly report: CheckReport;
  /** The findings of one rule. */
  of(rule: string): readonly Finding[];
  /** Ids at a level, each once, in order. */
  ids(severity: Severity): readonly string[];
}

/** What a check is asked with; texts in place of files. */
export type Asked = Omit<CheckInput, 'manifests' | 'dispatConfig' | 'plan' | 'durations' | 'imageContents'> & {
  readonly manifest?: string;
  /** The documented block unless it says otherwise; `null` is none. */
  readonly config?: string | null;
  readonly plan?: string;
  readonly durations?: string;
  readonly imageContents?: string;
};

/** Checks a manifest, the documented one unless another is given. */
export function checked(asked: Asked = {}): Checked {
  const {
    manifest = documentedPoolText,
    config = documentedExecutionText,
    plan,
    durations,
    imageContents,
    ...rest
  } = asked;
  const report = check({
    ...rest,
    manifests: [{ name: 'pool.yaml', text: manifest }],
    ...(config !== null && { dispatConfig: { name: 'dispat.yaml', text: config } }),
    ...(plan !== undefined && { plan: { name: 'plan.jsonl', text: plan } }),
    ...(durations !== undefined && { durations: { name: 'durations.json', text: durations } }),
    ...(imageContents !== undefined && { imageContents: { name: 'image.txt', text: imageContents } }),
  });
  return {
    report,
    of: (rule) => report.findings.filter((finding) => finding.rule === rule),
    ids: (severity) => [
      ...new Set(report.findings.filter((each) => each.severity === severity).map(({ rule }) => rule)),
    ],
  };
}

/** The documented pool with other words, and objects after it. */
export function pool(edits: readonly (readonly [from: string, to: string])[], ...others: readonly string[]): string {
  return [edited(documentedPoolText, ...edits), ...others].join('\n---\n');
}

/** The documented block with other words. */
export function block(...edits: readonly (readonly [from: string, to: string])[]): string {
  return edited(documentedExecutionText, ...edits);
}

/** What the documented pool lacks: the group that may read the key, and a policy. */
export const FS_GROUP = ['        runAsUser: 1001\n', '        runAsUser: 1001\n        fsGroup: 1001\n'] as const;

const LABELS = ['      annotations:\n', '      labels: {app: workers}\n      annotations:\n'] as const;

/** A policy over the pool's pods with these egress rules. */
export function policy(...egress: readonly string[]): string {
  return `apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: workers, namespace: release}
spec:
  podSelector: {matchLabels: {app: workers}}
  policyTypes: [Ingress, Egress]
  egress:
${egress.map((rule) => `    - ${rule}\n`).join('')}`;
}

export const DNS_RULE =
  '{to: [{namespaceSelector: {}, podSelector: {matchLabels: {k8s-app: kube-dns}}}], ports: [{port: 53, protocol: UDP}, {port: 53, protocol: TCP}]}';
export const GIT_RULE = '{to: [{ipBlock: {cidr: 192.0.2.0/24}}], ports: [{port: 22}]}';

/** The documented pool put right, with a policy of these rules. */
export function governed(
  egress: readonly string[],
  ...edits: readonly (readonly [from: string, to: string])[]
): string {
  return pool([FS_GROUP, LABELS, ...edits], policy(...egress));
}

/** The StatefulSet variation of the documented pool. */
export function statefulSet(...edits: readonly (readonly [from: string, to: string])[]): string {
  return pool([
    ['apiVersion: batch/v1\nkind: Job', 'apiVersion: apps/v1\nkind: StatefulSet'],
    [
      '  completionMode: Indexed\n  completions: 4\n  parallelism: 4\n  backoffLimit: 0\n  ttlSecondsAfterFinished: 600\n',
      '  replicas: 4\n  podManagementPolicy: Parallel\n  updateStrategy: {type: OnDelete}\n  serviceName: dispat-workers\n  volumeClaimTemplates:\n    - metadata: {name: state}\n      spec: {accessModes: [ReadWriteOnce]}\n',
    ],
    ['      restartPolicy: Never\n', ''],
    ['        - name: state\n          emptyDir: {}\n', ''],
    ['w-${JOB_COMPLETION_INDEX}', 'w-${HOSTNAME##*-}'],
    ['--idle-timeout 900', '--idle-timeout 0'],
    ...edits,
  ]);
}
