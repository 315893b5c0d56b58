import type { Clock, Random } from '@rungar/model';
import type { ListedVm } from './resources.js';
import type { VmConfig } from './vm-config.js';

/** What VMs' configurations said, for as long as nothing shows that they may have changed. */
export interface ConfigMemory {
  get(vm: ListedVm): VmConfig | undefined;
  put(vm: ListedVm, config: VmConfig): void;
  forget(vmid: number): void;
  /** Forgets every VM that is not among these. */
  keepOnly(vmids: ReadonlySet<number>): void;
}

/** How long a configuration is believed at most. Each is read again some time in the second half of it. */
const BELIEVED_MS = 10 * 60_000;

/** What a listing shows of a VM that changes when its labels do: all five of them have a tag. */
type Appearance = Pick<ListedVm, 'name' | 'tags' | 'lock'>;

interface Remembered extends Appearance {
  readonly config: VmConfig;
  readonly until: number;
}

export function rememberConfigs(clock: Clock, random: Random): ConfigMemory {
  const configs = new Map<number, Remembered>();
  return {
    get(vm) {
      const known = configs.get(vm.vmid);
      return known && known.until > clock.now() && looksLike(vm, known) ? known.config : undefined;
    },
    put({ vmid, name, tags, lock }, config) {
      const until = clock.now() + BELIEVED_MS * (0.5 + 0.5 * random.fraction());
      configs.set(vmid, { name, tags, lock, config, until });
    },
    forget: (vmid) => void configs.delete(vmid),
    keepOnly(vmids) {
      for (const vmid of configs.keys()) if (!vmids.has(vmid)) configs.delete(vmid);
    },
  };
}

function looksLike(vm: Appearance, known: Appearance): boolean {
  return vm.name === known.name && vm.tags === known.tags && vm.lock === known.lock;
}
