import { normalize } from 'node:path/posix';
import type { ExtraEnv, Passed } from '../../pool.js';
import { DNS_LABEL, DNS_SUBDOMAIN, fits, SECRET_KEY, shown, VARIABLE } from '../forms.js';
import type { Gathered } from '../gather.js';

export interface Additions {
  readonly env: readonly ExtraEnv[];
  readonly volumes: readonly Passed[];
  readonly volumeMounts: readonly Passed[];
  readonly buildSecrets: readonly string[];
}

/** What the pod has of its own, which additions may not touch. */
export interface Taken {
  readonly secretEnv: string;
  /** Folders that volumes of ours are mounted at. */
  readonly mounts: readonly string[];
  readonly secrets: readonly string[];
}

/** More variables and volumes: they may neither hide what a worker needs, nor bring in what does not belong there. */
export function readAdditions(gathered: Gathered, taken: Taken): Additions {
  const buildSecrets = gathered.input.buildSecrets ?? [];
  const allowed = new Set([...taken.secrets, ...buildSecrets]);
  const volumes = readVolumes(gathered, allowed);
  return {
    env: [...readLiterals(gathered, taken), ...readReferences(gathered, taken, allowed)],
    volumes,
    volumeMounts: readMounts(gathered, taken, volumes),
    buildSecrets,
  };
}

/** Words that, whole between underscores, make a name look like a credential's. */
const CREDENTIAL = /(^|_)(TOKEN|PASSWORD|PASSWD|SECRET|APIKEY|API_KEY|PRIVATE_KEY|CREDENTIALS)(_|$)/i;

/** Whether a variable's name says that it holds a credential. */
function looksLikeCredential(name: string): boolean {
  return CREDENTIAL.test(name);
}

function readLiterals(gathered: Gathered, taken: Taken): ExtraEnv[] {
  const literals: ExtraEnv[] = [];
  for (const [name, value] of Object.entries(gathered.input.env ?? {})) {
    if (!mayBeNamed(gathered, 'env', name, taken)) continue;
    if (looksLikeCredential(name)) {
      gathered.report('env', {
        code: 'SECRET_LITERAL',
        found: `a value for ${name}`,
        allowed: 'no credential in a manifest, which ends up in Git',
        fix: `put it in a Secret, and write envFromSecret ${name}=SECRET/KEY`,
      });
    } else if (!/^[^\0]*$/.test(value)) {
      gathered.report('env', {
        code: 'OPTION_INVALID',
        found: `a zero byte in ${name}`,
        allowed: 'text',
        fix: 'take it out',
      });
    } else literals.push({ name, value });
  }
  return literals;
}

function readReferences(gathered: Gathered, taken: Taken, allowed: ReadonlySet<string>): ExtraEnv[] {
  const references: ExtraEnv[] = [];
  for (const [name, text] of Object.entries(gathered.input.envFromSecret ?? {})) {
    if (!mayBeNamed(gathered, 'envFromSecret', name, taken)) continue;
    const [, secret = '', key = ''] = /^([^/]*)\/([^/]*)$/.exec(text) ?? [];
    if (!fits(secret, DNS_SUBDOMAIN) || !fits(key, SECRET_KEY)) {
      gathered.report('envFromSecret', {
        code: 'OPTION_INVALID',
        found: `${name}, without a Secret and its key`,
        allowed: 'SECRET/KEY',
        fix: `write it like ${name}=npm-read/token`,
      });
    } else if (mayBeUsed(gathered, 'envFromSecret', secret, allowed)) {
      references.push({ name, secret: { name: secret, key } });
    }
  }
  const literal = new Set(Object.keys(gathered.input.env ?? {}));
  const twice = references.find(({ name }) => literal.has(name));
  if (twice !== undefined) {
    gathered.report('envFromSecret', {
      code: 'OPTIONS_CONFLICT',
      found: `${twice.name} in env as well`,
      allowed: 'each variable once',
      fix: 'take one of them out',
    });
  }
  return references;
}

const OURS = /^(JOB_COMPLETION_INDEX|DWM_.*)$/;

function mayBeNamed(gathered: Gathered, key: 'env' | 'envFromSecret', name: string, taken: Taken): boolean {
  if (!fits(name, VARIABLE)) {
    gathered.report(key, {
      code: 'OPTION_INVALID',
      found: shown(name),
      allowed: VARIABLE.allowed,
      fix: 'write it like CI=true',
    });
    return false;
  }
  if (!OURS.test(name) && name !== taken.secretEnv) return true;
  gathered.report(key, {
    code: 'ENV_RESERVED',
    found: name,
    allowed: `any variable but ${taken.secretEnv}, JOB_COMPLETION_INDEX and those that begin with DWM_`,
    fix: 'choose another name',
  });
  return false;
}

function mayBeUsed(
  gathered: Gathered,
  key: 'envFromSecret' | 'volumes',
  secret: string,
  allowed: ReadonlySet<string>,
): boolean {
  if (allowed.has(secret)) return true;
  gathered.report(key, {
    code: 'OPTION_INVALID',
    found: `the Secret ${shown(secret)}`,
    allowed: 'Secrets that buildSecrets lists, so that none of the release job comes in unseen',
    fix: `add ${shown(secret)} to buildSecrets if builds need it`,
  });
  return false;
}

