import type { GetResourcesResponse } from '@rungar/dicer-api';
import { formatSize, type OnlineFinding, type ProviderContext, type RunnerToCheck } from '@rungar/model';
import { type Dicer, openDicerClient } from './client.js';
import { unlessAbsent } from './delete.js';
import { DicerError } from './errors.js';
import type { DicerRunner, DicerSettings } from './settings.js';

const OLDEST_VERSION = [0, 3, 0] as const;

/**
 * Asks a daemon, changing nothing, whether it lets us in and is new enough, whether its host is large enough for the
 * runners, and whether their images are there.
 * @throws the signal's reason when it aborts
 */
export async function checkDicer(
  settings: DicerSettings,
  runners: readonly RunnerToCheck<DicerRunner>[],
  context: ProviderContext,
  signal: AbortSignal,
): Promise<readonly OnlineFinding[]> {
  const dicer = await openDicerClient(settings, context);
  try {
    const { version } = await dicer.getHostInfo(signal);
    const [resources, ...ofImages] = await Promise.all([
      unlessUnsupported(dicer.getResources(signal)),
      ...runners.map((runner) => checkImage(dicer, runner, signal)),
    ]);
    return [...checkVersion(version), ...runners.flatMap((runner) => checkSize(runner, resources)), ...ofImages.flat()];
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof DicerError)) throw error;
    return [unusable(error)];
  } finally {
    dicer.close();
  }
}

function unusable({ refusal, message, hint }: DicerError): OnlineFinding {
  return {
    severity: 'error',
    key: refusal === 'misconfigured' ? 'tls' : 'address',
    message: `cannot be used: ${message}`,
    ...(hint !== undefined && { hint }),
  };
}

/** A version that is none, such as one of a build of somebody's own, is taken for new enough. */
function checkVersion(version: string): OnlineFinding[] {
  const numbers = /^v?(\d+)\.(\d+)\.(\d+)/.exec(version)?.slice(1).map(Number);
  const different = OLDEST_VERSION.findIndex((number, at) => numbers !== undefined && numbers[at] !== number);
  if (numbers === undefined || different === -1) return [];
  if ((numbers[different] ?? 0) > (OLDEST_VERSION[different] ?? 0)) return [];
  const message = `is a Dicer daemon of version ${version}, which is too old`;
  return [{ severity: 'error', key: 'address', message, hint: `Install dicerd ${OLDEST_VERSION.join('.')} or newer` }];
}

/** What no machine of that size could ever have on this host. */
function checkSize(
  { scaleSet, spec }: RunnerToCheck<DicerRunner>,
  has: GetResourcesResponse | undefined,
): OnlineFinding[] {
  const findings: OnlineFinding[] = [];
  const wrong = (key: string, message: string): void =>
    void findings.push({ severity: 'error', scaleSet, key, message });
  const { cpu, memory, disk } = has ?? {};
  if (cpu && BigInt(spec.vcpus) > cpu.allocatable) {
    wrong('vcpus', `asks for ${spec.vcpus}, and the host gives at most ${cpu.allocatable}`);
  }
  if (memory && spec.memory > memory.allocatable) {
    wrong(
      'memory',
      `asks for ${formatSize(spec.memory)}, and the host gives at most ${formatSize(memory.allocatable)}`,
    );
  }
  if (disk && spec.disk > disk.totalBytes) {
    wrong('disk', `asks for ${formatSize(spec.disk)}, and the host has ${formatSize(disk.totalBytes)}`);
  }
  return findings;
}

async function checkImage(
  dicer: Dicer,
  { scaleSet, spec }: RunnerToCheck<DicerRunner>,
  signal: AbortSignal,
): Promise<OnlineFinding[]> {
  const isThere = await unlessAbsent(dicer.getImage(spec.image, signal).then(() => true));
  if (isThere) return [];
  return [
    {
      severity: 'warning',
      scaleSet,
      key: 'image',
      message: `names an image that the host does not have yet: "${spec.image}"`,
      hint: 'It is pulled for the first runner, which waits for it; pull it on the host to be sure that it is there',
    },
  ];
}

async function unlessUnsupported<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof DicerError && error.refusal === 'unsupported') return undefined;
    throw error;
  }
}
