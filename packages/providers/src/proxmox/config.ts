import {
  type ConfiguredProvider,
  field,
  formatDurationMs,
  type LocatedMap,
  memberPath,
  type ProblemSink,
  placeOf,
  type Reading,
  readMapping,
  Secret,
  type Values,
} from '@rungar/model';
import { allErrors } from '../shared/all-errors.js';
import { parseAddress } from './address.js';
import { effectiveProxmoxRunner } from './effective-runner.js';
import { readAuthorities, readTokenSecret } from './files.js';
import { parseProxmoxRunner } from './runner.js';
import type { ProxmoxRunner, ProxmoxSettings, ProxmoxTls } from './settings.js';

/** The keys of a `proxmox` entry's `tls`. */
export const PROXMOX_TLS_FIELDS = {
  ca_file: field.text({ describe: "a file of PEM certificates to trust instead of the system's authorities" }),
  fingerprint: field.parsedText({
    describe: 'the SHA-256 fingerprint of the one certificate to trust',
    rule: '64 hex digits, with or without colons',
    addition: true,
    want: 'must be a SHA-256 fingerprint: 64 hex digits, with or without colons',
    parse: parseFingerprint,
    hint: (text) => (text.replaceAll(':', '').length === 40 ? 'this one looks like a SHA-1 fingerprint' : undefined),
  }),
  insecure_skip_verify: field.boolean({
    describe: 'whether any certificate is taken; a fingerprint is the better way',
    default: false,
  }),
} as const;

/** The keys of a `proxmox` entry beside those every provider has (docs/providers/proxmox.md). */
export const PROXMOX_ENTRY_FIELDS = {
  url: field.parsedText({
    describe: "where the cluster's API is, such as https://pve.example.com:8006",
    required: true,
    want: 'must be an address like https://pve.example.com:8006, without a path',
    parse: parseAddress,
  }),
  token_id: field.text({
    describe: 'the API token',
    rule: 'USER@REALM!NAME',
    required: true,
    check: checkTokenId,
  }),
  token_secret: field.text({
    describe: "the API token's secret, if it is not in a file",
    rule: 'set, or token_secret_path',
    secret: true,
  }),
  token_secret_path: field.text({ describe: "a file with the API token's secret", rule: 'set, or token_secret' }),
  tls: field.mapping(PROXMOX_TLS_FIELDS, { describe: "how the cluster's certificate is checked" }),
  nodes: field.list(field.text({ describe: 'a node by its name' }), {
    describe: 'the nodes to make machines on; every one unless set',
    default: [],
  }),
  timeout: field.duration({ describe: 'the time limit of each request', default: 10_000 }),
} as const;

type Entry = Values<typeof PROXMOX_ENTRY_FIELDS>;
type TlsReading = Reading<typeof PROXMOX_TLS_FIELDS>;

/** Everything of a configured `proxmox` provider but how to open it and to ask it. */
export interface ConfiguredProxmox extends Omit<ConfiguredProvider<ProxmoxRunner>, 'open' | 'checkOnline'> {
  readonly settings: ProxmoxSettings;
}

/**
 * Reads a `proxmox` provider's entry, less the keys every provider has. Contacts nothing and reads no file.
 * @returns nothing when the entry has problems, which then went to `problems`
 */
export function configureProxmox(
  entry: LocatedMap,
  path: string,
  problems: ProblemSink,
): ConfiguredProxmox | undefined {
  const { values, wrong, all } = readMapping(entry, PROXMOX_ENTRY_FIELDS, path, problems);
  const mistakes = [...checkSecret(values, wrong), ...(values.tls === undefined ? [] : checkTls(values.tls))];
  for (const { map = entry, key, message, hint } of mistakes) {
    const at = map === entry ? path : memberPath(path, 'tls');
    problems.add({
      severity: 'error',
      place: placeOf(map, key),
      path: key === '' ? at : memberPath(at, key),
      message,
      hint,
    });
  }
  if (all === undefined || mistakes.length > 0) return undefined;
  const settings = toSettings(all);
  return {
    settings,
    endpoint: `proxmox:${settings.url}`,
    secretFiles: settings.tokenSecretPath === undefined ? [] : [settings.tokenSecretPath],
    effective: effectiveEntry(settings),
    parseRunner: parseProxmoxRunner,
    effectiveRunner: effectiveProxmoxRunner,
    checkRunnerName: () => undefined,
    async checkFiles({ signal }) {
      const { tokenSecretPath, tls } = settings;
      await allErrors([
        ...(tokenSecretPath === undefined ? [] : [readTokenSecret(tokenSecretPath, signal)]),
        ...(tls.caFile === undefined ? [] : [readAuthorities(tls.caFile, signal)]),
      ]);
    },
  };
}

