import { exactSize } from '@rungar/model';
import type { ProxmoxRunner } from './settings.js';

/** A runner block with its defaults, in the words of the configuration. */
export function effectiveProxmoxRunner(runner: ProxmoxRunner): Record<string, unknown> {
  return {
    template: runner.template,
    cores: runner.cores,
    memory: exactSize(runner.memory),
    full_clone: runner.fullClone,
    storage: runner.storage || undefined,
    pool: runner.pool || undefined,
    jit_path: runner.jitPath,
  };
}
