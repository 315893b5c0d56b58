import { existsSync } from 'node:fs';
import { type Clock, RungarError } from '@rungar/model';
import type { World } from '../command.js';
import type { StatusAnswer } from '../control/answers.js';
import { call } from '../control/call.js';
import { EXIT } from '../exit.js';
import { type Style, styleFor } from '../output/style.js';
import { plural } from '../output/words.js';
import { followEvents } from './daemon-events.js';
import { type DaemonProcess, startDaemonProcess } from './daemon-process.js';
import { eventWords } from './event-words.js';
import { picture } from './picture.js';
import { type DemoRecord, proofs, timeline, waits } from './report.js';
import { liveView, plainView, type View } from './view.js';
import { type DevWorld, SHORTENED_WORDS, startWorld } from './world.js';

/** The jobs of the demonstration, in seconds: long ones first, so that some run through the daemon's absence. */
const BUILD_SECONDS = [15, 15, 13, 9, 8, 6, 5, 5];
const RELEASE_SECONDS = [15, 12, 10, 5];

/** How long a service manager waits before it starts again what has crashed. */
const RESTART_AFTER_MS = 5_000;

/** How long each part may take before the demonstration is called a failure. */
const PATIENCE_MS = 60_000;

/**
 * The main job from end to end: a real daemon, killed and started again while it serves an emulated GitHub from an
 * emulated EC2.
 * @returns the exit code: 0 when everything it claims held
 */
export async function runDemo(world: World, clock: Clock, folder?: string): Promise<number> {
  const style = styleFor(world.stdout, world.env);
  const dev = await startWorld(folder);
  const stage = new Stage(dev, world, clock, style);
  let failed = true;
  try {
    world.stdout.write(introduction(dev, style));
    const record = await stage.play();
    failed = !tell(record, world, style);
    return failed ? EXIT.failed : EXIT.done;
  } finally {
    await stage.end();
    const keepFiles = failed && !world.signal.aborted;
    await dev.close({ keepFiles });
    if (keepFiles)
      world.stderr.write(`The files of this run, the daemon's log among them, are in ${dev.paths.folder}\n`);
  }
}

function introduction({ github, ec2, paths }: DevWorld, style: Style): string {
  return [
    `${style.bold('Rungar, end to end')}: a real daemon serves an emulated GitHub with machines of an`,
    'emulated EC2. Nothing leaves this host.',
    SHORTENED_WORDS,
    '',
    `  GitHub         ${github.url}`,
    `  EC2            ${ec2.url}`,
    `  configuration  ${paths.config}`,
    '',
    '',
  ].join('\n');
}

/** Says how it went. @returns whether everything held */
function tell(record: DemoRecord, { stdout }: World, style: Style): boolean {
  const claims = proofs(record);
  const lines = [
    '',
    style.bold('Each job, in seconds from the start'),
    ...timeline(record),
    '',
    `From queued to started: ${waits(record)}`,
    '',
    ...claims.map(({ holds, text }) => `${holds ? style.green('held  ') : style.red('BROKEN')}  ${text}`),
    '',
  ];
  stdout.write(`${lines.join('\n')}\n`);
  return claims.every(({ holds }) => holds);
}

/** The demonstration's acts, and what it has to take down whatever happens. */
class Stage {
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
    const { github, ec2 } = this.#dev;
    this.#view = await this.#openView();
    const startedAt = this.#clock.wallNow();
    const foreignIds = this.#placeForeignMachines();

    this.#say('starting the daemon');
    await this.#startDaemon();
    await this.#until('both scale sets are served', () => github.sessions().length === 2);

    this.#say('queueing twelve jobs of two workflows');
    github.queueJobs([
      ...BUILD_SECONDS.map((seconds) => ({ workflow: 'build', labels: ['linux-small'], seconds })),
      ...RELEASE_SECONDS.map((seconds) => ({ workflow: 'release', labels: ['linux-large', 'release'], seconds })),
    ]);
    await this.#until('six jobs run', () => running(github.jobs()).length >= 6);
    await this.#clock.sleep(1_000, this.#world.signal);

