import { readFile } from 'node:fs/promises';
import type { Settings } from '@rungar/config';
import { type ChaosDaemon, readSettings, startChaosDaemon } from './daemon.js';
import { type DaemonProcess, startDaemonProcess, strangeLines } from './process.js';
import { makeLoad, mischief } from './trouble.js';
import { checkEnd, type Violation, type Watch, watch } from './watch.js';
import { type ChaosWorld, openChaosWorld, SETS } from './world.js';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

export interface ChaosOptions {
  readonly seed: number;
  /** Of the world's time. */
  readonly minutes: number;
  /** How many minutes of the world pass in one of the host's. */
  readonly speed: number;
  /** Whether daemons are processes of their own: then the world's time is the host's, and its times are short. */
  readonly processes: boolean;
  /** Told what is done, line by line. */
  readonly say: (line: string) => void;
}

export interface ChaosResult {
  readonly violations: readonly Violation[];
  readonly jobs: number;
  readonly machines: number;
  readonly kills: number;
  readonly troubles: number;
  /** The most memory a daemon that is a process has used, in MiB. */
  readonly peakMiB: number;
  /** What the daemons logged, for finding out why. */
  readonly logs: readonly (readonly [daemon: string, text: string])[];
}

/** How long it may take, once all trouble has ended, until every job has run and everything is gone again. */
const REST_MS = 25 * MINUTE;

/** Runs daemons through jobs and trouble, and says what should not have been. */
export async function runChaos({ seed, minutes, speed, processes, say }: ChaosOptions): Promise<ChaosResult> {
  const world = await openChaosWorld(seed, processes ? { speed: 1, short: true } : { speed, short: false });
  const checks = watch(world);
  const processTrouble = watchProcess(checks);
  const { clock } = world;
  const startedAt = clock.now();
  const tell = (line: string): void =>
    say(`${String(Math.round((clock.now() - startedAt) / SECOND)).padStart(6)} s  ${line}`);
  const crew = new Crew(world, processes ? undefined : await readSettings(world), checks, tell);
  const trouble = mischief(world, checks);
  const wait = (ms: number): Promise<void> => clock.forDaemon().sleep(ms);
  const share = (): number => world.random.fraction();
  let troubles = 0;
  try {
    await crew.start();
    const until = startedAt + minutes * MINUTE;
    while (clock.now() < until) {
      await wait(((1 + share() * 14) * SECOND) / world.shortened);
      const dice = share();
      if (dice < 0.35) tell(makeLoad(world, checks));
      else if (dice < 0.88) {
        tell(trouble.strike());
        troubles++;
      } else await crew.stir(share);
    }
    tell('calm');
    trouble.calm();
    await crew.end();
    await rest(world, checks, crew, wait);
    const left = await crew.stop();
    if (left > 0) checks.report('timers left', `${left} sleeps after the stop`);
    checkEnd(world, checks);
    await checkRecords(world, checks, crew.all);
    await wait(10 * SECOND);
    return {
      violations: checks.violations,
      jobs: world.github.jobs().length,
      machines: [...world.accounts.values()].reduce((sum, ec2) => sum + (ec2.stats().calls.RunInstances ?? 0), 0),
      kills: crew.kills,
      troubles,
      peakMiB: Math.max(0, ...crew.all.map((daemon) => ('peakMiB' in daemon ? Number(daemon.peakMiB) : 0))),
      logs: crew.all.map(({ name, log }) => [name, log.join('')] as const),
    };
  } finally {
    processTrouble.stop();
    checks.stop();
    await crew.stop();
    await world.close();
  }
}

/** The daemons that live, and those that have. */
class Crew {
  readonly all: ChaosDaemon[] = [];
  readonly #world: ChaosWorld;
  readonly #settings: Settings | undefined;
  readonly #checks: Watch;
  readonly #tell: (line: string) => void;
  kills = 0;

  constructor(world: ChaosWorld, settings: Settings | undefined, checks: Watch, tell: (line: string) => void) {
    this.#world = world;
    this.#settings = settings;
    this.#checks = checks;
    this.#tell = tell;
  }

  get living(): ChaosDaemon[] {
    return this.all.filter(({ alive }) => alive);
  }

