import {
  type ConfiguredProvider,
  field,
  formatDurationMs,
  type LocatedMap,
  memberPath,
  type ProblemSink,
  placeOf,
  readMapping,
  type Values,
} from '@rungar/model';
import { readCredentialsFile } from './credentials-file.js';
import { effectiveGcpRunner } from './effective-runner.js';
import { isResourceName } from './names.js';
import { parseGcpRunner } from './runner.js';
import { type GcpRunner, type GcpSettings, regionOf } from './settings.js';

const CLOUD_PLATFORM = 'https://www.googleapis.com/auth/cloud-platform';

/** The keys of a `gcp` entry beside those every provider has (docs/providers/gcp.md). */
export const GCP_ENTRY_FIELDS = {
  project: field.text({
    describe: 'the project to create instances in, by its ID',
    required: true,
    pattern: /^[a-z][a-z0-9-]{4,28}[a-z0-9]$/,
    want: 'must be a project ID: 6 to 30 lower-case letters, digits and hyphens, beginning with a letter, not ending with a hyphen',
  }),
  zones: field.list(
    field.text({
      describe: 'a zone',
      pattern: /^[a-z]+-[a-z]+[0-9]+-[a-z]$/,
      want: 'must be a zone like europe-west1-b',
    }),
    {
      describe: 'the zones of one region to create instances in, tried in this order',
      rule: 'of one region',
      required: true,
      unique: true,
      check: checkOneRegion,
    },
  ),
  network: field.text({ describe: 'the network of every instance, by name or URL; the default one unless set' }),
  subnetwork: field.text({ describe: 'the subnetwork of every instance, by name or URL' }),
  external_ip: field.boolean({
    describe: 'whether instances get a public address; they do unless set, or unless an instance template decides',
  }),
  service_account: field.text({
    describe: 'the address of the service account every instance runs as; none unless set',
  }),
  scopes: field.list(field.text({ describe: 'an OAuth scope' }), {
    describe: `what the instances' service account may be used for; ${CLOUD_PLATFORM} unless set`,
    default: [],
  }),
  credentials_file: field.text({
    describe: 'a JSON file with credentials, instead of Application Default Credentials',
  }),
  impersonate_service_account: field.text({
    describe: 'the address of a service account to act as',
    pattern: /^[a-z0-9-]+@(?:[a-z0-9-]+\.)+gserviceaccount\.com$/,
    want: 'must be the address of a service account like runners@my-project.iam.gserviceaccount.com',
  }),
  endpoint_url: field.text({
    describe: "where Compute Engine's API is, instead of Google's own address",
    rule: 'an address without user, query or fragment',
    addition: true,
    check: checkEndpoint,
  }),
  timeout: field.duration({ describe: 'the time limit of each call', default: 30_000 }),
} as const;

/** Everything of a configured `gcp` provider but how to open it and ask it. */
export interface ConfiguredGcp extends Omit<ConfiguredProvider<GcpRunner>, 'open' | 'checkOnline'> {
  readonly settings: GcpSettings;
}

/**
 * Reads a `gcp` provider's entry, less the keys every provider has. Contacts nothing and reads no file.
 * @returns nothing when the entry has problems, which then went to `problems`
 */
export function configureGcp(entry: LocatedMap, path: string, problems: ProblemSink): ConfiguredGcp | undefined {
  const { values, wrong, all } = readMapping(entry, GCP_ENTRY_FIELDS, path, problems);
  const nobody = values.service_account === undefined && !wrong.has('service_account');
  const scopesOfNobody = nobody && (values.scopes ?? []).length > 0;
  if (scopesOfNobody) {
    problems.add({
      severity: 'error',
      place: placeOf(entry, 'scopes'),
      path: memberPath(path, 'scopes'),
      message: 'needs service_account, whose tokens they are for',
      hint: 'set service_account, or leave scopes out',
    });
  }
  if (all === undefined || scopesOfNobody) return undefined;
  const settings = toSettings(all);
  const [zone = ''] = settings.zones;
  return {
    settings,
    endpoint: endpointOf(settings),
    secretFiles: settings.credentialsFile === undefined ? [] : [settings.credentialsFile],
    effective: effectiveEntry(settings),
    parseRunner: (block, at, blockPath, sink) =>
      parseGcpRunner(block, at, blockPath, sink, { project: settings.project, region: regionOf(zone) }),
    effectiveRunner: effectiveGcpRunner,
    checkRunnerName: (name) => (isResourceName(name) ? undefined : NO_INSTANCE_NAME),
    async checkFiles({ signal }) {
      if (settings.credentialsFile !== undefined) await readCredentialsFile(settings.credentialsFile, signal);
    },
  };
}

