import { setMaxListeners } from 'node:events';
import { gcpLabelFilter, LABEL } from '@rungar/labels';
import {
  isRungarError,
  type OnlineFinding,
  type ProviderContext,
  quoted,
  RungarError,
  type RunnerToCheck,
  roundedDuration,
} from '@rungar/model';
import { type ComputeEngine, openComputeEngine } from './client.js';
import { GceError, isNotFound, toRungarError } from './errors.js';
import { imagePath } from './instance-resource.js';
import { type LibraryLoader, systemLoader } from './library.js';
import { parseTemplate, pathOf } from './names.js';
import { type GcpRunner, type GcpSettings, regionOf } from './settings.js';

/** A clock that is further off than this is worth a word. */
const BAD_CLOCK_MS = 30_000;

/**
 * Asks Compute Engine, changing nothing, whether the credential works and may do what is needed, and whether what the
 * entry and the runner blocks name is there (docs/providers/gcp.md, "Checking online").
 * @throws RungarError `unavailable` when Compute Engine does not answer
 */
export async function checkGcpOnline(
  settings: GcpSettings,
  runners: readonly RunnerToCheck<GcpRunner>[],
  context: ProviderContext,
  signal: AbortSignal,
  load: LibraryLoader = systemLoader,
): Promise<readonly OnlineFinding[]> {
  setMaxListeners(0, signal); // one signal may stop any number of calls: that is no leak
  let gce: ComputeEngine;
  try {
    gce = await openComputeEngine(load, settings, context, signal);
  } catch (error) {
    signal.throwIfAborted();
    if (!isRungarError(error, 'invalid_argument')) throw error;
    const hint = error.hint === undefined ? {} : { hint: error.hint };
    return [{ severity: 'error', message: `cannot be asked: ${error.message}`, ...hint }];
  }
  try {
    return await inspect({ gce, settings, signal }, runners);
  } finally {
    gce.close();
  }
}

/** Who is asked, and about what. */
interface Inspection {
  readonly gce: ComputeEngine;
  readonly settings: GcpSettings;
  readonly signal: AbortSignal;
}

/** Whether something is there; `hidden` when the credential may not look. */
type Existence = 'there' | 'absent' | { readonly hidden: string };

async function inspect(
  inspection: Inspection,
  runners: readonly RunnerToCheck<GcpRunner>[],
): Promise<readonly OnlineFinding[]> {
  const first = await checkCredential(inspection);
  if (first.some(({ severity }) => severity === 'error')) return first;
  const hidden = new Set<string>();
  const checks = [checkZones, checkNetworks].map((check) => check(inspection, hidden));
  const ofRunners = runners.map((runner) => checkRunner(inspection, runner, hidden));
  const findings = await Promise.all([...checks, ...ofRunners]);
  return [...first, ...findings.flat(), ...notAllowed(hidden)];
}

/** The listing every pass begins with shows whether the credential works; the answer carries Google's time. */
async function checkCredential({ gce, settings, signal }: Inspection): Promise<readonly OnlineFinding[]> {
  const filter = gcpLabelFilter({ [LABEL.managed]: 'true' });
  for (const zone of settings.zones) {
    try {
      const { clockOffsetMs = 0 } = await gce.listInstances(zone, { filter }, signal);
      return Math.abs(clockOffsetMs) < BAD_CLOCK_MS ? [] : [badClock(clockOffsetMs)];
    } catch (error) {
      const finding = refusedListing(error, settings);
      if (finding !== undefined) return [finding];
    }
  }
  return []; // no zone is there, which is said of each
}

/** What a refused listing says of the entry; nothing when it says only that the zone is not there. */
function refusedListing(error: unknown, { project }: GcpSettings): OnlineFinding | undefined {
  if (!(error instanceof GceError)) throw error;
  if (error.code === 'NoCredentials' || error.status === 401) {
    const hint = 'see which credential is taken: credentials_file, or Application Default Credentials';
    return { severity: 'error', message: `has no credential that works: ${error.reason}`, hint };
  }
  if (error.status === 404) {
    const message = `names a project that does not exist, or that the credential may not see: ${quoted(project)}`;
    return { severity: 'error', key: 'project', message };
  }
  if (error.status === 403) {
    const message = `has a credential that may not list instances: ${error.reason}`;
    return { severity: 'error', message, hint: 'give it the roles that docs/providers/gcp.md lists' };
  }
  if (error.refusal === 'invalid') return undefined;
  throw toRungarError(error, 'listing instances');
}

function badClock(offsetMs: number): OnlineFinding {
  const off = roundedDuration(Math.abs(offsetMs));
  return {
    severity: 'warning',
    message: `answers with another time: this host's clock is ${off} ${offsetMs < 0 ? 'ahead of' : 'behind'} Google's`,
    hint: 'let the host keep its clock by NTP',
  };
}

/** One warning for all that could not be looked at: creating needs none of these calls. */
function notAllowed(hidden: ReadonlySet<string>): readonly OnlineFinding[] {
  if (hidden.size === 0) return [];
  const message = `could not be checked as a whole: the credential lacks ${[...hidden].sort().join(', ')}`;
  return [
    { severity: 'warning', message, hint: 'these are for this check only; the daemon does without most of them' },
  ];
}

