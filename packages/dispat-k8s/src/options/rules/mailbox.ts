import { type Endpoint, readEndpoint, redactEndpoint } from '../../endpoint.js';
import type { PoolOptions, Transfer } from '../../pool.js';
import { DNS_SUBDOMAIN, FOLDER, SECRET_KEY, shown, textOf, VARIABLE } from '../forms.js';
import type { Gathered } from '../gather.js';

type Mailbox = Pick<
  PoolOptions,
  | 'endpoint'
  | 'mailbox'
  | 'secretEnv'
  | 'secretName'
  | 'secretKey'
  | 'ssh'
  | 'gitCredentialSecret'
  | 'gitIdentity'
  | 'home'
  | 'transfer'
>;

/** Where workers find their orders, and what they prove themselves with. */
export function readMailbox(gathered: Gathered): Mailbox {
  const { text, endpoint } = readMailboxEndpoint(gathered);
  const secretName = textOf(gathered, 'secretName', { ...DNS_SUBDOMAIN, code: 'NAME_INVALID' }, 'dispat-execution');
  const ssh = readSsh(gathered, endpoint);
  const gitCredentialSecret = readCredential(gathered, endpoint);
  const gitIdentity = readIdentity(gathered);
  const transfer = readTransfer(gathered);
  return {
    endpoint: text,
    mailbox: gathered.input.mailbox ?? 'endpoint',
    secretEnv: readSecretEnv(gathered),
    secretName,
    secretKey: textOf(gathered, 'secretKey', SECRET_KEY, 'secret'),
    home: readHome(gathered),
    ...(ssh && { ssh }),
    ...(gitCredentialSecret !== undefined && { gitCredentialSecret }),
    ...(gitIdentity && { gitIdentity }),
    ...(transfer && { transfer }),
  };
}

function readMailboxEndpoint(gathered: Gathered): { text: string; endpoint: Endpoint | undefined } {
  const text = gathered.input.endpoint;
  if (text === undefined) {
    if (!gathered.wrong.has('endpoint')) {
      gathered.report('endpoint', {
        code: 'ENDPOINT_MISSING',
        found: 'none',
        allowed: 'the Git address of the mailbox repository',
        fix: 'write it like git@github.com:acme/release-mailbox.git',
      });
    }
    return { text: '', endpoint: undefined };
  }
  const { endpoint, fault } = readEndpoint(text);
  if (fault !== undefined) {
    gathered.report('endpoint', {
      code: 'ENDPOINT_INVALID',
      found: `${shown(redactEndpoint(text))}, which ${fault.reason}`,
      allowed: 'an https, ssh or file URL, an absolute path, or user@host:path',
      fix: 'write it like git@github.com:acme/release-mailbox.git',
    });
  }
  return { text, endpoint };
}

/** Names the pod gives a meaning of its own. */
const TAKEN = /^(JOB_COMPLETION_INDEX|DWM_.*|HOME|GIT_.*|PATH|HOSTNAME)$/;

function readSecretEnv(gathered: Gathered): string {
  const name = textOf(gathered, 'secretEnv', VARIABLE, 'DISPAT_EXECUTION_SECRET');
  if (TAKEN.test(name)) {
    gathered.report('secretEnv', {
      code: 'ENV_RESERVED',
      found: name,
      allowed: 'a variable that nothing else uses',
      fix: 'leave it out, which makes it DISPAT_EXECUTION_SECRET',
    });
  }
  return name;
}

function readSsh(gathered: Gathered, endpoint: Endpoint | undefined): PoolOptions['ssh'] {
  const needsKey = endpoint?.form === 'ssh' || endpoint?.form === 'scp';
  const { sshSecret = needsKey ? 'mailbox-deploy-key' : 'none' } = gathered.input;
  const mode = readMode(gathered);
  if (sshSecret === 'none') {
    if (!needsKey) return undefined;
    return gathered.report('sshSecret', {
      code: 'OPTIONS_CONFLICT',
      found: 'none, with an ssh endpoint',
      allowed: 'none beside an https, file or path endpoint alone',
      fix: 'name the Secret with the deploy key',
    });
  }
  return {
    secret: textOf(gathered, 'sshSecret', { ...DNS_SUBDOMAIN, code: 'NAME_INVALID' }, 'mailbox-deploy-key'),
    keyFile: textOf(gathered, 'sshKeyFile', SECRET_KEY, 'id_ed25519'),
    mount: textOf(gathered, 'sshMount', FOLDER, '/home/worker/.ssh'),
    mode,
  };
}

