import { readFile } from 'node:fs/promises';
import { delimiter, dirname, join, resolve } from 'node:path';
import { type Located, messageOf } from '@rungar/model';
import { parse } from '@rungar/yaml-source';
import { InputError, type InputProblem, inputError } from '../problems.js';

/** Where the way to a cluster is written. */
export interface KubeconfigSource {
  /** `--kubeconfig`: this file alone. */
  readonly file?: string;
  /** `--context`: another one than the file's current. */
  readonly context?: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Where a pod finds its service account; for tests. */
  readonly accountFolder?: string;
}

/** A kubeconfig as the client library takes it: JSON text, paths absolute. */
export interface FoundConfig {
  readonly name: string;
  readonly json: string;
}

const ACCOUNT_FOLDER = '/var/run/secrets/kubernetes.io/serviceaccount';

/**
 * Finds the kubeconfig: `--kubeconfig`, else `KUBECONFIG` (several files are joined, the first to name a thing wins),
 * else `~/.kube/config`, else the service account of the pod this runs in.
 * @throws InputError `CONFIG_NOT_READABLE`, `YAML_INVALID`
 */
export async function findKubeconfig(source: KubeconfigSource, signal: AbortSignal): Promise<FoundConfig> {
  const { env } = source;
  if (source.file !== undefined) return readAll([source.file], source.context, signal);
  const listed = (env.KUBECONFIG ?? '').split(delimiter).filter((file) => file !== '');
  if (listed.length > 0) return readAll(listed, source.context, signal);
  const home = env.HOME ?? env.USERPROFILE;
  const usual = home === undefined ? undefined : join(home, '.kube', 'config');
  const text = usual === undefined ? undefined : await readIfThere(usual, signal);
  if (usual !== undefined && text !== undefined) return joined([configIn(text, usual)], source.context);
  if (env.KUBERNETES_SERVICE_HOST !== undefined) return inCluster(env, source.accountFolder ?? ACCOUNT_FOLDER);
  throw inputError({
    code: 'CONFIG_NOT_READABLE',
    at: 'kubeconfig',
    found: 'neither --kubeconfig, KUBECONFIG nor ~/.kube/config, and not the inside of a pod',
    allowed: 'one way to a cluster',
    fix: 'name the file with --kubeconfig',
  });
}

async function readAll(files: readonly string[], context: string | undefined, signal: AbortSignal) {
  const configs: Kubeconfig[] = [];
  for (const file of files) {
    try {
      configs.push(configIn(await readFile(file, { encoding: 'utf8', signal }), file));
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof InputError) throw error;
      throw inputError({
        code: 'CONFIG_NOT_READABLE',
        at: file,
        found: messageOf(error),
        allowed: 'a kubeconfig this user may read',
        fix: 'name an existing file with --kubeconfig or KUBECONFIG',
      });
    }
  }
  return joined(configs, context);
}

async function readIfThere(file: string, signal: AbortSignal): Promise<string | undefined> {
  try {
    return await readFile(file, { encoding: 'utf8', signal });
  } catch {
    signal.throwIfAborted();
    return undefined;
  }
}

type Plain = string | boolean | null | Plain[] | { [key: string]: Plain };
type PlainMap = { [key: string]: Plain };

interface Kubeconfig {
  readonly file: string;
  readonly content: PlainMap;
}

function configIn(text: string, file: string): Kubeconfig {
  const { root, problems } = parse(text, { file });
  const errors = problems.filter(({ severity }) => severity === 'error');
  const content = plain(root);
  if (errors.length === 0 && isMap(content))
    return { file, content: withAbsolutePaths(content, dirname(resolve(file))) };
  const wrong: InputProblem[] = errors.map(({ place, message }) => ({
    code: 'YAML_INVALID',
    severity: 'error',
    at: file,
    found: message,
    allowed: 'a kubeconfig as kubectl reads it',
    fix: 'mend the line',
    place,
  }));
  if (wrong.length > 0) throw new InputError(wrong);
  throw inputError({
    code: 'DOCUMENT_NOT_OBJECT',
    at: file,
    found: 'no mapping',
    allowed: 'a kubeconfig with clusters, contexts and users',
    fix: 'name another file',
  });
}

