import { LABEL, matchesSelector } from '@rungar/labels';
import {
  type CallOptions,
  type Labels,
  limitTime,
  type Machine,
  type MachineRequest,
  type OpenProvider,
  type ProviderContext,
  RungarError,
} from '@rungar/model';
import { failureOf } from './errors.js';
import type { Host, Kept } from './host.js';
import type { ProcessRunner, ProcessSettings } from './settings.js';
import { turns } from './turns.js';

/** What of the daemon's environment its runners see. Its credentials stay with it. */
const INHERITED = ['HOME', 'LANG', 'LOGNAME', 'PATH', 'SHELL', 'TMPDIR', 'TZ', 'USER'];
const LOG_BYTES = 16 * 1024;
const LOG_LINES = 50;

/** Opens a provider whose machines are processes of `host`. */
export async function openProcesses(
  { folder, startsAtOnce, timeoutMs }: ProcessSettings,
  { clock, random, redactor, logger }: ProviderContext,
  host: Host,
): Promise<OpenProvider<ProcessRunner>> {
  const closing = new AbortController();
  const pace = turns(startsAtOnce);
  /** Creations under way, also those that nobody waits for any more. */
  const creating = new Map<string, Promise<unknown>>();

  await host.tidy().catch((error: unknown) => {
    throw failureOf('preparing the folder of the processes', error, redactor);
  });
  logger.warn('Runners of this provider are processes of this host, and jobs can do whatever its user can');

  /** Runs `work` until it ends, its caller has had enough, its time is up, or the provider is closed. */
  async function limited<T>(
    what: string,
    { signal: caller }: CallOptions,
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const late = (): Error => new RungarError('unavailable', `${what} took longer than ${timeoutMs / 1000} s`);
    const limit = limitTime(clock, timeoutMs, late, AbortSignal.any([caller, closing.signal]));
    try {
      limit.signal.throwIfAborted();
      return await orAborted(work(limit.signal), limit.signal);
    } catch (error) {
      limit.signal.throwIfAborted();
      throw failureOf(what, error, redactor);
    } finally {
      limit[Symbol.dispose]();
    }
  }

  async function makeOne(request: MachineRequest<ProcessRunner>, signal: AbortSignal): Promise<Machine> {
    const { name, labels, spec, jitConfig } = request;
    const id = Buffer.from(random.bytes(8)).toString('hex');
    const kept = await host.keep({ id, name, labels, createdAt: clock.wallNow() });
    if (!haveSameLabels(kept.labels, labels)) {
      throw new RungarError('internal', `starting ${name}: there is a process of that name with other labels`);
    }
    if (kept.state !== 'starting') return toMachine(kept);
    const env = {
      ...inherited(),
      ...Object.fromEntries(spec.env),
      ACTIONS_RUNNER_INPUT_JITCONFIG: jitConfig.reveal(),
    };
    try {
      signal.throwIfAborted();
      await host.start(kept, { command: spec.command, env, ...(folder !== undefined && { folder }) }, signal);
    } catch (error) {
      // What is left in spite of this, the caller deletes: it does after every creation that failed.
      if (kept.id === id) await host.end(kept, signal).catch(() => {});
      throw error;
    }
    return toMachine(kept);
  }

  /** What there is of that machine, when it is ours. */
  async function findOurs(name: string, id: string | undefined, isOurs: (labels: Labels) => boolean) {
    const kept = await host.find(name);
    if (!kept || (id && kept.id !== id)) return 'absent';
    return isOurs(kept.labels) ? kept : 'stranger';
  }

  return {
    list(selector, options) {
      const begunAt = clock.now();
      return limited('listing the processes', options, async () => {
        const ours = (await host.all()).filter(({ labels }) => matchesSelector(labels, selector));
        return { parts: [{ part: 'host', begunAt, machines: ours.map(toMachine) }] };
      });
    },

    async create(request, options) {
      const { name, jitConfig, priority = 0 } = request;
      const letGo = redactor.hold(jitConfig.reveal());
      try {
        // The wait for a turn is this provider's own, so that it is no part of the time limit.
        const patience = AbortSignal.any([options.signal, closing.signal]);
        return await pace.run(priority, patience, () =>
          limited(`starting ${name}`, options, (signal) => {
            const making = makeOne(request, signal);
            creating.set(name, making);
            const forget = (): boolean => creating.delete(name);
            making.then(forget, forget);
            return making;
          }),
        );
      } finally {
        letGo();
      }
    },

    delete({ id, name }, selector, options) {
      return limited(`ending ${name}`, options, async (signal) => {
        await creating.get(name)?.catch(() => {});
        const isOurs = (labels: Labels): boolean => labels[LABEL.runner] === name && matchesSelector(labels, selector);
        const found = await findOurs(name, id, isOurs);
        if (typeof found === 'string') return found;
        await host.end(found, signal);
        return 'deleted';
      });
    },

    readConsole({ id, name }, options) {
      return limited(`reading the log of ${name}`, options, async () => {
        const found = await findOurs(name, id, (labels) => labels[LABEL.runner] === name);
        if (typeof found === 'string') return undefined;
        const text = await host.readLog(found, LOG_BYTES);
        const lines = text?.split(/\r\n|\r|\n/).filter((line) => line.trim() !== '');
        return lines?.slice(-LOG_LINES);
      });
    },

    async close() {
      closing.abort(new RungarError('unavailable', 'the provider is closed'));
    },
  };
}

function toMachine({ name, id, labels, state, createdAt }: Kept): Machine {
  return { name, id, labels, state, size: '', createdAt };
}

function haveSameLabels(one: Labels, other: Labels): boolean {
  return matchesSelector(one, other) && matchesSelector(other, one);
}

function inherited(): { [name: string]: string } {
  const found = INHERITED.map((name): [string, string | undefined] => [name, process.env[name]]);
  return Object.fromEntries(found.filter((pair): pair is [string, string] => pair[1] !== undefined));
}

/** What `promise` settles with, or the signal's reason as soon as it aborts; the promise itself goes on. */
function orAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const leave = (): void => reject(signal.reason);
    signal.addEventListener('abort', leave, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave));
  });
}