const MODES: Readonly<Record<string, number>> = { '400': 0o400, '440': 0o440, '444': 0o444 };

/** File modes are read as octal text only: a bare 400 is decimal to Kubernetes, and then a quite different mode. */
function readMode(gathered: Gathered): number {
  const text = gathered.input.sshMode ?? '0400';
  const digits = /^0o?([0-7]+)$/.exec(text)?.[1];
  if (digits === undefined) {
    gathered.report('sshMode', {
      code: 'MODE_AMBIGUOUS',
      found: shown(text),
      allowed: 'octal text that begins with 0: 0400, 0440 or 0444 (a bare number is decimal to Kubernetes)',
      fix: MODES[text] === undefined ? 'write 0400' : `write 0${text}`,
    });
    return 0o400;
  }
  const mode = MODES[digits];
  if (mode !== undefined) return mode;
  gathered.report('sshMode', {
    code: 'OPTION_INVALID',
    found: text,
    allowed: '0400, 0440 or 0444: nobody writes a key, and nobody runs it',
    fix: 'write 0400',
  });
  return 0o400;
}

function readCredential(gathered: Gathered, endpoint: Endpoint | undefined): string | undefined {
  const secret = textOf(gathered, 'gitCredentialSecret', { ...DNS_SUBDOMAIN, code: 'NAME_INVALID' }, undefined);
  if (secret === undefined || endpoint === undefined || endpoint.form === 'https') return secret;
  return gathered.report('gitCredentialSecret', {
    code: 'OPTIONS_CONFLICT',
    found: 'an endpoint that is not https',
    allowed: 'it beside an https endpoint alone',
    fix: 'leave it out',
  });
}

const USUAL_IDENTITY = { name: 'dispat worker', email: 'worker@dispat.invalid' };

function readIdentity(gathered: Gathered): PoolOptions['gitIdentity'] {
  const text = gathered.input.gitIdentity;
  if (text === undefined) return USUAL_IDENTITY;
  if (text === 'none') return undefined;
  const [, name, email] = /^([^<>\p{Cc}]*[^<>\p{Cc}\s]) <([^<>\p{Cc}\s]+)>$/u.exec(text) ?? [];
  if (name !== undefined && email !== undefined) return { name, email };
  return gathered.report('gitIdentity', {
    code: 'OPTION_INVALID',
    found: shown(text),
    allowed: 'none, or a name and an address',
    fix: 'write it like dispat worker <worker@dispat.invalid>',
  });
}

function readHome(gathered: Gathered): string {
  const mount = gathered.input.sshMount ?? '/home/worker/.ssh';
  const parent = mount.endsWith('/.ssh') ? mount.slice(0, -'/.ssh'.length) : '';
  return textOf(gathered, 'home', FOLDER, parent === '' ? '/home/worker' : parent);
}

const CEILINGS = ['maxFiles', 'maxBytes', 'maxManifestBytes', 'timeout'] as const;

function readTransfer(gathered: Gathered): Transfer | undefined {
  const given = gathered.input.transfer;
  if (given === undefined) return undefined;
  const unknown = Object.keys(given).find((key) => !CEILINGS.some((known) => known === key));
  const wrong = CEILINGS.find((key) => given[key] !== undefined && !isCeiling(given[key]));
  if (unknown !== undefined || wrong !== undefined) {
    return gathered.report('transfer', {
      code: unknown === undefined ? 'OPTION_INVALID' : 'CONFIG_UNKNOWN_KEY',
      found: unknown === undefined ? `${wrong} that is no whole number above 0` : shown(unknown),
      allowed: `${CEILINGS.join(', ')}, whole numbers above 0`,
      fix: 'write it like {maxFiles: 20000}',
    });
  }
  const kept = CEILINGS.filter((key) => given[key] !== undefined);
  return kept.length === 0 ? undefined : Object.fromEntries(kept.map((key) => [key, Number(given[key])]));
}

function isCeiling(value: unknown): boolean {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0;
}
