import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock, systemRandom } from '@rungar/model';
import type { BackendFaults, Fault, Harness, OpenOptions, Operation } from '@rungar/providers/testing';
import { fileHost, type Host, type Kept } from '../src/host.js';
import { openProcesses } from '../src/provider.js';
import type { ProcessRunner } from '../src/settings.js';
import { processType } from '../src/type.js';

/** At which of the host's calls a creation goes wrong. */
export type Step = 'keep' | 'start';

/** A folder for processes on the host the tests run on, whose calls go wrong when they are told to. */
export async function startHost(step: Step): Promise<Harness<ProcessRunner>> {
  const state = await mkdtemp(join(tmpdir(), 'rungar-processes-'));
  const host = fileHost(state, systemClock);
  const { faults, faulty } = troubleOf(host, state, step);
  const context = ({ redactor, logger }: OpenOptions) => {
    return { name: 'here', clock: systemClock, random: systemRandom, redactor, logger };
  };
  const spec = { command: ['sleep', '600'], env: new Map([['GREETING', 'hello']]) };

  return {
    spec,
    backend: {
      machines: async () => (await host.all()).map(({ id, name, labels }) => ({ id, name, labels })),
      addForeign: async (name, labels) => {
        const { id } = await host.keep({ id: `foreign-${name}`, name, labels, createdAt: 0 });
        return { id, name, labels };
      },
      deliveredJitConfig: async ({ name }) => (await environmentOf(state, name)).get('ACTIONS_RUNNER_INPUT_JITCONFIG'),
      faults,
    },
    open: (options) =>
      openProcesses({ state, startsAtOnce: 4, timeoutMs: options.timeoutMs }, context(options), faulty),
    async checkOnline(options) {
      const place = { file: 'test', line: 1, column: 1 };
      const scalar = { kind: 'scalar', source: state, quoted: false, isNull: false, place } as const;
      const entries = [{ key: 'state', keyPlace: place, value: scalar }];
      const configured = processType.configure({ kind: 'map', entries, place }, '', { add() {} });
      const runners = [{ scaleSet: 'linux', spec }];
      return (await configured?.checkOnline?.(runners, context(options), unending())) ?? [];
    },
    async close() {
      for (const kept of await host.all()) await host.end(kept, unending().signal);
      await rm(state, { recursive: true });
    },
  };
}

export function unending(): { signal: AbortSignal } {
  return { signal: new AbortController().signal };
}

/** What a process was started with, once it has become its command. */
export async function environmentOf(state: string, name: string): Promise<Map<string, string>> {
  for (;;) {
    const life = await readFile(join(state, name, 'process'), 'utf8').catch(() => '');
    const pid = Number.parseInt(life.split('\n')[1] ?? '', 10);
    const environment = pid ? await readFile(`/proc/${pid}/environ`, 'utf8') : '';
    if (environment !== '') {
      return new Map(environment.split('\0').map((pair) => [pair.replace(/=.*/s, ''), pair.replace(/^[^=]*=/, '')]));
    }
    await systemClock.sleep(5);
  }
}

function troubleOf(host: Host, state: string, step: Step): { faults: BackendFaults; faulty: Host } {
  const faults = new Map<Operation, Fault>();
  const waiting = new Map<Operation, () => void>();
  const received = new Set<Operation>();
  const records = new Map<string, string>();

  /** Carries a call of the host out, or what a fault makes of it. */
  const goThrough = async <T>(operation: Operation, act: () => Promise<T>, sent: unknown): Promise<T> => {
    received.add(operation);
    waiting.get(operation)?.();
    const fault = faults.get(operation);
    if (fault === 'lost_reply') faults.delete(operation);
    if (fault === 'lost_reply' || fault === 'lost_replies') await act();
    if (fault === 'hang') await new Promise(() => {});
    if (fault !== undefined && fault in CODES) throw systemError(CODES[fault] ?? '', 'it goes wrong');
    if (fault === 'echo') throw systemError('EINVAL', `cannot use ${JSON.stringify(sent)}`);
    return act();
  };

  const at = <T>(one: Step, act: () => Promise<T>, sent: unknown): Promise<T> =>
    one === step ? goThrough('create', act, sent) : act();

  /** Overwrites every record there is: what is read of the disk then is no answer. */
  const spoil = async (text: string): Promise<void> => {
    for (const name of await readdir(state)) {
      const file = join(state, name, 'machine.json');
      records.set(file, await readFile(file, 'utf8'));
      await writeFile(file, text);
    }
  };

  return {
    faulty: {
      ...host,
      all: () => goThrough('list', () => spoiled(host), undefined),
      keep: (record) => at('keep', () => host.keep(record), record),
      start: (record, what, signal) => at('start', () => host.start(record, what, signal), what),
      find: (name) =>
        faults.get('delete') === 'hang' ? goThrough('delete', () => host.find(name), name) : host.find(name),
      end: (record, signal) => goThrough('delete', () => host.end(record, signal), record),
    },
    faults: {
      set(operation, fault) {
        faults.set(operation, fault);
        received.delete(operation);
      },
      clear: () => faults.clear(),
      met: async (operation) => {
        if (!received.has(operation)) await new Promise<void>((resolve) => waiting.set(operation, resolve));
      },
    },
  };

  async function spoiled(of: Host): Promise<Kept[]> {
    const fault = faults.get('list');
    if (fault !== 'empty_answer' && fault !== 'html_answer') return of.all();
    await spoil(fault === 'empty_answer' ? '' : '<html>');
    try {
      return await of.all();
    } finally {
      for (const [file, text] of records) await writeFile(file, text);
    }
  }
}

const CODES: Partial<Record<Fault, string>> = {
  lost_reply: 'EIO',
  lost_replies: 'EIO',
  full: 'ENOSPC',
  refused: 'EACCES',
  reset: 'EIO',
};

function systemError(code: string, message: string): Error {
  return Object.assign(new Error(`${code}: ${message}`), { code });
}