/** The value alone. Numbers stay text: nothing in a kubeconfig is one, but names and tokens may look like one. */
function plain(located: Located): Plain {
  switch (located.kind) {
    case 'list':
      return located.items.map(plain);
    case 'map':
      return Object.fromEntries(located.entries.map(({ key, value }) => [key, plain(value)]));
    case 'scalar':
      if (located.isNull) return null;
      if (!located.quoted && /^(true|false)$/i.test(located.source)) return located.source.toLowerCase() === 'true';
      return located.source;
  }
}

function isMap(value: Plain | undefined): value is PlainMap {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const PATHS = {
  clusters: ['certificate-authority'],
  users: ['client-certificate', 'client-key', 'tokenFile'],
} as const;

/** Relative paths are meant from the file's own folder. */
function withAbsolutePaths(content: PlainMap, folder: string): PlainMap {
  const anchored = (list: 'clusters' | 'users', member: 'cluster' | 'user'): Plain =>
    entriesOf(content[list]).map((entry) => {
      const inner = entry[member];
      if (!isMap(inner)) return entry;
      const moved = PATHS[list].flatMap((key) => {
        const path = inner[key];
        return typeof path === 'string' && path !== '' ? [[key, resolve(folder, path)]] : [];
      });
      return { ...entry, [member]: { ...inner, ...Object.fromEntries(moved) } };
    });
  return { ...content, clusters: anchored('clusters', 'cluster'), users: anchored('users', 'user') };
}

function entriesOf(value: Plain | undefined): PlainMap[] {
  return Array.isArray(value) ? value.filter(isMap) : [];
}

/** As kubectl joins them: of two entries of one name the first file's counts. */
function joined(configs: readonly Kubeconfig[], context: string | undefined): FoundConfig {
  const all = (list: string): PlainMap[] => {
    const byName = new Map<Plain | undefined, PlainMap>();
    for (const { content } of configs) {
      for (const entry of entriesOf(content[list])) if (!byName.has(entry.name)) byName.set(entry.name, entry);
    }
    return [...byName.values()];
  };
  const contexts = all('contexts');
  const current = context ?? configs.map(({ content }) => content['current-context']).find((name) => name);
  const name = configs.map(({ file }) => file).join(delimiter);
  if (!contexts.some((entry) => entry.name === current)) {
    const known = contexts.map((entry) => String(entry.name));
    throw inputError({
      code: 'OPTION_INVALID',
      at: name,
      found:
        typeof current === 'string' ? `the context ${JSON.stringify(current)}, which it does not have` : 'no context',
      allowed: known.length > 0 ? `one of ${known.join(', ')}` : 'a kubeconfig with contexts',
      fix: known.length > 0 ? `choose one with --context ${known[0]}` : 'name another file with --kubeconfig',
    });
  }
  const config = {
    clusters: all('clusters'),
    contexts,
    users: all('users').map(withToken),
    'current-context': current,
  };
  return { name, json: JSON.stringify(config) };
}

/** `tokenFile` is read again whenever a call needs it, as tokens in files are renewed. */
function withToken(entry: PlainMap): PlainMap {
  const { user } = entry;
  if (!isMap(user) || typeof user.tokenFile !== 'string' || user.tokenFile === '') return entry;
  return { ...entry, user: { ...user, 'auth-provider': { name: 'tokenFile', config: { tokenFile: user.tokenFile } } } };
}

function inCluster(env: KubeconfigSource['env'], folder: string): FoundConfig {
  const host = env.KUBERNETES_SERVICE_HOST ?? '';
  const server = `https://${host.includes(':') ? `[${host}]` : host}:${env.KUBERNETES_SERVICE_PORT ?? '443'}`;
  const config = {
    clusters: [{ name: 'pod', cluster: { server, 'certificate-authority': join(folder, 'ca.crt') } }],
    users: [
      { name: 'pod', user: { 'auth-provider': { name: 'tokenFile', config: { tokenFile: join(folder, 'token') } } } },
    ],
    contexts: [{ name: 'pod', context: { cluster: 'pod', user: 'pod' } }],
    'current-context': 'pod',
  };
  return { name: "the pod's service account", json: JSON.stringify(config) };
}
