/** The facts that a removal can rest on: the fixed words by which its event names them, and what each says. */
export const PROOF_FACTS = {
  job_message: 'GitHub told that its job is done',
  not_wanted: 'there were more runners than wanted',
  asked_for: 'somebody asked for it',
  registration_removed: 'GitHub has removed its registration, or has none of it: it gets no job any more',
  offline: 'GitHub showed it not connected',
  offline_after_limit: 'GitHub showed it not connected again after start_timeout',
  not_listed: "GitHub's listing lacks it",
  not_found_by_name: 'GitHub does not find it by name',
  other_revision: 'its revision is not the current one',
  older_than_max_age: 'it is older than max_age',
  older_than_max_idle_age: 'it is older than max_idle_age',
  replacement_connected: 'the runner that replaces it has connected',
  machine_ended: 'its provider lists the machine as ended',
  machine_not_listed: 'a listing lacks its machine',
  machine_not_listed_again: 'a later listing lacks it too',
  not_registered: 'GitHub, asked later, has no such registration',
  still_registered: 'GitHub still had its registration after start_timeout',
  provider_silent_5m: 'its provider has not answered for 5 minutes',
  machine_state_unknown_5m: 'its provider could not say for 5 minutes what its machine does',
  offline_without_machine: 'GitHub showed it not connected while no machine was listed',
  found_by_name: 'GitHub finds it by name, for this scale set',
} as const satisfies Record<string, string>;

/** A fact that an ending can rest on: a key of `PROOF_FACTS`. */
export type ProofFact = keyof typeof PROOF_FACTS;

/** Facts in the order they came to be known. */
export type Proof = readonly ProofFact[];

/** Both, each fact once. */
export const joined = (first: Proof, second: Proof): Proof => [...new Set([...first, ...second])];
