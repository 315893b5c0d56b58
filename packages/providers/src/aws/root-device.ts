import { RungarError } from '@rungar/model';
import type { Ec2 } from './client.js';
import { Ec2Error } from './errors.js';

/**
 * The name of an AMI's root device, which a request must name to set its volume.
 * @throws RungarError `invalid_argument` when there is no such image or it has no root device; else an {@link Ec2Error}
 */
export async function findRootDevice(ec2: Ec2, image: string, signal: AbortSignal): Promise<string> {
  const images = await ec2.describeImages({ ImageIds: [image] }, signal).catch((error: unknown) => {
    if (!(error instanceof Ec2Error) || error.refusal !== 'invalid') throw error;
    throw new RungarError('invalid_argument', `image ${image}: ${error.reason}`, { cause: error });
  });
  const [found] = images;
  if (!found) throw new RungarError('invalid_argument', `there is no image ${image} in this account and region`);
  if (!found.RootDeviceName)
    throw new RungarError('invalid_argument', `image ${image} has no root device to set a disk on`);
  return found.RootDeviceName;
}
