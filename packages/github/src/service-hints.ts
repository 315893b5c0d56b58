/** What helps against the Actions service's own kinds of refusal, by a part of their long names. */
const HINTS: readonly (readonly [kind: string, hint: string])[] = [
  [
    'SessionConflict',
    'Another listener holds the session: it is free when that one stops, or some minutes after it was killed.',
  ],
  [
    'RunnerScaleSetNotFound',
    'It was deleted, or GitHub removed it after a week without a listener: look it up by its name, and create it again.',
  ],
  ['RunnerScaleSetExists', 'Look it up by its name and runner group, or choose another name.'],
  ['RunnerGroupNotFound', "Create the runner group in GitHub's settings under Actions, Runner groups."],
  ['AgentExists', 'Use another name, or remove the registration of that name first.'],
  ['AgentNotFound', 'Its registration is gone already: there is nothing left to do.'],
  ['JobStillRunning', 'It stays until its job has ended; cancel the job on GitHub to end it before.'],
];

const REFUSED_TOKEN_HINT =
  'GitHub refused a token that it had just given out: try again, and check that the credential still works.';

/** How to cure a refusal of the Actions service or of a message queue; nothing where nobody knows. */
export function hintForService(status: number, typeName: string): string | undefined {
  const known = HINTS.find(([kind]) => typeName.includes(kind))?.[1];
  return known ?? (status === 401 ? REFUSED_TOKEN_HINT : undefined);
}
