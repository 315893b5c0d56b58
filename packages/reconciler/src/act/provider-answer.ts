import { type Machine, type MachineListing, type MachineState, RungarError } from '@rungar/model';

/** Compared one by one: every machine of every listing comes through here, and most are running. */
const isState = (state: MachineState): boolean =>
  state === 'running' || state === 'starting' || state === 'stopped' || state === 'unknown';

/** @throws RungarError `unavailable` when it is no listing: the provider has not answered then */
export function listingOf(provider: string, answer: MachineListing | undefined): MachineListing {
  if (Array.isArray(answer?.parts)) return answer;
  throw new RungarError('unavailable', `${provider} answered a listing without its parts`);
}

/** A machine as a provider may list it: a state that is none of ours says nothing of it, and nothing is done to it. */
export const withKnownState = (machine: Machine): Machine =>
  isState(machine.state) ? machine : { ...machine, state: 'unknown' };

/** @throws RungarError `unavailable` when what a provider has made is not what it was asked for */
export function madeBy(provider: string, name: string, answer: Machine | undefined): Machine {
  if (answer?.name === name) return answer;
  throw new RungarError('unavailable', `${provider} answered without a machine of the name ${name}`);
}