    const atKill = {
      at: this.#clock.wallNow(),
      runningJobs: running(github.jobs()),
      machineNames: this.#standing(foreignIds),
    };
    await this.#daemon?.kill();
    this.#say(`killed the daemon (SIGKILL) while ${plural(atKill.runningJobs.length, 'job')} ran`);
    await this.#clock.sleep(RESTART_AFTER_MS, this.#world.signal);
    await this.#until('its sessions have expired', () => github.sessions().length === 0);
    this.#say('starting it again; it knows nothing but its configuration');
    await this.#startDaemon();
    await this.#untilListening();
    const standingAtAdoption = this.#standing(foreignIds).filter((name) => atKill.machineNames.includes(name));

    await this.#until('every job has ended', () => github.jobs().every(({ state }) => state === 'completed'));
    this.#say('all jobs have ended; pausing both scale sets, so that the reserve goes');
    for (const name of ['linux-small', 'linux-large']) await this.#control('PauseScaleSet', { name });
    await this.#until(
      'the last runner has gone',
      () => this.#standing(foreignIds).length === 0 && github.runners().length === 0,
    );

    this.#say('stopping the daemon');
    await this.#daemon?.stop();
    this.#daemon = undefined;
    await this.#view.close();
    this.#view = undefined;
    return {
      startedAt,
      jobs: github.jobs(),
      machines: ec2.instances(),
      foreignIds,
      atKill,
      adopted: this.#adopted,
      standingAtAdoption,
      callsOnForeign: this.#callsOn(foreignIds),
      registrationsLeft: github.runners().map(({ name }) => name),
      sessionsLeft: github.sessions().length,
      socketLeft: existsSync(this.#dev.paths.socket),
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
      ? await liveView(stdout as NodeJS.WriteStream, this.#style, this.#clock, () =>
          picture(this.#dev, this.#style, stdout.columns),
        )
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

  #say(text: string): void {
    this.#view?.heading(text);
  }

  /** Two machines nobody may touch: one that is no runner at all, and one of another installation. */
  #placeForeignMachines(): readonly string[] {
    const { ec2 } = this.#dev;
    const neighbour = {
      Name: 'linux-small-00c0ffee',
      'rungar.sh/managed': 'true',
      'rungar.sh/installation': 'the-other-rungar',
      'rungar.sh/scale-set': 'linux-small',
      'rungar.sh/runner': 'linux-small-00c0ffee',
      'rungar.sh/revision': '000000000000',
    };
    return [ec2.addForeignInstance({ tags: { Name: 'database' } }).id, ec2.addForeignInstance({ tags: neighbour }).id];
  }

  async #startDaemon(): Promise<void> {
    const { paths } = this.#dev;
    // The history of a daemon before it is on the disk, and has been shown.
    const since = new Date(this.#clock.wallNow()).toISOString();
    this.#daemon = await startDaemonProcess(paths, this.#world, this.#clock);
    this.#view?.note('daemon', `process ${this.#daemon.pid}`, 'answers');
    void followEvents(paths.socket, this.#over.signal, since, (event) => {
      if (event.action === 'EVENT_ACTION_ADOPTED') this.#adopted.push(event.name ?? '');
      const words = eventWords(event);
      if (words !== undefined) this.#view?.note('daemon', event.name ?? '', words);
    });
  }

  #standing(foreignIds: readonly string[]): string[] {
    return this.#dev.ec2
      .instances()
      .filter(({ id, state }) => !foreignIds.includes(id) && (state === 'pending' || state === 'running'))
      .map(({ name }) => name);
  }

  #callsOn(foreignIds: readonly string[]): number {
    return this.#dev.ec2.requests.filter(({ body }) => foreignIds.some((id) => body.includes(id))).length;
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

function running(jobs: ReturnType<DevWorld['github']['jobs']>): ReturnType<DevWorld['github']['jobs']> {
  return jobs.filter(({ state }) => state === 'running');
}
