import type { GitHubClient } from '@rungar/github';
import type { ScaleSetRecord } from '@rungar/model';

const notAsked = (): never => {
  throw new Error('GitHub was not to be asked this');
};

/** A GitHub that only knows scale sets by name. */
export function fakeGitHub(find: (name: string, group: string) => ScaleSetRecord | undefined): GitHubClient {
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
    runnerVersionLife: notAsked,
    useCredentials() {},
    standing: () => ({}),
    close: async () => {},
  };
}