  async start(): Promise<void> {
    this.#upset();
    const name = `d${this.all.length + 1}`;
    const daemon = await (this.#settings
      ? startChaosDaemon(name, this.#world, this.#settings)
      : startDaemonProcess(name, this.#world));
    this.all.push(daemon);
    this.#tell(`${daemon.name} starts`);
  }

  /** Kills, stops or starts one, or sets its clock wrong. */
  async stir(share: () => number): Promise<void> {
    const [one] = this.living;
    const dice = share();
    if (!one) return this.start();
    if (dice < 0.35) {
      this.#tell(`${one.name} is killed`);
      this.#upset();
      one.kill();
      this.kills++;
      if (this.living.length === 0 && share() < 0.8) await this.start();
    } else if (dice < 0.55) {
      this.#tell(`${one.name} is stopped`);
      this.#upset();
      void one.stop();
      if (this.living.length < 2) await this.start();
    } else if (dice < 0.75 && this.living.length < 2) await this.start();
    else if (dice < 0.9) {
      const ms = Math.round((share() - 0.5) * 2 * 5 * MINUTE);
      this.#tell(`the host's clock of ${one.name} is set ${ms / SECOND} s forward`);
      one.upset(ms);
    } else if ('freeze' in one) {
      const ms = 2_000 + share() * 70_000;
      this.#tell(`${one.name} freezes for ${Math.round(ms / SECOND)} s`);
      this.#upset();
      (one as DaemonProcess).freeze(ms);
    } else this.#checkStatus(one);
  }

  /** One daemon is left to finish everything. */
  async end(): Promise<void> {
    this.#upset();
    for (const daemon of this.living.slice(1)) await daemon.stop();
    if (this.living.length === 0) await this.start();
  }

  pauseAll(): void {
    for (const daemon of this.living) daemon.pauseAll();
  }

  async stop(): Promise<number> {
    let left = 0;
    for (const daemon of this.all) left += await daemon.stop();
    return left;
  }

  #upset(): void {
    this.#checks.doings.lastUpset = this.#world.clock.now();
  }

  #checkStatus({ name, status }: ChaosDaemon): void {
    const text = status();
    for (const secret of secretsOf(this.#world)) {
      if (text.includes(secret)) this.#checks.report('a secret in the status', `${name}: ${secret.slice(0, 12)}`);
    }
  }
}

/** Waits until every job has ended, then takes the wish for idle runners away, and waits until nothing is left. */
async function rest(
  world: ChaosWorld,
  { liveOf }: Watch,
  crew: Crew,
  wait: (ms: number) => Promise<void>,
): Promise<void> {
  const { clock, github } = world;
  const until = clock.now() + REST_MS;
  const jobsLeft = (): boolean => github.jobs().some(({ state }) => state !== 'completed');
  while (jobsLeft() && clock.now() < until) await wait(5 * SECOND);
  crew.pauseAll();
  const somethingLeft = (): boolean => SETS.some(({ name }) => liveOf(name).length > 0) || github.runners().length > 0;
  while (somethingLeft() && clock.now() < until + REST_MS) await wait(5 * SECOND);
}

/** Every secret that went over a wire: tokens in headers, and what machines were given. */
function secretsOf({ github, accounts, secrets }: ChaosWorld): readonly string[] {
  const tokens = github.requests.flatMap(({ headers }) => headers.authorization?.split(' ').slice(1) ?? []);
  const userData = [...accounts.values()].flatMap((ec2) => ec2.instances().flatMap((one) => one.userData ?? []));
  const configs = userData.flatMap(
    (text) => /ACTIONS_RUNNER_INPUT_JITCONFIG='?"?([A-Za-z0-9+/=]{40,})/.exec(text)?.[1] ?? [],
  );
  return [...new Set([...secrets, ...tokens, ...configs])].filter((secret) => secret.length > 15);
}

async function checkRecords(world: ChaosWorld, { report }: Watch, daemons: readonly ChaosDaemon[]): Promise<void> {
  const secrets = secretsOf(world);
  for (const { name, log } of daemons) {
    const events = await readFile(`${world.folder}/${name}.jsonl`, 'utf8').catch(() => '');
    checkEvents(name, events, report);
    const text = log.join('') + events;
    for (const secret of secrets) {
      const at = text.indexOf(secret);
      if (at >= 0) report('a secret in a log or event', `${name}: ${text.slice(Math.max(0, at - 80), at + 20)}`);
    }
    for (const line of strangeLines(log)) report('not a line of the log', `${name}: ${line}`);
    for (const line of log) {
      if (line.includes('Unexpected failure')) report('an unexpected failure', line.trim());
    }
  }
}

/** The end of a runner is recorded once, unless it was given up and found again meanwhile. */
function checkEvents(daemon: string, text: string, report: Watch['report']): void {
  const ended = new Set<string>();
  for (const line of text.split('\n').slice(0, -1)) {
    const { action, name } = JSON.parse(line) as { action: string; name: string };
    if (action === 'adopted') ended.delete(name);
    if (action !== 'removed' && action !== 'lost') continue;
    if (ended.has(name)) report('the end of a runner is recorded twice', `${daemon}: ${line}`);
    ended.add(name);
  }
}

/** Warnings of Node's, and rejections nobody handles. */
function watchProcess({ report }: Watch): { stop(): void } {
  const onWarning = (warning: Error): void => report('a warning of Node', String(warning.stack));
  const onRejection = (reason: unknown): void =>
    report('an unhandled rejection', String(reason instanceof Error ? reason.stack : reason));
  process.on('warning', onWarning);
  process.on('unhandledRejection', onRejection);
  return {
    stop() {
      process.off('warning', onWarning);
      process.off('unhandledRejection', onRejection);
    },
  };
}
