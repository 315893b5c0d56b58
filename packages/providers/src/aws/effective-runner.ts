import { exactSize } from '@rungar/model';
import type { AwsRunner } from './settings.js';

/** A runner block with its defaults, in the words of the configuration; what is left to the launch template is left out. */
export function effectiveAwsRunner(runner: AwsRunner): Record<string, unknown> {
  const [first, ...others] = runner.instanceTypes;
  return {
    instance_type: others.length === 0 ? first : runner.instanceTypes,
    image: runner.image || undefined,
    disk_size: runner.diskSize > 0n ? exactSize(runner.diskSize) : undefined,
    disk_type: runner.diskType || undefined,
    disk_iops: runner.diskIops || undefined,
    disk_throughput: runner.diskThroughput || undefined,
    launch_template: runner.launchTemplate || undefined,
    spot: runner.spot,
    tags: runner.tags,
    user_data: runner.userData,
  };
}