interface Mistake {
  /** Where the key stands; the entry unless set. */
  readonly map?: LocatedMap;
  /** Empty for the mapping itself. */
  readonly key: string;
  readonly message: string;
  readonly hint: string;
}

function checkSecret(entry: Partial<Entry>, wrong: ReadonlySet<string>): Mistake[] {
  if (wrong.has('token_secret') || wrong.has('token_secret_path')) return [];
  const { token_secret: inline, token_secret_path: file } = entry;
  if (inline === undefined && file === undefined) {
    return [{ key: 'token_secret_path', message: 'is missing', hint: 'set it, or token_secret' }];
  }
  if (inline === undefined || file === undefined) return [];
  return [{ key: 'token_secret', message: 'cannot be set beside token_secret_path', hint: 'take one of the two away' }];
}

function checkTls({ map, values, wrong }: TlsReading): Mistake[] {
  if (wrong.size > 0) return [];
  const ways = ['ca_file', 'fingerprint', 'insecure_skip_verify'] as const;
  const [first, second] = ways.filter((way) => values[way] !== undefined && values[way] !== false);
  if (first !== undefined && second !== undefined) {
    return [{ map, key: second, message: `cannot be set beside ${first}`, hint: 'take one of the two away' }];
  }
  if (map.entries.some(({ value }) => value.kind !== 'scalar' || (!value.isNull && value.source !== ''))) return [];
  const hint = "set ca_file or fingerprint, or take tls away to trust the system's authorities";
  return [{ map, key: '', message: 'must not be empty', hint }];
}

function checkTokenId(text: string): string | undefined {
  const bang = text.indexOf('!');
  const user = text.slice(0, bang);
  const at = user.lastIndexOf('@');
  const good = bang > 0 && bang < text.length - 1 && at > 0 && at < user.length - 1;
  return good ? undefined : 'must be an API token like rungar@pve!daemon';
}

function parseFingerprint(text: string): string | undefined {
  const digits = text.replaceAll(':', '').toUpperCase();
  return /^[0-9A-F]{64}$/.test(digits) ? digits : undefined;
}

function toSettings(entry: Entry): ProxmoxSettings {
  return {
    url: entry.url,
    tokenId: entry.token_id,
    ...(entry.token_secret !== undefined && { tokenSecret: new Secret(entry.token_secret) }),
    ...(entry.token_secret_path !== undefined && { tokenSecretPath: entry.token_secret_path }),
    tls: toTls(entry.tls?.values ?? {}),
    nodes: [...new Set(entry.nodes)],
    timeoutMs: entry.timeout,
  };
}

function toTls(tls: TlsReading['values']): ProxmoxTls {
  return {
    ...(tls.ca_file !== undefined && { caFile: tls.ca_file }),
    ...(tls.fingerprint !== undefined && { fingerprint: tls.fingerprint }),
    insecureSkipVerify: tls.insecure_skip_verify ?? false,
  };
}

function effectiveEntry(settings: ProxmoxSettings): Record<string, unknown> {
  const tls = effectiveTls(settings.tls);
  return {
    url: settings.url,
    token_id: settings.tokenId,
    ...(settings.tokenSecret !== undefined && { token_secret: settings.tokenSecret.toString() }),
    ...(settings.tokenSecretPath !== undefined && { token_secret_path: settings.tokenSecretPath }),
    ...(Object.keys(tls).length > 0 && { tls }),
    ...(settings.nodes.length > 0 && { nodes: settings.nodes }),
    timeout: formatDurationMs(settings.timeoutMs),
  };
}

function effectiveTls({ caFile, fingerprint, insecureSkipVerify }: ProxmoxTls): Record<string, unknown> {
  return {
    ...(caFile !== undefined && { ca_file: caFile }),
    ...(fingerprint !== undefined && { fingerprint: fingerprint.replace(/..(?!$)/g, '$&:') }),
    ...(insecureSkipVerify && { insecure_skip_verify: true }),
  };
}
