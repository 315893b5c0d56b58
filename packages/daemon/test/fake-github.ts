import type { ScaleSetRecord, ScaleSetService } from '@rungar/model';

const notAsked = (): never => {
  throw new Error('GitHub was not to be asked this');
};

/** A GitHub that only knows scale sets by name. */
export function fakeGitHub(find: (name: string, group: string) => ScaleSetRecord | undefined): ScaleSetService {
  return {
    findScaleSet: async (name, group) => find(name, group),
    createScaleSet: notAsked,
    deleteScaleSet: notAsked,
    openSession: notAsked,
    refusalOf: () => 'refused',
    createJitConfig: notAsked,
    findRunner: notAsked,
    removeRunner: notAsked,
    runnerStatuses: notAsked,
    close: async () => {},
  };
}
