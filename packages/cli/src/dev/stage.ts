import { existsSync } from 'node:fs';
import type { JobView, NewJob } from '@rungar/emulators/github';
import { type Clock, RungarError } from '@rungar/model';
import type { World } from '../command.js';
import type { StatusAnswer } from '../control/answers.js';
import { call } from '../control/call.js';
import type { Style } from '../output/style.js';
import { plural } from '../output/words.js';
import { hasPower } from './backends/machines.js';
import { followEvents } from './daemon-events.js';
import { type DaemonProcess, startDaemonProcess } from './daemon-process.js';
import { eventWords } from './event-words.js';
import { picture } from './picture.js';
import type { BackendRecord, DemoRecord } from './report.js';
import { countTold, secretsOf } from './secrets.js';
import { liveView, plainView, type View } from './view.js';
import type { DevWorld } from './world.js';

/** The jobs of the demonstration, in seconds: some on each backend run through the daemon's absence. */
const BUILD_SECONDS = [22, 17, 15, 20, 16, 14, 18, 13];
const RELEASE_SECONDS = [22, 15, 9];
/** What waits until the daemon is back. */
const LAST_RELEASE_SECONDS = 4;
/** How soon a daemon serves on a host that has nothing else to do. */
const USUAL_START_MS = 2_500;
const MOST_EXTRA_SECONDS = 15;
/** How long a service manager waits before it starts again what has crashed. */
const RESTART_AFTER_MS = 3_000;
/** How long each part may take before the demonstration is called a failure. */
const PATIENCE_MS = 60_000;

/** The demonstration's acts, and what it has to take down whatever happens. */
export class Stage {
  readonly #dev: DevWorld;
  readonly #world: World;
  readonly #clock: Clock;
  readonly #style: Style;
  readonly #over = new AbortController();
  readonly #adopted: string[] = [];
  #daemon: DaemonProcess | undefined;
  #view: View | undefined;

  constructor(dev: DevWorld, world: World, clock: Clock, style: Style) {
    this.#dev = dev;
    this.#world = world;
    this.#clock = clock;
    this.#style = style;
  }

  /** Plays it from the first act to the last. */
  async play(): Promise<DemoRecord> {
    const { github, backends, paths } = this.#dev;
    this.#view = await this.#openView();
    for (const backend of backends) backend.addForeign();

    this.#say('starting the daemon');
    const startedAt = this.#clock.now();
    await this.#startDaemon();
    await this.#until('both scale sets are served', () => github.sessions().length === 2);

    this.#say('queueing twelve jobs of two workflows');
    github.queueJobs(jobsFor(this.#clock.now() - startedAt));
    await this.#until('every machine is at work or in reserve', () => this.#areAllOnline());

    const atKill = { runningJobs: running(github.jobs()), machineNames: this.#standing() };
    await this.#daemon?.kill();
    this.#say(`killed the daemon (SIGKILL) while ${plural(atKill.runningJobs.length, 'job')} ran`);
    await this.#clock.sleep(RESTART_AFTER_MS, this.#world.signal);
    await this.#until('its sessions have expired', () => github.sessions().length === 0);

    this.#say('starting it again; it knows nothing but its configuration');
    await this.#startDaemon();
    await this.#untilListening();
    const standingAtAdoption = this.#standing().filter((name) => atKill.machineNames.includes(name));
    await this.#until('every job has ended', () => github.jobs().every(({ state }) => state === 'completed'));

    this.#say('all jobs have ended; pausing both scale sets, so that the reserve goes');
    for (const name of ['linux-small', 'linux-large']) await this.#control('PauseScaleSet', { name });
    await this.#until('the last runner has gone', () => this.#areAllGone());

    this.#say('stopping the daemon');
    await this.#daemon?.stop();
    this.#daemon = undefined;
    await this.#view.close();
    this.#view = undefined;
    const secrets = secretsOf(this.#dev);
    return {
      jobs: github.jobs(),
      backends: this.#backendRecords(),
      atKill,
      adopted: this.#adopted,
      standingAtAdoption,
      registrationsLeft: github.runners().map(({ name }) => name),
      sessionsLeft: github.sessions().length,
      socketLeft: existsSync(paths.socket),
      secrets: secrets.length,
      secretsTold: await countTold(secrets, [paths.log, paths.events]),
    };
  }

  /** Ends what still runs. */
  async end(): Promise<void> {
    this.#over.abort();
    await this.#view?.close();
    if (this.#world.signal.aborted) await this.#daemon?.stop();
    else await this.#daemon?.kill();
  }

  async #openView(): Promise<View> {
    const { stdout } = this.#world;
    const view = stdout.isTTY
      ? await liveView(stdout as NodeJS.WriteStream, this.#style, this.#clock, () => this.#picture())
      : plainView(stdout, this.#style, this.#clock);
    this.#dev.github.on((event) => {
      if (event.type !== 'job') return;
      const { job, change } = event;
      if (change === 'started') view.note('GitHub', job.runnerName ?? '', `runs ${job.name}`);
      if (change === 'completed') view.note('GitHub', job.runnerName ?? '', `${job.name} ${job.result}`);
      if (change === 'requeued') view.note('GitHub', '', `${job.name} found no runner and was queued again`);
    });
    return view;
  }

  #picture(): string[] {
    const page = this.#daemon === undefined ? '' : `To look at in a browser: ${this.#daemon.page}`;
    return [...picture(this.#dev, this.#style), '', page];
  }

  #say(text: string): void {
    this.#view?.heading(text);
  }

  async #startDaemon(): Promise<void> {
    const { paths } = this.#dev;
    // The history of a daemon before it is on the disk, and has been shown.
    const since = new Date(this.#clock.wallNow()).toISOString();
    this.#daemon = await startDaemonProcess(paths, this.#world, this.#clock);
    this.#view?.note('daemon', `process ${this.#daemon.pid}`, `answers; page at ${this.#daemon.page}`);
    void followEvents(paths.socket, this.#over.signal, since, (event) => {
      if (event.action === 'EVENT_ACTION_ADOPTED') this.#adopted.push(event.name ?? '');
      const words = eventWords(event);
      if (words !== undefined) this.#view?.note('daemon', event.name ?? '', words);
    });
  }

  /** Rungar's machines that have power, by name. */
  #standing(): string[] {
    return this.#dev.backends.flatMap(({ machines }) =>
      machines()
        .filter((machine) => !machine.isForeign && hasPower(machine))
        .map(({ name }) => name),
    );
  }

  /** Whether a job has begun on each backend, and no runner is still on its way. */
  #areAllOnline(): boolean {
    const { github, backends } = this.#dev;
    const begun = new Set(github.jobs().map(({ runnerName }) => runnerName));
    const runners = github.runners();
    const names = new Set(runners.map(({ name }) => name));
    return (
      backends.every(({ machines }) => machines().some(({ name }) => begun.has(name))) &&
      runners.every(({ status }) => status === 'online') &&
      this.#standing().every((name) => names.has(name))
    );
  }

