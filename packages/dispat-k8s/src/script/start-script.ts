import { kubeAtLeast } from '../kube-version.js';
import type { Pool, PoolOptions } from '../pool.js';
import { documentedWorkerFile } from './worker-file.js';

/** The variables that carry values into the safe script. No other variable may begin with `DWM_`. */
export const SCRIPT_VARIABLES = {
  head: 'DWM_HEAD',
  tail: 'DWM_TAIL',
  root: 'DWM_ROOT',
  stateDir: 'DWM_STATE_DIR',
  idleTimeout: 'DWM_IDLE_TIMEOUT',
  /** StatefulSet: the ordinal, from the pod's label. */
  index: 'DWM_INDEX',
  /** StatefulSet on a cluster without that label: the pod's name, which ends in the ordinal. */
  podName: 'DWM_POD_NAME',
} as const;

/** Where a pod finds its own index. */
export type IndexSource = 'completion-index' | 'pod-index-label' | 'pod-name';

export function indexSource({ variation, kube }: Pick<PoolOptions, 'variation' | 'kube'>): IndexSource {
  if (variation === 'job') return 'completion-index';
  return kubeAtLeast(kube, '1.28') ? 'pod-index-label' : 'pod-name';
}

const READ_INDEX: Readonly<Record<IndexSource, string>> = {
  'completion-index': `index=\${JOB_COMPLETION_INDEX:-}`,
  'pod-index-label': `index=\${${SCRIPT_VARIABLES.index}:-}`,
  'pod-name': `index=\${${SCRIPT_VARIABLES.podName}:-}\nindex=\${index##*-}`,
};

/** The start script of a pod: constant text in the safe form, the documented here-document in the other. */
export function startScript(pool: Pool, options: PoolOptions): string {
  return options.script === 'safe' ? safeScript(options) : documentedScript(pool, options);
}

/**
 * The script that holds no value: they come as variables, whose expansion a shell does not read again. Only what any
 * POSIX shell has built in is used. The file is written in a subshell, so that builds keep the image's own umask.
 */
function safeScript(options: Pick<PoolOptions, 'variation' | 'kube' | 'init'>): string {
  const { head, tail, root, stateDir, idleTimeout } = SCRIPT_VARIABLES;
  return [
    'set -eu',
    READ_INDEX[indexSource(options)],
    'case $index in',
    "  '' | *[!0123456789]*)",
    '    printf \'dispat-worker: the index of this pod is not a number: "%s"\\n\' "$index" >&2',
    '    exit 64',
    '    ;;',
    'esac',
    `(umask 077 && printf '%s%s%s\\n' "$${head}" "$index" "$${tail}" >"$${root}/dispat.json")`,
    `exec ${initCommand(options)}dispat worker --root "$${root}" --state-dir "$${stateDir}" --idle-timeout "$${idleTimeout}"`,
    '',
  ].join('\n');
}

function initCommand({ init }: Pick<PoolOptions, 'init'>): string {
  return init === 'tini' ? 'tini -- ' : '';
}

const SHELL_INDEX: Readonly<Record<IndexSource, string>> = {
  'completion-index': `\${JOB_COMPLETION_INDEX}`,
  'pod-index-label': `\${${SCRIPT_VARIABLES.index}}`,
  'pod-name': `\${${SCRIPT_VARIABLES.podName}##*-}`,
};

/** The documented script. Every value in it has been found harmless in a here-document. */
function documentedScript({ prefix }: Pool, options: PoolOptions): string {
  const { workDir, stateDir, idleTimeout } = options;
  return [
    `cat > ${workDir}/dispat.json <<EOF`,
    documentedWorkerFile(prefix, SHELL_INDEX[indexSource(options)], options),
    'EOF',
    `exec ${initCommand(options)}dispat worker --root ${workDir} --state-dir ${stateDir} --idle-timeout ${idleTimeout}`,
    '',
  ].join('\n');
}

/** Keeps the kubelet from expanding `$(NAME)` in a value: it reads `$$` as one `$`. */
export function escapeForKubelet(value: string): string {
  return value.replace(/\$(?=[$(])/g, '$$$$');
}
