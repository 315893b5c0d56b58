import type { MessageInitShape } from '@bufbuild/protobuf';
import { type CreateInstanceRequestSchema, MountType, PullPolicy, RestartMode } from '@rungar/dicer-api';
import { toDicerLabels } from '@rungar/labels';
import type { Machine, MachineRequest, Redactor } from '@rungar/model';
import type { Outstanding } from '../shared/outstanding.js';
import type { Dicer } from './client.js';
import { DicerError, takenBy, toRungarError } from './errors.js';
import type { Images } from './images.js';
import { toMachine } from './machine.js';
import type { DicerMount, DicerRunner } from './settings.js';

/** What creating a machine needs, shared by all creations of one provider. */
export interface CreateTools {
  readonly dicer: Dicer;
  readonly images: Images;
  readonly redactor: Redactor;
  readonly outstanding: Outstanding;
}

/** Where GitHub's runner looks for its registration. */
const REGISTRATION = 'ACTIONS_RUNNER_INPUT_JITCONFIG';
/** The runner refuses to run as root without it, and a guest's command runs as root. */
const ALLOW_ROOT = 'RUNNER_ALLOW_RUNASROOT';

/**
 * Makes and starts one machine. Nothing is repeated here: a name can be given once, so a creation whose answer was lost
 * is found by it.
 * @throws RungarError with the daemon's words; the signal's reason when it aborts
 */
export async function createMachine(
  { dicer, images, redactor, outstanding }: CreateTools,
  request: MachineRequest<DicerRunner>,
  signal: AbortSignal,
): Promise<Machine> {
  const jitConfig = request.jitConfig.reveal();
  // The daemon may repeat in an error what it was sent.
  const release = redactor.hold(jitConfig);
  try {
    await images.provide(request.spec.image, signal);
    signal.throwIfAborted();
    const send = () => dicer.createInstance(toInstanceRequest(request, jitConfig), signal);
    const instance = await outstanding.asking(request.name, send, takenBy)();
    outstanding.answered(request.name);
    return toMachine(instance);
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof DicerError)) throw error;
    if (error.refusal !== 'uncertain') throw toRungarError(error);
    throw toRungarError(
      new DicerError(error.code, `${error.message} (the outcome is unknown)`, 'uncertain', error.hint),
    );
  } finally {
    release();
  }
}

/** What a creation asks for. What is left out is the host's own choice. */
function toInstanceRequest(
  { name, labels, spec }: MachineRequest<DicerRunner>,
  jitConfig: string,
): MessageInitShape<typeof CreateInstanceRequestSchema> {
  return {
    name,
    imageRef: spec.image,
    vcpus: spec.vcpus,
    memoryBytes: spec.memory,
    diskBytes: spec.disk,
    kernelName: spec.kernel,
    networkName: spec.network,
    mounts: (spec.mounts ?? []).map(toMount),
    env: { [ALLOW_ROOT]: '1', ...Object.fromEntries(spec.env ?? []), [REGISTRATION]: jitConfig },
    cmd: [...spec.command],
    labels: toDicerLabels(labels),
    restartPolicy: { mode: RestartMode.NO },
    removeOnExit: true,
    // The image is there by now. A creation takes no longer than defining and booting.
    pullPolicy: PullPolicy.NEVER,
    start: true,
  };
}

const MOUNT_TYPES: Readonly<Record<DicerMount['type'], MountType>> = {
  volume: MountType.VOLUME,
  file: MountType.FILE,
  tmpfs: MountType.TMPFS,
};

function toMount({ type, source, target, readOnly }: DicerMount) {
  return { type: MOUNT_TYPES[type], source, target, readOnly };
}
