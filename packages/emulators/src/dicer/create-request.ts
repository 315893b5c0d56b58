import { Code } from '@connectrpc/connect';
import { type CreateInstanceRequest, HypervisorType, type Mount, MountType, RestartMode } from '@rungar/dicer-api';
import { refused } from './refusals.js';

/** A DNS name: what an instance's name becomes in its guest. */
const NAME =
  /^(?=.{1,253}$)[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?)*$/;

/**
 * Checks what can be told of a request without the host, and that it asks for nothing this emulator does not do.
 * @throws ConnectError
 */
export function checkCreateRequest(request: CreateInstanceRequest): void {
  const { name, imageRef, vcpus, memoryBytes, diskBytes, mounts } = request;
  const wrong = (text: string) => refused(Code.InvalidArgument, text);
  if (!NAME.test(name)) throw wrong(`invalid name ${JSON.stringify(name)}`);
  if (imageRef === '') throw wrong('image_ref is required');
  if (vcpus < 1) throw wrong('vcpus must be at least 1');
  if (memoryBytes < 1n) throw wrong('memory_bytes is required');
  if (diskBytes < 1n) throw wrong('disk_bytes is required');
  for (const mount of mounts) checkMount(mount);
  const unread = unreadIn(request);
  if (unread !== undefined) throw refused(Code.Unimplemented, `the emulator does not do ${unread}`);
}

function checkMount({ type, source, target }: Mount): void {
  const wrong = (text: string) => refused(Code.InvalidArgument, `mount of ${target}: ${text}`);
  if (!target.startsWith('/')) throw wrong('target must be an absolute path');
  switch (type) {
    case MountType.UNSPECIFIED:
      throw wrong('type is required');
    case MountType.VOLUME:
      if (source === '') throw wrong('source is required');
      return;
    case MountType.FILE:
      if (!source.startsWith('/')) throw wrong('source must be an absolute path');
      return;
    case MountType.TMPFS:
      if (source !== '') throw wrong('a tmpfs has no source');
  }
}

/** The first thing a request asks for that the emulator would pass over. */
function unreadIn(request: CreateInstanceRequest): string | undefined {
  const mode = request.restartPolicy?.mode ?? RestartMode.UNSPECIFIED;
  if (mode !== RestartMode.UNSPECIFIED && mode !== RestartMode.NO) return 'restarts';
  if (request.hypervisorType === HypervisorType.FIRECRACKER || request.hypervisorVersion !== '') return 'hypervisors';
  if (request.kernelArgs !== '') return 'kernel arguments';
  if (request.staticIp !== '') return 'static addresses';
  if (request.ports.length > 0) return 'ports';
  return request.healthCheck ? 'health checks' : undefined;
}