const NO_INSTANCE_NAME =
  'Compute Engine names are a lower-case letter, then at most 62 lower-case letters, digits and hyphens: ' +
  'rename the scale set';

function toSettings(entry: Values<typeof GCP_ENTRY_FIELDS>): GcpSettings {
  const scopes = entry.scopes.length === 0 && entry.service_account !== undefined ? [CLOUD_PLATFORM] : entry.scopes;
  return {
    project: entry.project,
    zones: entry.zones,
    ...(entry.network !== undefined && { network: entry.network }),
    ...(entry.subnetwork !== undefined && { subnetwork: entry.subnetwork }),
    ...(entry.external_ip !== undefined && { externalIp: entry.external_ip }),
    ...(entry.service_account !== undefined && { serviceAccount: entry.service_account }),
    scopes,
    ...(entry.credentials_file !== undefined && { credentialsFile: entry.credentials_file }),
    ...(entry.impersonate_service_account !== undefined && {
      impersonateServiceAccount: entry.impersonate_service_account,
    }),
    ...(entry.endpoint_url !== undefined && { endpointUrl: entry.endpoint_url }),
    timeoutMs: entry.timeout,
  };
}

/** `gcp:PROJECT/REGION`, and where the API is if that is not Google's own place. */
function endpointOf({ project, zones, endpointUrl }: GcpSettings): string {
  const place = `gcp:${project}/${regionOf(zones[0] ?? '')}`;
  return endpointUrl === undefined ? place : `${place}@${new URL(endpointUrl).origin}`;
}

function effectiveEntry(settings: GcpSettings): Record<string, unknown> {
  return {
    project: settings.project,
    zones: settings.zones,
    ...(settings.network !== undefined && { network: settings.network }),
    ...(settings.subnetwork !== undefined && { subnetwork: settings.subnetwork }),
    ...(settings.externalIp !== undefined && { external_ip: settings.externalIp }),
    ...(settings.serviceAccount !== undefined && { service_account: settings.serviceAccount }),
    ...(settings.scopes.length > 0 && { scopes: settings.scopes }),
    ...(settings.credentialsFile !== undefined && { credentials_file: settings.credentialsFile }),
    ...(settings.impersonateServiceAccount !== undefined && {
      impersonate_service_account: settings.impersonateServiceAccount,
    }),
    ...(settings.endpointUrl !== undefined && { endpoint_url: settings.endpointUrl }),
    timeout: formatDurationMs(settings.timeoutMs),
  };
}

function checkOneRegion(zones: readonly string[]): string | undefined {
  const [first = ''] = zones;
  const other = zones.find((zone) => regionOf(zone) !== regionOf(first));
  if (other === undefined) return undefined;
  return `must be zones of one region: ${first} and ${other} are of two`;
}

/** Tokens leave over TLS only; without it there is only this host. */
function checkEndpoint(text: string): string | undefined {
  const want = 'must be an address like https://compute.example.com';
  if (!URL.canParse(text)) return want;
  const { protocol, hostname, username, password, pathname, search, hash } = new URL(text);
  if (protocol !== 'https:' && protocol !== 'http:') return want;
  if (username + password + search + hash !== '' || pathname !== '/') {
    return `${want}, without user, path, query or fragment`;
  }
  const isLoopback = hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname);
  return protocol === 'http:' && !isLoopback ? 'must begin with https:// unless it is on this host' : undefined;
}