/** The kinds of volume that the restricted profile allows. */
const VOLUME_KINDS = [
  'configMap',
  'csi',
  'downwardAPI',
  'emptyDir',
  'ephemeral',
  'persistentVolumeClaim',
  'projected',
  'secret',
];

/** The names of the pod's own volumes. */
const OWN_VOLUMES = new Set(['work', 'state', 'git-ssh', 'git-credentials']);

function readVolumes(gathered: Gathered, allowed: ReadonlySet<string>): readonly Passed[] {
  const volumes = mappings(gathered, 'volumes');
  const names = new Set<unknown>();
  for (const volume of volumes) {
    const { name, ...source } = volume;
    const kinds = Object.keys(source);
    const [kind = ''] = kinds;
    if (typeof name !== 'string' || !fits(name, DNS_LABEL) || OWN_VOLUMES.has(name) || names.has(name)) {
      gathered.report('volumes', {
        code: 'NAME_INVALID',
        found: shown(String(name)),
        allowed: `a name of its own, other than ${[...OWN_VOLUMES].join(', ')}`,
        fix: 'write it like {name: cache, emptyDir: {}}',
      });
    }
    names.add(name);
    if (kinds.length !== 1 || !VOLUME_KINDS.includes(kind)) {
      gathered.report('volumes', {
        code: 'MOUNT_FORBIDDEN',
        found: `${kinds.join(' and ') || 'no source'} in ${shown(String(name))}`,
        allowed: `one of ${VOLUME_KINDS.join(', ')}`,
        fix:
          kind === 'hostPath'
            ? 'use a persistentVolumeClaim or an ephemeral volume'
            : 'write it like {name: cache, emptyDir: {}}',
      });
    }
    for (const secret of secretsOf(volume)) mayBeUsed(gathered, 'volumes', secret, allowed);
    if (holdsToken(volume)) {
      gathered.report('volumes', {
        code: 'MOUNT_FORBIDDEN',
        found: `a service account token in ${shown(String(name))}`,
        allowed: 'no cluster identity in a pod that builds',
        fix: 'take the serviceAccountToken source out',
      });
    }
  }
  return volumes;
}

/** The Secrets a volume brings in, projected ones included. */
function secretsOf(volume: Passed): string[] {
  const direct = memberOf(volume.secret, 'secretName');
  const projected = sourcesOf(volume).map((source) => memberOf(memberOf(source, 'secret'), 'name'));
  return [direct, ...projected].filter((name) => typeof name === 'string');
}

function holdsToken(volume: Passed): boolean {
  return sourcesOf(volume).some((source) => memberOf(source, 'serviceAccountToken') !== undefined);
}

function sourcesOf(volume: Passed): readonly unknown[] {
  const sources = memberOf(volume.projected, 'sources');
  return Array.isArray(sources) ? sources : [];
}

function memberOf(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null
    ? Object.entries(value).find(([name]) => name === key)?.[1]
    : undefined;
}

function readMounts(gathered: Gathered, taken: Taken, volumes: readonly Passed[]): readonly Passed[] {
  const mounts = mappings(gathered, 'volumeMounts');
  const names = new Set(volumes.map(({ name }) => name));
  for (const mount of mounts) {
    const { name, mountPath } = mount;
    if (!names.has(name)) {
      gathered.report('volumeMounts', {
        code: 'MOUNT_FORBIDDEN',
        found: `the volume ${shown(String(name))}`,
        allowed: 'a volume from `volumes`',
        fix: 'add it to volumes, or name another',
      });
    }
    const path = typeof mountPath === 'string' ? normalize(mountPath).replace(/\/+$/, '') : '';
    const within = taken.mounts.find((own) => path === own || path.startsWith(`${own}/`));
    const climbs = String(mountPath).split('/').includes('..');
    if (!path.startsWith('/') || climbs || path.includes(':') || within !== undefined) {
      gathered.report('volumeMounts', {
        code: 'MOUNT_FORBIDDEN',
        found: shown(String(mountPath)),
        allowed: `an absolute path outside ${taken.mounts.join(', ')}`,
        fix: 'write it like {name: cache, mountPath: /cache}',
      });
    }
  }
  return mounts;
}

function mappings(gathered: Gathered, key: 'volumes' | 'volumeMounts'): Passed[] {
  const items = gathered.input[key] ?? [];
  const found: Passed[] = [];
  for (const item of items) {
    if (typeof item !== 'string') found.push(item);
    else {
      gathered.report(key, {
        code: 'OPTION_INVALID',
        found: shown(item),
        allowed: 'a mapping, on the command line as JSON',
        fix:
          key === 'volumes'
            ? 'write it like {"name":"cache","emptyDir":{}}'
            : 'write it like {"name":"cache","mountPath":"/cache"}',
      });
    }
  }
  return found;
}
