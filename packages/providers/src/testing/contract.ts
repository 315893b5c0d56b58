import {
  createRedactor,
  isRungarError,
  type Labels,
  type MachineRequest,
  type OpenProvider,
  Secret,
} from '@rungar/model';
import type { Fault, Harness, Limits, Need, OpenOptions, TestFunctions } from './harness.js';
import { recordingLogger, textOf } from './seen-text.js';

/** The provider that the contract is tested on. */
export interface ContractOptions<Spec> {
  /** The provider's type, for the tests' names. */
  readonly type: string;
  /** A fresh backend for each test. */
  start(): Promise<Harness<Spec>>;
  readonly limits?: Limits;
}

const INSTALLATION = { 'rungar.sh/managed': 'true', 'rungar.sh/installation': 'gh-4e3651f01be5' };
const REGISTRATION = `eyJ${'registration-good-once/+'.repeat(40)}==`;
const PATIENT_MS = 20_000;
const IMPATIENT_MS = 300;

const labelsOf = (name: string, more: Labels = {}): Labels => ({
  ...INSTALLATION,
  'rungar.sh/scale-set': 'linux',
  'rungar.sh/runner': name,
  'rungar.sh/revision': 'a77297f56884',
  ...more,
});

const unending = (): { signal: AbortSignal } => ({ signal: new AbortController().signal });

/**
 * Defines the tests every provider must pass: docs/guides/adding-a-provider.md says what each asks for.
 * @param functions the test runner's own, for example vitest's `{ describe, test, expect }`
 */
