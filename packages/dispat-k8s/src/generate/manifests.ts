import type { KubeObject, PoolOptions } from '../pool.js';
import { writeYaml } from '../yaml-out/write.js';
import { commentsOf } from './comments.js';

/** A file and its text. */
export interface OutputFile {
  readonly name: string;
  readonly text: string;
}

/** All objects as one YAML stream, in the order to apply them, with a comment at whatever was added. */
export function manifestsYaml(objects: readonly KubeObject[]): string {
  return objects.map((object) => writeYaml(object, commentsOf(object))).join('---\n');
}

/** All objects as one JSON `List`. */
export function manifestsJson(objects: readonly KubeObject[]): string {
  return `${JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }, null, 2)}\n`;
}

/** One file per object, and a `kustomization.yaml` that lists them: a base for kustomize. */
export function manifestFiles(objects: readonly KubeObject[], format: 'yaml' | 'json' = 'yaml'): OutputFile[] {
  const files = objects.map((object) => ({
    name: `${object.kind.toLowerCase()}-${object.metadata.name ?? object.metadata.generateName?.replace(/-$/, '') ?? ''}.${format}`,
    text: format === 'yaml' ? manifestsYaml([object]) : `${JSON.stringify(object, null, 2)}\n`,
  }));
  const kustomization = {
    apiVersion: 'kustomize.config.k8s.io/v1beta1',
    kind: 'Kustomization',
    resources: files.map(({ name }) => name),
  };
  return [...files, { name: 'kustomization.yaml', text: writeYaml(kustomization) }];
}

/**
 * Commands that make the Secrets, and their skeletons with key names only. It is no manifest to apply: it would put
 * empty values in their place.
 */
export function secretStub(options: PoolOptions): string {
  const { namespace, secretName, secretKey, ssh, gitCredentialSecret } = options;
  const wanted = [
    { name: secretName, files: { [secretKey]: 'the signing secret, the same as the orchestrator has' } },
    ...(ssh
      ? [
          {
            name: ssh.secret,
            files: { [ssh.keyFile]: 'the deploy key', known_hosts: "the Git host's keys, from ssh-keyscan" },
          },
        ]
      : []),
    ...(gitCredentialSecret === undefined
      ? []
      : [{ name: gitCredentialSecret, files: { credentials: 'two lines: username=… and password=…' } }]),
  ];
  return wanted
    .map(({ name, files }) => `${commandLines(namespace, name, files)}${skeleton(namespace, name, files)}`)
    .join('---\n');
}

type Files = Readonly<Record<string, string>>;

function commandLines(namespace: string, name: string, files: Files): string {
  const parts = Object.entries(files);
  return [
    '# Do not apply this file: fill in the values where they are kept, or run',
    `#   kubectl --namespace ${namespace} create secret generic ${name} \\`,
    ...parts.map(([key], index) => `#     --from-file=${key}=./${key}${index < parts.length - 1 ? ' \\' : ''}`),
    ...parts.map(([key, what]) => `# ${key}: ${what}`),
    '',
  ].join('\n');
}

function skeleton(namespace: string, name: string, files: Files): string {
  return writeYaml({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name, namespace },
    type: 'Opaque',
    stringData: Object.fromEntries(Object.keys(files).map((key) => [key, ''])),
  });
}
