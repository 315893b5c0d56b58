/** A text of a source file of the reconciler, and what stands there instead. */
export interface Patch {
  /** Below packages/reconciler/src. */
  readonly file: string;
  /** Must be there exactly once. */
  readonly from: string;
  readonly to: string;
}

/** A deliberate fault. */
export interface Mutant {
  readonly name: string;
  readonly patches: readonly Patch[];
}

const mutant = (name: string, ...patches: readonly (readonly [file: string, from: string, to: string])[]): Mutant => ({
  name,
  patches: patches.map(([file, from, to]) => ({ file, from, to })),
});

/** The faults one would fear most. Each has to be caught by the simulation. */
export const mutants: readonly Mutant[] = [
  mutant('a machine is asked for before its runner is registered', [
    'act/create-runner.ts',
    'const registration = await this.#register();',
    "const registration = { runnerId: 1, runnerName: this.#creation.name, jitConfig: { reveal: () => '' } } as unknown as JitRegistration;",
  ]),
  mutant('a machine of unknown outcome goes before its registration', [
    'act/create-runner.ts',
    "if (!certain && (await this.#giveUpRegistration(error)) === 'busy') return 'done';",
    '',
  ]),
  mutant("GitHub's refusal to remove a busy runner is taken for a removal", [
    'act/registration.ts',
    "isRungarError(error, 'busy') ? { kind: 'busy' }",
    "isRungarError(error, 'busy') ? { kind: 'gone' }",
  ]),
  mutant('every removal is forced', ['decide/removal.ts', 'force: more.force ?? false', 'force: true']),
  mutant('no removal is forced', [
    'act/remove-runner.ts',
    "if (end.kind !== 'gone' && !order.force) return keep(",
    "if (end.kind !== 'gone') return keep(",
  ]),
  mutant('a machine of unknown state counts as ended', [
    'decide/unknown-state.ts',
    "if (states.every((state) => state === 'stopped')) return",
    "if (states.every((state) => state !== 'running')) return",
  ]),
  mutant("another installation's machines are ours", [
    'act/observe.ts',
    "if (labels[LABEL.managed] !== 'true' || labels[LABEL.installation] !== ours) {",
    "if (labels[LABEL.managed] !== 'true') {",
  ]),
  mutant('a machine with copied labels is adopted', [
    'act/observe.ts',
    'if (machine.labels[LABEL.runner] === machine.name) return true;',
    'if (machine.name) return true;',
  ]),
  mutant('a look-up that fails means that there is no registration', [
    'act/pass.ts',
    "set.log.debug('GitHub did not look a runner up', { runner: name, error });",
    'found.set(name, { at });',
  ]),
  mutant('what is being created does not count towards max_runners', [
    'act/scale-set.ts',
    'return this.book.runners.size + this.wantedCreations;',
    'return this.book.runners.size;',
  ]),
  mutant("a provider's max_runners is one more", [
    'decide/placement.ts',
    'provider.taken >= provider.maxRunners',
    'provider.taken > provider.maxRunners',
  ]),
  mutant('a silent provider is written off at once', [
    'decide/facts.ts',
    'export const WRITE_OFF_MS = 5 * MINUTE;',
    'export const WRITE_OFF_MS = 0;',
  ]),
  mutant('one listing without a machine proves its end', [
    'decide/suspects.ts',
    'if (begunAt - since >= SECOND_LISTING_MS) {',
    'if (begunAt - since >= 0) {',
  ]),
  mutant('the end of the session ends nothing', ['act/session.ts', '  set.serving = false;\n  set.epoch++;\n', '']),
  mutant('a scale set acts whether or not it serves', [
    'act/scale-set.ts',
    'return this.serving && this.proven;',
    'return this.proven;',
  ]),
  mutant('deletions wait for their turn beyond the session', [
    'act/settle.ts',
    'await fleet.delete(place.provider, ref, set.selector, until);',
    'await fleet.delete(place.provider, ref, set.selector);',
  ]),
  mutant(
    'busy runners are given back too',
    ['decide/scale-down.ts', "if (runner.state !== 'busy' && !runner.removing && ", 'if (!runner.removing && '],
    ['act/remove-runner.ts', "if (order.reason !== 'job_completed') return Promise.resolve('busy');", ''],
  ),
  mutant('an orphan goes at first sight', [
    'decide/orphans.ts',
    'if (statuses.begunAt - since <= question.startTimeoutMs) continue;',
    '',
  ]),
  mutant('whoever is offline for a moment is disconnected', [
    'decide/removal.ts',
    'return answer.at - runner.offlineSince > startTimeoutMs;',
    'return answer.at - runner.offlineSince > 0;',
  ]),
  mutant('who has just left may be adopted at once', [
    'decide/facts.ts',
    'export const LEFT_GRACE_MS = 60_000;',
    'export const LEFT_GRACE_MS = 0;',
  ]),
  mutant(
    'a name being created may be adopted',
    ['decide/adoption.ts', ' || memory.creating.has(name)', ''],
    [
      'act/carry-out.ts',
      '  if (isKnown(set, name)) return;\n  set.writtenOff.delete(name);\n  set.book.left.delete(name);',
      '  set.writtenOff.delete(name);\n  set.book.left.delete(name);',
    ],
  ),
  mutant('a deletion that fails is forgotten', [
    'act/settle.ts',
    'if (failed && !until.aborted) noteFailure(set, leaving, failed.reason);',
    'if (failed && !until.aborted) leaving.deleted = true;',
  ]),
  mutant('a session is not given back', [
    'act/session.ts',
    '    set.forget();\n    await closeSession(session, set.log);\n',
    '    set.forget();\n',
  ]),
  mutant('what a failed creation may have left is forgotten', [
    'act/create-runner.ts',
    'await fleet.delete(provider, { name }, set.selector, set.sessionSignal);',
    '',
  ]),
  mutant('a provider that has refused once is never asked again', [
    'decide/backoff.ts',
    'backoff !== undefined && now < backoff.skipUntil',
    'backoff !== undefined && now < backoff.skipUntil + 1e9',
  ]),
];
