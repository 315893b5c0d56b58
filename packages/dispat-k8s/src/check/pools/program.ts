import type { Resources } from '../kube/resources.js';
import type { KubeValue } from '../kube/value.js';
import { type Interpretation, interpret, mentionsWorker, normalPath, startIn } from '../shell/interpret.js';
import { environmentOf, expandReferences, mountedFiles } from './environment.js';
import type { Workload } from './workload.js';

/** What a container runs. */
export interface Program {
  /** Where the script or the arguments stand. */
  readonly at: KubeValue;
  /** The program that reads the script: `sh`, `bash`; nothing without a shell. */
  readonly shell: string | undefined;
  /** The script before the kubelet's own substitution. */
  readonly script: string | undefined;
  /** What it does in the pod of one index. */
  run(index: number): Interpretation;
}

const SHELLS = new Set(['sh', 'bash', 'dash', 'ash', 'zsh', 'ksh', 'busybox']);

/** The program of a container; nothing when the image decides, or the input does not hold it. */
export function programOf(workload: Workload, container: KubeValue, resources: Resources): Program | undefined {
  const words = [...container.at('command').items, ...container.at('args').items];
  const texts = words.map((word) => word.source ?? '');
  const files = mountedFiles(workload, container, resources);
  const folder = container.at('workingDir').source;
  const shellAt = texts.findIndex((text) => SHELLS.has(text.split('/').at(-1) ?? ''));
  const shell = shellAt === -1 ? undefined : texts[shellAt]?.split('/').at(-1);
  const found = shellAt === -1 ? undefined : scriptAfter(texts, shellAt, files);
  if (shell !== undefined && found !== undefined) {
    const { script, index: at } = found;
    return {
      at: words[at] ?? container,
      shell,
      script,
      run(index) {
        const variables = environmentOf(workload, container, resources, index);
        return interpret(expandReferences(script, variables) ?? '', variables, files, folder);
      },
    };
  }
  if (!container.at('command').exists || shell !== undefined) return undefined;
  return {
    at: container.at(container.at('args').exists ? 'args' : 'command'),
    shell: undefined,
    script: undefined,
    run(index) {
      const variables = environmentOf(workload, container, resources, index);
      const values = texts.map((text) => expandReferences(text, variables));
      const start = startIn(values, true);
      return { files, variables, heredocs: [], start: start && { ...start, exec: true }, folder };
    },
  };
}

/** The script a shell is given: after `-c`, or a file that a ConfigMap brings. */
function scriptAfter(
  texts: readonly string[],
  shellAt: number,
  files: ReadonlyMap<string, string | undefined>,
): { readonly script: string; readonly index: number } | undefined {
  for (let at = shellAt + 1; at < texts.length; at++) {
    const text = texts[at] ?? '';
    if (SHELLS.has(text)) continue;
    if (/^-[a-z]*c[a-z]*$/.test(text)) {
      const script = texts[at + 1];
      return script === undefined ? undefined : { script, index: at + 1 };
    }
    if (text === '-o') at++;
    else if (!text.startsWith('-') && !text.startsWith('+')) {
      const script = files.get(normalPath(text));
      return script === undefined ? undefined : { script, index: at };
    }
  }
  return undefined;
}

/** Whether a container runs a worker, by its program or by what its words mention. */
export function runsWorker(container: KubeValue, program: Program | undefined): boolean {
  if (program?.run(0).start !== undefined) return true;
  const words = [...container.at('command').texts, ...container.at('args').texts];
  return mentionsWorker(words.join(' ')) || (program?.script !== undefined && mentionsWorker(program.script));
}