async function checkZones({ gce, settings, signal }: Inspection, hidden: Set<string>): Promise<OnlineFinding[]> {
  const states = await Promise.all(
    settings.zones.map((zone) => existence('compute.zones.get', gce.getZone(zone, signal))),
  );
  return settings.zones.flatMap((zone, index) => {
    if (!isAbsent(states[index], hidden)) return [];
    return {
      severity: 'error' as const,
      key: `zones.${index}`,
      message: `names a zone that does not exist: ${quoted(zone)}`,
    };
  });
}

async function checkNetworks({ gce, settings, signal }: Inspection, hidden: Set<string>): Promise<OnlineFinding[]> {
  const { project, network, subnetwork, zones } = settings;
  const findings: OnlineFinding[] = [];
  const [, networkProject = project, networkName] =
    /^(?:.*projects\/([^/]+)\/)?global\/networks\/([^/]+)$/.exec(pathOf(network ?? '', 'global/networks/')) ?? [];
  if (network !== undefined && networkName !== undefined) {
    const state = await existence('compute.networks.get', gce.getNetwork(networkProject, networkName, signal));
    if (isAbsent(state, hidden)) {
      findings.push({
        severity: 'error',
        key: 'network',
        message: `names a network that does not exist: ${quoted(network)}`,
      });
    }
  }
  const prefix = `regions/${regionOf(zones[0] ?? '')}/subnetworks/`;
  const [, subnetProject = project, region, subnetName] =
    /^(?:.*projects\/([^/]+)\/)?regions\/([^/]+)\/subnetworks\/([^/]+)$/.exec(pathOf(subnetwork ?? '', prefix)) ?? [];
  if (subnetwork !== undefined && region !== undefined && subnetName !== undefined) {
    const asked = gce.getSubnetwork(subnetProject, region, subnetName, signal);
    if (isAbsent(await existence('compute.subnetworks.get', asked), hidden)) {
      const message = `names a subnetwork that does not exist: ${quoted(subnetwork)}`;
      findings.push({ severity: 'error', key: 'subnetwork', message });
    }
  }
  return findings;
}

async function checkRunner(
  inspection: Inspection,
  { scaleSet, spec }: RunnerToCheck<GcpRunner>,
  hidden: Set<string>,
): Promise<OnlineFinding[]> {
  const { gce, settings, signal } = inspection;
  const findings: OnlineFinding[] = [];
  const error = (key: string, message: string): void =>
    void findings.push({ severity: 'error', scaleSet, key, message });
  if (spec.image !== '') {
    const image = imagePath(spec.image, settings.project).replace(/^https:\/\/[^/]+\/compute\/v1\//, '');
    const state = await existence('compute.images.get', gce.getImage(image, signal));
    if (isAbsent(state, hidden)) error('image', `names an image that does not exist: ${quoted(spec.image)}`);
  }
  const template = parseTemplate(spec.instanceTemplate, settings.project);
  if (template !== undefined) {
    const state = await existence('compute.instanceTemplates.get', gce.getTemplate(template, signal));
    if (isAbsent(state, hidden)) {
      error('instance_template', `names an instance template that does not exist: ${quoted(spec.instanceTemplate)}`);
    }
  }
  return [...findings, ...(await checkTypes(inspection, scaleSet, spec, hidden))];
}

/** A type that some zone lacks is passed over there; one that none has is never of use. */
async function checkTypes(
  { gce, settings: { zones }, signal }: Inspection,
  scaleSet: string,
  { machineTypes }: GcpRunner,
  hidden: Set<string>,
): Promise<OnlineFinding[]> {
  const lacking = await Promise.all(
    machineTypes.map(async (type) => {
      const asked = zones.map((zone) => existence('compute.machineTypes.get', gce.getMachineType(zone, type, signal)));
      const states = await Promise.all(asked);
      return states.every((state) => isAbsent(state, hidden)) ? [type] : [];
    }),
  );
  const missing = lacking.flat();
  const severity = missing.length === machineTypes.length ? 'error' : 'warning';
  return missing.map((type) => ({
    severity,
    scaleSet,
    key: 'machine_type',
    message: `names a machine type that none of the zones has (${zones.join(', ')}): ${quoted(type)}`,
  }));
}

/** @param permission that asking needs */
async function existence(permission: string, asked: Promise<unknown>): Promise<Existence> {
  try {
    await asked;
    return 'there';
  } catch (error) {
    if (isNotFound(error)) return 'absent';
    if (!(error instanceof GceError)) throw error;
    if (error.status === 403 && error.refusal !== 'throttled') return { hidden: permission };
    if (error.refusal === 'invalid') return 'absent';
    throw new RungarError('unavailable', `Compute Engine did not say what it has: ${error.reason}`, { cause: error });
  }
}

function isAbsent(state: Existence | undefined, hidden: Set<string>): boolean {
  if (typeof state === 'object') hidden.add(state.hidden);
  return state === 'absent';
}
