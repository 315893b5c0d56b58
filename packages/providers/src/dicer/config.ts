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
} from '@rungar/model';
import { endpointOf, readAddress } from './address.js';
import { parseDicerRunner } from './runner.js';
import type { DicerAddress, DicerRunner, DicerSettings, DicerTls } from './settings.js';
import { checkTlsFiles } from './tls.js';

const DEFAULT_TIMEOUT_MS = 10_000;

/** The keys of its `tls`. */
export const DICER_TLS_FIELDS = {
  cert_file: field.text({ describe: "the client's certificate, a PEM file; goes with key_file" }),
  key_file: field.text({ describe: "the client's key, a PEM file; goes with cert_file" }),
  ca_file: field.text({ describe: "the authorities that vouch for the daemon, a PEM file, instead of the system's" }),
  server_name: field.text({ describe: "the name in the daemon's certificate, when it is not the address's host" }),
} as const;

/** The keys of a `dicer` entry beside those every provider has (docs/providers/dicer.md). */
export const DICER_ENTRY_FIELDS = {
  address: field.text({
    describe: 'where the Dicer daemon listens',
    rule: '`unix://` and the absolute path of its socket, or `HOST:PORT`',
    required: true,
    check(text) {
      const read = readAddress(text);
      return 'want' in read ? read.want : undefined;
    },
  }),
  tls: field.mapping(DICER_TLS_FIELDS, {
    describe: 'how a connection over TCP is secured; without it, it is in the clear',
  }),
  timeout: field.duration({ describe: 'the time limit of each call but pulls of images', default: DEFAULT_TIMEOUT_MS }),
} as const;

/** Everything of a configured `dicer` provider but how to open and ask it. */
export interface ConfiguredDicer extends Omit<ConfiguredProvider<DicerRunner>, 'open' | 'checkOnline'> {
  readonly settings: DicerSettings;
}

/**
 * Reads a `dicer` provider's entry, less the keys every provider has. Contacts nothing and reads no file.
 * @returns nothing when the entry has problems, which then went to `problems`
 */
export function configureDicer(entry: LocatedMap, path: string, problems: ProblemSink): ConfiguredDicer | undefined {
  const { values, all } = readMapping(entry, DICER_ENTRY_FIELDS, path, problems);
  const target = values.address === undefined ? undefined : targetOf(values.address);
  const mistake = values.tls && checkTls(values.tls, target);
  if (mistake) {
    const at = mistake.key === undefined ? placeOf(entry, 'tls') : placeOf(values.tls?.map ?? entry, mistake.key);
    const tlsPath = memberPath(path, 'tls');
    problems.add({
      severity: 'error',
      place: at,
      path: mistake.key === undefined ? tlsPath : memberPath(tlsPath, mistake.key),
      message: mistake.message,
      hint: mistake.hint,
    });
  }
  if (all === undefined || target === undefined || mistake) return undefined;
  const tls = all.tls?.all && toTls(all.tls.all);
  const settings: DicerSettings = { address: all.address, target, ...(tls && { tls }), timeoutMs: all.timeout };
  return {
    settings,
    endpoint: endpointOf(all.address, target),
    secretFiles: tls?.pair === undefined ? [] : [tls.pair.keyFile],
    effective: effectiveEntry(settings),
    parseRunner: parseDicerRunner,
    checkRunnerName: () => undefined,
    async checkFiles({ signal }) {
      if (tls) await checkTlsFiles(tls, signal);
    },
  };
}

function targetOf(address: string): DicerAddress | undefined {
  const read = readAddress(address);
  return 'target' in read ? read.target : undefined;
}

interface TlsMistake {
  /** The key of the `tls` block at fault; absent when it is the whole block. */
  readonly key?: keyof typeof DICER_TLS_FIELDS;
  readonly message: string;
  readonly hint: string;
}

/** What is wrong with a `tls` block as a whole. A key with a problem of its own is taken for set. */
function checkTls(
  { values, wrong }: Reading<typeof DICER_TLS_FIELDS>,
  target: DicerAddress | undefined,
): TlsMistake | undefined {
  const has = (key: keyof typeof DICER_TLS_FIELDS): boolean => values[key] !== undefined || wrong.has(key);
  if (target?.kind === 'socket') {
    return { message: 'does not go with a Unix socket, which its file permissions protect', hint: 'take tls away' };
  }
  if (has('cert_file') !== has('key_file')) {
    const [set, missing] = has('cert_file')
      ? (['cert_file', 'key_file'] as const)
      : (['key_file', 'cert_file'] as const);
    return { key: set, message: `needs ${missing} beside it`, hint: `set ${missing}, or take ${set} away` };
  }
  if (has('cert_file') || has('ca_file')) return undefined;
  return {
    message: 'must have ca_file, or cert_file and key_file',
    hint: 'for a certificate that the system trusts, name the file of its authorities in ca_file',
  };
}

interface TlsEntry {
  readonly cert_file: string | undefined;
  readonly key_file: string | undefined;
  readonly ca_file: string | undefined;
  readonly server_name: string | undefined;
}

function toTls(entry: TlsEntry): DicerTls {
  const { cert_file: certFile, key_file: keyFile, ca_file: caFile, server_name: serverName } = entry;
  return {
    ...(certFile !== undefined && keyFile !== undefined && { pair: { certFile, keyFile } }),
    ...(caFile !== undefined && { caFile }),
    ...(serverName !== undefined && { serverName }),
  };
}

function effectiveEntry({ address, tls, timeoutMs }: DicerSettings): Record<string, unknown> {
  return {
    address,
    ...(tls && {
      tls: {
        ...(tls.pair && { cert_file: tls.pair.certFile, key_file: tls.pair.keyFile }),
        ...(tls.caFile !== undefined && { ca_file: tls.caFile }),
        ...(tls.serverName !== undefined && { server_name: tls.serverName }),
      },
    }),
    timeout: formatDurationMs(timeoutMs),
  };
}
