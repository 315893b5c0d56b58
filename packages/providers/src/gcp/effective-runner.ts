import type { GcpRunner } from './settings.js';

const GIB = 1024n ** 3n;

/** A runner block with its defaults, in the words of the configuration; what is left to the template is left out. */
export function effectiveGcpRunner(runner: GcpRunner): Record<string, unknown> {
  const [first, ...others] = runner.machineTypes;
  return {
    machine_type: others.length === 0 ? first : runner.machineTypes,
    image: runner.image || undefined,
    disk_size: runner.diskSize > 0n ? `${runner.diskSize / GIB}GiB` : undefined,
    disk_type: runner.diskType || undefined,
    instance_template: runner.instanceTemplate || undefined,
    spot: runner.spot,
    network_tags: runner.networkTags,
    labels: runner.labels,
    metadata: runner.metadata,
    startup_script: runner.startupScript,
  };
}
