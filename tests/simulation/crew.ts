import { type Configuration, Daemon, type DaemonParts } from './daemon.js';
import { between, type World } from './world.js';

/** The daemons of a run, living and dead. */
export class Crew {
  living: Daemon[] = [];
  configuration: Configuration;
  kills = 0;
  started = 0;
  readonly #parts: DaemonParts;
  readonly #world: World;

  constructor(parts: DaemonParts, configuration: Configuration) {
    this.#parts = parts;
    this.#world = parts.world;
    this.configuration = configuration;
  }

  start(configuration = this.configuration): Daemon {
    this.configuration = configuration;
    return this.startAside(configuration);
  }

  /** Starts one that is configured otherwise than those to come. */
  startAside(configuration: Configuration): Daemon {
    const daemon = new Daemon(`d${++this.started}`, configuration, this.#parts);
    this.sweep();
    this.living.push(daemon);
    this.#world.scheduler.wake();
    daemon.start();
    return daemon;
  }

  sweep(): void {
    this.living = this.living.filter(({ alive }) => alive);
  }

  /** Starts one after a while, unless another lives by then. */
  startSoon(leastMs: number, mostMs: number, most = 1): void {
    this.#world.scheduler.after(between(this.#world, leastMs, mostMs), () => {
      this.sweep();
      if (this.living.filter(({ stopping }) => !stopping).length < most) this.start();
    });
  }

  /** Kills one: between two of its calls, at any of them. */
  kill(daemon: Daemon): void {
    this.kills++;
    const { random } = this.#world;
    if (random.fraction() < 0.25) daemon.kill();
    else daemon.life.callsLeft = 1 + Math.floor(random.fraction() * 40);
  }
}