  #areAllGone(): boolean {
    const { github, backends } = this.#dev;
    const own = backends.flatMap(({ machines }) => machines().filter(({ isForeign }) => !isForeign));
    return own.every(({ state }) => state === 'gone') && github.runners().length === 0;
  }

  #backendRecords(): BackendRecord[] {
    return this.#dev.backends.map((backend) => {
      const { name, title, room, machines, mostAtOnce } = backend;
      return {
        ...{ name, title, mostAtOnce, machines: machines(), callsOnForeign: backend.callsOnForeign() },
        ...(room !== undefined && { room }),
      };
    });
  }

  #control<T>(method: string, body: Readonly<Record<string, unknown>>): Promise<T> {
    return call<T>({ socket: this.#dev.paths.socket, method, body, signal: this.#world.signal });
  }

  /** Waits until the daemon has adopted what it found, and listens for every scale set. */
  async #untilListening(): Promise<void> {
    await this.#until('both scale sets are served again', async () => {
      const { scale_sets: scaleSets = [] } = await this.#control<StatusAnswer>('GetStatus', {});
      return scaleSets.every(({ phase }) => phase === 'SCALE_SET_PHASE_LISTENING');
    });
  }

  /** Waits until `check` holds, the user stops it, the daemon ends, or patience does. */
  async #until(what: string, check: () => boolean | Promise<boolean>): Promise<void> {
    const { signal } = this.#world;
    const end = this.#clock.now() + PATIENCE_MS;
    while (!(await check())) {
      signal.throwIfAborted();
      if (this.#clock.now() > end) {
        throw new RungarError('internal', `gave up waiting until ${what}`, { hint: `see ${this.#dev.paths.log}` });
      }
      await this.#clock.sleep(50, signal);
    }
  }
}

/** Where a daemon is slow to start, jobs are longer, so that they run through its absence there too. */
function jobsFor(startMs: number): NewJob[] {
  const extra = Math.min(Math.round(Math.max(0, startMs - USUAL_START_MS) / 1000), MOST_EXTRA_SECONDS);
  const release = { workflow: 'release', labels: ['linux-large', 'release'] };
  return [
    ...BUILD_SECONDS.map((seconds) => ({ workflow: 'build', labels: ['linux-small'], seconds: seconds + extra })),
    ...RELEASE_SECONDS.map((seconds) => ({ ...release, seconds: seconds + extra })),
    { ...release, seconds: LAST_RELEASE_SECONDS },
  ];
}

function running(jobs: readonly JobView[]): JobView[] {
  return jobs.filter(({ state }) => state === 'running');
}