export function providerContract<Spec>(functions: TestFunctions, options: ContractOptions<Spec>): void {
  const { describe, expect } = functions;
  const { limits = {} } = options;

  interface World {
    readonly harness: Harness<Spec>;
    /** What the provider is opened with. */
    readonly opened: OpenOptions;
    readonly provider: OpenProvider<Spec>;
    readonly logged: string[];
    request(name: string, labels?: Labels): MachineRequest<Spec>;
    names(): Promise<string[]>;
    listed(
      selector?: Labels,
    ): Promise<readonly { readonly name: string; readonly labels: Labels; readonly id: string }[]>;
  }

  const behaves = (
    name: string,
    needs: readonly Need[],
    run: (world: World) => Promise<void>,
    timeoutMs = PATIENT_MS,
  ): void => {
    const missing = needs.map((need) => limits[need]).find((reason) => reason !== undefined);
    if (missing !== undefined) {
      functions.test.skip(`${name} (${missing})`, async () => {});
      return;
    }
    functions.test(name, async () => {
      const harness = await options.start();
      const { logger, logged } = recordingLogger();
      try {
        const opened = { timeoutMs, redactor: createRedactor(), logger };
        const provider = await harness.open(opened);
        try {
          await run(worldOf(harness, opened, provider, logged));
        } finally {
          harness.backend.faults.clear();
          await provider.close();
        }
      } finally {
        await harness.close();
      }
    });
  };

  const worldOf = (
    harness: Harness<Spec>,
    opened: OpenOptions,
    provider: OpenProvider<Spec>,
    logged: string[],
  ): World => ({
    harness,
    opened,
    provider,
    logged,
    request: (name, labels = labelsOf(name)) => ({
      name,
      labels,
      jitConfig: new Secret(REGISTRATION),
      spec: harness.spec,
    }),
    names: async () => (await harness.backend.machines()).map((machine) => machine.name).sort(),
    async listed(selector = INSTALLATION) {
      const { parts } = await provider.list(selector, unending());
      expect(parts.flatMap((part) => part.error ?? [])).toEqual([]);
      return parts.flatMap((part) => part.machines);
    },
  });

  const codeOf = async (promise: Promise<unknown>): Promise<string> => {
    const error = await promise.then(
      () => undefined,
      (reason: unknown) => reason,
    );
    if (error === undefined) return 'no error';
    return isRungarError(error) ? error.code : `not one of ours: ${String(error)}`;
  };

  describe(`the ${options.type} provider`, () => {
    describe('creating', () => {
      behaves('answers with the machine, which is then listed with exactly its labels', [], async (world) => {
        const labels = labelsOf('linux-00000001', { 'rungar.sh/scale-set': 'Łinux ci/x64 "a & <b>" *?' });
        const machine = await world.provider.create(world.request('linux-00000001', labels), unending());
        expect({ name: machine.name, labels: machine.labels }).toEqual({ name: 'linux-00000001', labels });
        expect((await world.listed()).map(({ name, labels, id }) => ({ name, labels, id }))).toEqual([
          { name: 'linux-00000001', labels, id: machine.id },
        ]);
        expect((await world.harness.backend.machines()).map(({ name, labels }) => ({ name, labels }))).toEqual([
          { name: 'linux-00000001', labels },
        ]);
      });

      behaves('delivers the registration as it is', ['delivery'], async (world) => {
        await world.provider.create(world.request('linux-00000001'), unending());
        const [machine] = await world.harness.backend.machines();
        expect(machine && (await world.harness.backend.deliveredJitConfig(machine))).toBe(REGISTRATION);
      });

      behaves('makes every machine once when many are asked for at a time', [], async (world) => {
        const names = Array.from({ length: 20 }, (_, n) => `linux-${n.toString(16).padStart(8, '0')}`);
        const lists = Promise.all([1, 2, 3].map(() => world.provider.list(INSTALLATION, unending())));
        const made = await Promise.all(names.map((name) => world.provider.create(world.request(name), unending())));
        await lists;
        expect(made.map((machine) => machine.name)).toEqual(names);
        expect(new Set(made.map((machine) => machine.id)).size).toBe(20);
        expect(await world.names()).toEqual(names);
        expect((await world.listed()).map((machine) => machine.name).sort()).toEqual(names);
      });

      behaves('makes no second machine after a lost answer', ['lost_reply'], async (world) => {
        world.harness.backend.faults.set('create', 'lost_reply');
        await world.provider.create(world.request('linux-00000001'), unending()).catch(() => {});
        expect((await world.names()).length < 2).toBe(true);
      });

      behaves(
        'says so when the outcome is unknown, and what it left can be deleted',
        ['lost_replies'],
        async (world) => {
          world.harness.backend.faults.set('create', 'lost_replies');
          expect(await codeOf(world.provider.create(world.request('linux-00000001'), unending()))).toBe('unavailable');
          world.harness.backend.faults.clear();
          expect((await world.names()).length < 2).toBe(true);
          await world.provider.delete({ name: 'linux-00000001' }, INSTALLATION, unending());
          expect(await world.names()).toEqual([]);
        },
      );

      behaves('tells a backend that is full, and leaves nothing', ['full'], async (world) => {
        world.harness.backend.faults.set('create', 'full');
        expect(await codeOf(world.provider.create(world.request('linux-00000001'), unending()))).toBe('no_capacity');
        expect(await world.names()).toEqual([]);
      });

      behaves('tells any other refusal from a full backend, and leaves nothing', ['refused'], async (world) => {
        world.harness.backend.faults.set('create', 'refused');
        const code = await codeOf(world.provider.create(world.request('linux-00000001'), unending()));
        expect(['internal', 'unavailable', 'invalid_argument'].includes(code), code).toBe(true);
        expect(await world.names()).toEqual([]);
      });
    });

    describe('side by side with others', () => {
      behaves('touches nothing it did not make', [], async (world) => {
        const { backend } = world.harness;
        await backend.addForeign('a-database', { owner: 'somebody' });
        await backend.addForeign(
          'linux-00000009',
          labelsOf('linux-00000009', { 'rungar.sh/installation': 'gh-other' }),
        );
        const before = await backend.machines();
        const machine = await world.provider.create(world.request('linux-00000001'), unending());
        await world.listed({ 'rungar.sh/managed': 'true' });
        await world.provider.delete(machine, INSTALLATION, unending());
        for (const name of ['a-database', 'linux-00000009'])
          await world.provider.delete({ name }, INSTALLATION, unending());
        expect(await backend.machines()).toEqual(before);
      });

      behaves('is well again as soon as its backend is', ['reset'], async (world) => {
        const { faults } = world.harness.backend;
        const machine = await world.provider.create(world.request('linux-00000001'), unending());
        for (const operation of ['list', 'create', 'delete'] as const) faults.set(operation, 'reset');
        await world.provider.list(INSTALLATION, unending()).catch(() => {});
        await world.provider.create(world.request('linux-00000002'), unending()).catch(() => {});
        await world.provider.delete(machine, INSTALLATION, unending()).catch(() => {});
        faults.clear();
        await world.provider.create(world.request('linux-00000003'), unending());
        expect((await world.listed()).some(({ name }) => name === 'linux-00000003')).toBe(true);
        expect(await world.provider.delete({ name: 'linux-00000003' }, INSTALLATION, unending())).toBe('deleted');
      });
    });

    describe('listing', () => {
      behaves('has the machines whose labels carry the whole selector, and no other', [], async (world) => {
        const { backend } = world.harness;
        await world.provider.create(world.request('linux-00000001'), unending());
        await backend.addForeign(
          'theirs-00000001',
          labelsOf('theirs-00000001', { 'rungar.sh/installation': 'gh-other' }),
        );
        await backend.addForeign('a-database', { owner: 'somebody' });
        const names = async (selector: Labels) => (await world.listed(selector)).map((machine) => machine.name).sort();
        expect(await names(INSTALLATION)).toEqual(['linux-00000001']);
        expect(await names({ 'rungar.sh/managed': 'true' })).toEqual(['linux-00000001', 'theirs-00000001']);
        expect(await names({ ...INSTALLATION, 'rungar.sh/scale-set': 'lin' })).toEqual([]);
      });

      behaves('shows a machine whose labels name another runner as it is', [], async (world) => {
        await world.harness.backend.addForeign('copy', labelsOf('linux-00000001'));
        expect((await world.listed()).map(({ name, labels }) => ({ name, labels }))).toEqual([
          { name: 'copy', labels: labelsOf('linux-00000001') },
        ]);
      });

      behaves('says when it was begun', [], async (world) => {
        const { parts } = await world.provider.list(INSTALLATION, unending());
        expect(parts.length > 0).toBe(true);
        expect(parts.every((part) => part.begunAt > 0 && part.part !== '')).toBe(true);
      });

      const neverEmpty = (fault: Fault, timeoutMs = PATIENT_MS): void =>
        behaves(
          `is unknown, never empty: ${fault.replace('_', ' ')}`,
          [fault],
          async (world) => {
            await world.provider.create(world.request('linux-00000001'), unending());
            world.harness.backend.faults.set('list', fault);
            const listing = await world.provider.list(INSTALLATION, unending()).catch(() => undefined);
            const known = listing?.parts.filter((part) => part.error === undefined) ?? [];
            expect(known).toEqual([]);
          },
          timeoutMs,
        );
      neverEmpty('refused');
      neverEmpty('reset');
      neverEmpty('empty_answer');
      neverEmpty('html_answer');
      neverEmpty('hang', IMPATIENT_MS);
    });

    describe('deleting', () => {
      behaves('takes the machine away', [], async (world) => {
        const machine = await world.provider.create(world.request('linux-00000001'), unending());
        expect(await world.provider.delete(machine, INSTALLATION, unending())).toBe('deleted');
        expect(await world.names()).toEqual([]);
        expect(await world.listed()).toEqual([]);
      });

      behaves('again is no error', ['repeated_delete'], async (world) => {
        const machine = await world.provider.create(world.request('linux-00000001'), unending());
        await world.provider.delete(machine, INSTALLATION, unending());
        for (const ref of [machine, { name: machine.name }]) {
          const again = await world.provider.delete(ref, INSTALLATION, unending());
          expect(['deleted', 'absent'].includes(again), again).toBe(true);
        }
      });

      behaves('by several at a time is no error', ['repeated_delete'], async (world) => {
        const machine = await world.provider.create(world.request('linux-00000001'), unending());
        await world.provider.create(world.request('linux-00000002'), unending());
        const refs = [machine, machine, { name: machine.name }];
        const outcomes = await Promise.all(refs.map((ref) => world.provider.delete(ref, INSTALLATION, unending())));
        expect(outcomes.filter((outcome) => outcome === 'stranger')).toEqual([]);
        expect(await world.names()).toEqual(['linux-00000002']);
      });

      behaves('whose answer is lost can be repeated', ['lost_reply', 'repeated_delete'], async (world) => {
        const machine = await world.provider.create(world.request('linux-00000001'), unending());
        world.harness.backend.faults.set('delete', 'lost_reply');
        const code = await codeOf(world.provider.delete(machine, INSTALLATION, unending()));
        expect(['no error', 'unavailable'].includes(code), code).toBe(true);
        world.harness.backend.faults.clear();
        await world.provider.delete(machine, INSTALLATION, unending());
        expect(await world.names()).toEqual([]);
      });

      behaves('finds the machine by its name alone', [], async (world) => {
        await world.provider.create(world.request('linux-00000001'), unending());
        await world.provider.create(world.request('linux-00000002'), unending());
        expect(await world.provider.delete({ name: 'linux-00000001' }, INSTALLATION, unending())).toBe('deleted');
        expect(await world.names()).toEqual(['linux-00000002']);
      });

      behaves('of what is not there is no error', [], async (world) => {
        expect(await world.provider.delete({ name: 'linux-00000001' }, INSTALLATION, unending())).toBe('absent');
      });

      const leaves = (what: string, name: string, labels: Labels): void =>
        behaves(`leaves ${what}`, [], async (world) => {
          await world.harness.backend.addForeign(name, labels);
          expect(await world.provider.delete({ name }, INSTALLATION, unending())).toBe('stranger');
          expect(await world.names()).toEqual([name]);
        });
      leaves('a stranger of that name', 'linux-00000001', { owner: 'somebody' });
      leaves(
        'a machine of another installation',
        'linux-00000001',
        labelsOf('linux-00000001', { 'rungar.sh/installation': 'gh-other' }),
      );
      leaves('a machine whose labels name another runner', 'linux-00000001', labelsOf('linux-00000002'));

      behaves('of many at a time takes exactly those', [], async (world) => {
        const names = Array.from({ length: 10 }, (_, n) => `linux-0000000${n}`);
        const made = await Promise.all(names.map((name) => world.provider.create(world.request(name), unending())));
        await world.harness.backend.addForeign('a-database', { owner: 'somebody' });
        const [kept, ...gone] = made;
        await Promise.all(gone.map((machine) => world.provider.delete(machine, INSTALLATION, unending())));
        expect(await world.names()).toEqual(['a-database', kept?.name]);
      });

      behaves('says when the machine may still be there', ['refused'], async (world) => {
        const machine = await world.provider.create(world.request('linux-00000001'), unending());
        world.harness.backend.faults.set('delete', 'refused');
        const code = await codeOf(world.provider.delete(machine, INSTALLATION, unending()));
        expect(['internal', 'unavailable'].includes(code), code).toBe(true);
      });
    });

    describe('ending a call', () => {
      const asked = (world: World, operation: 'list' | 'create' | 'delete', signal: AbortSignal): Promise<unknown> => {
        if (operation === 'list') return world.provider.list(INSTALLATION, { signal });
        if (operation === 'create') return world.provider.create(world.request('linux-00000001'), { signal });
        const machine = { name: 'linux-00000001', id: 'i-0a1b2c3d', labels: labelsOf('linux-00000001') };
        return world.provider.delete(machine, INSTALLATION, { signal });
      };

      for (const operation of ['create', 'delete'] as const) {
        behaves(
          `${operation} has a time limit of its own`,
          ['hang'],
          async (world) => {
            world.harness.backend.faults.set(operation, 'hang');
            expect(await codeOf(asked(world, operation, unending().signal))).toBe('unavailable');
          },
          IMPATIENT_MS,
        );
      }

      for (const operation of ['list', 'create', 'delete'] as const) {
        behaves(`${operation} ends with its caller's reason`, ['hang'], async (world) => {
          world.harness.backend.faults.set(operation, 'hang');
          const stop = new AbortController();
          const reason = new Error('the caller has had enough');
          const ended = asked(world, operation, stop.signal).catch((error: unknown) => error);
          await world.harness.backend.faults.met(operation);
          stop.abort(reason);
          expect((await ended) === reason).toBe(true);
        });

        behaves(`${operation} does nothing for a caller that has ended`, [], async (world) => {
          const reason = new Error('over before it began');
          const ended = await asked(world, operation, AbortSignal.abort(reason)).catch((error: unknown) => error);
          expect(ended === reason).toBe(true);
          expect(await world.names()).toEqual([]);
        });

        behaves(
          `closing ends ${operation} in flight, and any later one, and may be repeated`,
          ['hang'],
          async (world) => {
            world.harness.backend.faults.set(operation, 'hang');
            const ended = codeOf(asked(world, operation, unending().signal));
            await world.harness.backend.faults.met(operation);
            await Promise.all([world.provider.close(), world.provider.close()]);
            expect(await ended).toBe('unavailable');
            expect(await codeOf(asked(world, operation, unending().signal))).toBe('unavailable');
            await world.provider.close();
          },
        );
      }
    });

    describe('reading a console', () => {
      behaves('gives lines, and changes nothing', ['console'], async (world) => {
        const machine = await world.provider.create(world.request('linux-00000001'), unending());
        expect(world.provider.readConsole === undefined, 'no readConsole: say so in limits.console').toBe(false);
        const lines = await world.provider.readConsole?.(machine, unending());
        expect(lines === undefined || lines.every((line) => !/[\r\n]/.test(line))).toBe(true);
        expect(await world.names()).toEqual(['linux-00000001']);
      });

      behaves('of a machine that is gone gives nothing', ['console'], async (world) => {
        const machine = await world.provider.create(world.request('linux-00000001'), unending());
        await world.provider.delete(machine, INSTALLATION, unending());
        const code = await codeOf(world.provider.readConsole?.(machine, unending()) ?? Promise.resolve());
        expect(['no error', 'not_found', 'unavailable'].includes(code), code).toBe(true);
      });

      behaves("ends with its caller's reason, and when the provider is closed", ['console'], async (world) => {
        const machine = await world.provider.create(world.request('linux-00000001'), unending());
        const reason = new Error('the caller has had enough');
        const read = (signal: AbortSignal): Promise<unknown> =>
          world.provider.readConsole?.(machine, { signal }) ?? Promise.resolve();
        const ended = await read(AbortSignal.abort(reason)).catch((error: unknown) => error);
        expect(ended === reason).toBe(true);
        await world.provider.close();
        expect(await codeOf(read(unending().signal))).toBe('unavailable');
      });
    });

    describe('checking a configuration', () => {
      behaves('changes nothing, and finds no error in one that works', ['online_check'], async (world) => {
        const { backend } = world.harness;
        await world.provider.create(world.request('linux-00000001'), unending());
        await backend.addForeign('a-database', { owner: 'somebody' });
        const before = await backend.machines();
        expect(world.harness.checkOnline === undefined, 'no checkOnline: say so in limits.online_check').toBe(false);
        const findings = (await world.harness.checkOnline?.(world.opened)) ?? [];
        expect(findings.filter(({ severity }) => severity === 'error')).toEqual([]);
        expect(await backend.machines()).toEqual(before);
      });
    });

    describe('keeping secrets', () => {
      behaves('logs nothing of a registration when all goes well', [], async (world) => {
        const machine = await world.provider.create(world.request('linux-00000001'), unending());
        await world.provider.delete(machine, INSTALLATION, unending());
        const shown = world.logged.join('\n');
        expect(
          [REGISTRATION, Buffer.from(REGISTRATION).toString('base64')].filter((one) => shown.includes(one)),
        ).toEqual([]);
      });

      behaves('shows none when the backend repeats what it was sent', ['echo'], async (world) => {
        world.harness.backend.faults.set('create', 'echo');
        const error = await world.provider.create(world.request('linux-00000001'), unending()).catch((e: unknown) => e);
        expect(error instanceof Error).toBe(true);
        const shown = [textOf(error), ...world.logged].join('\n');
        const forms = [REGISTRATION, Buffer.from(REGISTRATION).toString('base64'), encodeURIComponent(REGISTRATION)];
        // A third of it is as bad as the whole, wherever it begins within the base64 of a longer text.
        const pieces = [0, 1, 2].map((at) =>
          Buffer.from(REGISTRATION.slice(at, at + 300))
            .toString('base64')
            .slice(4, 300),
        );
        expect([...forms, ...pieces].filter((secret) => shown.includes(secret))).toEqual([]);
      });
    });
  });
}
