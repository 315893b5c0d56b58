/** The fixed words of a proof, as a person reads them (docs/concepts/reconciling.md). */
const PROOF_WORDS: Readonly<Record<string, string>> = {
  machine_ended: 'its provider lists the machine as ended',
  machine_not_listed: 'a listing lacks its machine',
  machine_not_listed_again: 'a later listing lacks it too',
  machine_state_unknown_5m: 'its provider could not say for 5 minutes what it does',
  provider_silent_5m: 'its provider has not answered for 5 minutes',
  not_registered: 'GitHub, asked later, has no such registration',
  not_listed: "GitHub's listing lacks it",
  not_found_by_name: 'GitHub does not find it by name',
  found_by_name: 'GitHub finds it by name, for this scale set',
  offline: 'GitHub showed it not connected',
  offline_after_limit: 'GitHub showed it not connected again after start_timeout',
  offline_without_machine: 'GitHub showed it not connected while no machine was listed',
  older_than_max_age: 'it is older than max_age',
  older_than_max_idle_age: 'it is older than max_idle_age',
  other_revision: 'its revision is not the current one',
  replacement_connected: 'the runner that replaces it has connected',
  job_message: 'GitHub told that its job is done',
  not_wanted: 'there were more runners than wanted',
  asked_for: 'somebody asked for it',
};

/** The facts that allowed a removal, in words; a word that is not known stays as it is. */
export function proofInWords(proof: readonly string[]): string {
  return proof.map((word) => PROOF_WORDS[word] ?? word.replaceAll('_', ' ')).join('; ');
}
