import { RungarError } from '@rungar/model';

const MOST = 4;

/**
 * A provider of one's own: machines that stand in the cellar of this program, at most four. `boot` is whatever starts
 * the Actions runner on a machine with the registration it is given. docs/guides/adding-a-provider.md has the whole
 * contract.
 *
 * @typedef {{ isOver(): boolean, end(): void }} Booted a machine ends by itself when its runner has had its one job
 * @param {(jitConfig: import('@rungar/model').Secret) => Booted} boot
 * @returns {import('@rungar/model').OpenProvider<{ cores: number }>}
 */
export function cellar(boot) {
  /** @type {Map<string, { machine: import('@rungar/model').Machine, booted: Booted }>} */
  const standing = new Map();
  /** @type {(machine: import('@rungar/model').Machine, selector: import('@rungar/model').Labels) => boolean} */
  const carries = ({ labels }, selector) => Object.entries(selector).every(([key, value]) => labels[key] === value);

  return {
    async list(selector) {
      const machines = [...standing.values()]
        .filter(({ machine }) => carries(machine, selector))
        .map(({ machine, booted }) =>
          booted.isOver() ? { ...machine, state: /** @type {const} */ ('stopped') } : machine,
        );
      return { parts: [{ part: 'cellar', begunAt: performance.timeOrigin + performance.now(), machines }] };
    },

    async create({ name, labels, jitConfig, spec }) {
      if (standing.size >= MOST) throw new RungarError('no_capacity', `the cellar holds ${MOST} machines`);
      /** @type {import('@rungar/model').Machine} */
      const machine = { name, id: name, labels, state: 'running', size: `${spec.cores} cores` };
      standing.set(name, { machine, booted: boot(jitConfig) });
      return machine;
    },

    async delete({ name }, selector) {
      const place = standing.get(name);
      if (!place) return 'absent';
      if (!carries(place.machine, selector)) return 'stranger';
      place.booted.end();
      standing.delete(name);
      return 'deleted';
    },

    async close() {
      for (const { booted } of standing.values()) booted.end();
    },
  };
}
