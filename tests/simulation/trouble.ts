import { LABEL, runnerLabels } from '@rungar/labels';
import type { Crew } from './crew.js';
import type { Fault } from './faults.js';
import type { SimGitHub } from './github.js';
import type { SimMachine, SimProvider } from './provider.js';
import { SimSession } from './session.js';
import { configurationOf, SCALE_SETS, type Shape } from './shape.js';
import { between, MINUTE, note, pick, SECOND, type World } from './world.js';

export interface TroubleParts {
  readonly world: World;
  readonly github: SimGitHub;
  readonly providers: ReadonlyMap<string, SimProvider>;
  readonly crew: Crew;
  readonly shape: Shape;
}

type Strike = (parts: TroubleParts) => void;

/** What is done to the world now and then, and how often compared with the others. */
const STRIKES: readonly (readonly [fault: Fault, weight: number, strike: Strike])[] = [
  ['github outage', 1, githubOutage],
  ['session lost', 4, ({ github, world }) => pick(world, [...github.sets.values()])?.session?.lose('GitHub wants it')],
  ['session of somebody else', 1, foreignSession],
  ['scale set vanished', 0.3, vanish],
  ['foreign registration', 1, foreignRegistration],
  ['list in part', 3, ({ providers, world }) => partOutage(providers.get('b'), world)],
  ['provider outage', 2, providerOutage],
  ['throttled', 3, ({ providers, world }) => slow(pick(world, [...providers.values()]), world)],
  [
    'machine undeletable',
    2,
    onMachine((machine, { world }) => {
      machine.undeletableUntil = world.scheduler.now + between(world, 20 * SECOND, 60 * MINUTE);
    }),
  ],
  [
    'machine vanishes',
    4,
    onMachine((machine, { providers }) => {
      doom(machine);
      providers.get(machine.provider)?.take(machine);
    }),
  ],
  [
    'machine ends',
    4,
    onMachine((machine, { providers }) => {
      doom(machine);
      providers.get(machine.provider)?.end(machine);
    }),
  ],
  [
    'machine state unknown',
    3,
    onMachine((machine, { world }) => {
      if (machine.unknownSince !== undefined) return;
      machine.unknownSince = world.scheduler.now;
      world.scheduler.after(between(world, 5 * SECOND, 12 * MINUTE), () => {
        machine.unknownSince = undefined;
      });
    }),
  ],
  ['machine copied', 1.5, onMachine(copyMachine)],
  ['labels copied', 1, onMachine(copyLabels)],
  ['foreign machine', 1, foreignMachine],
  ['runner offline briefly', 5, onMachine((machine, parts) => offline(machine, parts, 5 * SECOND, 90 * SECOND))],
  [
    'runner offline for long',
    2,
    onMachine((machine, parts) => {
      doom(machine);
      offline(machine, parts, 6 * MINUTE, 25 * MINUTE);
    }),
  ],
  [
    'jobs cancelled',
    4,
    ({ github, world }) => {
      const set = github.set(pick(world, SCALE_SETS) ?? 'vm');
      github.cancelWaiting(set, Math.ceil(between(world, 0, set.waiting.length + 1)));
    },
  ],
  [
    'daemon killed',
    4,
    ({ crew, world }) => {
      crew.sweep();
      const daemon = pick(world, crew.living);
      if (!daemon) return;
      crew.kill(daemon);
    },
  ],
  [
    'daemon stopped',
    1,
    ({ crew, world }) => {
      crew.sweep();
      pick(world, crew.living)?.stop();
    },
  ],
  [
    'second daemon',
    2,
    ({ crew, world, shape }) => {
      crew.sweep();
      if (crew.living.length >= 2) return;
      // One in four is configured otherwise: other limits, and perhaps another lead.
      if (world.random.fraction() < 0.25) crew.startAside(configurationOf(world.random, shape));
      else crew.start();
    },
  ],
  ['configuration changed', 2, reconfigure],
  ['pause', 1.5, pause],
  [
    'clock set wrong',
    0.7,
    ({ crew, world }) => {
      const daemon = pick(world, crew.living);
      if (daemon) daemon.life.wallOffsetMs = between(world, -10, 10) * MINUTE;
    },
  ],
];

const TOTAL = STRIKES.reduce((sum, [, weight]) => sum + weight, 0);

/** Strikes once. @returns what with, if this run has that kind of trouble */
export function strike(parts: TroubleParts): void {
  const { world } = parts;
  let dice = world.random.fraction() * TOTAL;
  for (const [fault, weight, run] of STRIKES) {
    dice -= weight;
    if (dice > 0) continue;
    if (!world.faults.strike(fault)) return;
    note(world, 'strike', fault);
    world.scheduler.wake();
    run(parts);
    return;
  }
}

/** All trouble ends now. */
export function calm({ world, github, providers, crew }: TroubleParts): void {
  world.faults.calm = true;
  world.scheduler.wake();
  github.downUntil = 0;
  for (const provider of providers.values()) {
    provider.downUntil = 0;
    provider.partDownUntil = Math.min(provider.partDownUntil, world.scheduler.now);
    provider.slowUntil = 0;
    provider.room = 0;
    for (const machine of provider.machines.values()) {
      machine.unknownSince = undefined;
      machine.undeletableUntil = 0;
      machine.hiddenUntil = Math.min(machine.hiddenUntil, world.scheduler.now);
    }
  }
  for (const runner of github.runners.values())
    if (runner.everOnline && !runner.job?.doomed && hasMachine(providers, runner.name)) github.goOnline(runner);
  for (const set of github.sets.values()) {
    if (set.session && !set.session.life) set.session.lose('its owner leaves');
    github.match(set);
  }
  for (const daemon of crew.living) daemon.life.callsLeft = Number.POSITIVE_INFINITY;
}

function hasMachine(providers: ReadonlyMap<string, SimProvider>, name: string): boolean {
  for (const { byName } of providers.values()) {
    for (const { runner } of byName.get(name) ?? []) if (runner) return true;
  }
  return false;
}

const doom = ({ runner }: SimMachine): void => {
  if (runner?.job) runner.job.doomed = true;
};

function onMachine(run: (machine: SimMachine, parts: TroubleParts) => void): Strike {
  return (parts) => {
    const provider = pick(parts.world, [...parts.providers.values()]);
    const machine = provider && pick(parts.world, [...provider.machines.values()]);
    if (machine && !machine.foreign && machine.state !== 'stopped') run(machine, parts);
  };
}

function githubOutage({ github, world }: TroubleParts): void {
  const long = world.random.fraction() < 0.15;
  github.goDown(long ? 60 * MINUTE : between(world, 20 * SECOND, 8 * MINUTE));
}

function foreignSession({ github, world }: TroubleParts): void {
  const set = github.set(pick(world, SCALE_SETS) ?? 'vm');
  if (set.id === 0 || set.session?.open) return;
  const session = new SimSession({ github, set, life: undefined });
  set.session = session;
  world.scheduler.after(between(world, 30 * SECOND, 12 * MINUTE), () => session.lose('its owner leaves'));
}

function vanish({ github, providers, world }: TroubleParts): void {
  const set = github.set(pick(world, SCALE_SETS) ?? 'vm');
  if (set.id === 0) return;
  for (const { machines } of providers.values()) {
    for (const machine of machines.values()) if (machine.labels[LABEL.scaleSet] === set.name) doom(machine);
  }
  github.vanish(set);
}

const hex = (world: World): string =>
  Math.floor(world.random.fraction() * 2 ** 32)
    .toString(16)
    .padStart(8, '0');

function foreignRegistration({ github, world }: TroubleParts): void {
  if ([...github.runners.values()].filter(({ foreign }) => foreign).length >= 5) return;
  const set = github.set(pick(world, SCALE_SETS) ?? 'vm');
  const runner = github.register(`${set.name}-${hex(world)}`, set, true);
  if (world.random.fraction() < 0.5) github.goOnline(runner);
}

function foreignMachine({ providers, world }: TroubleParts): void {
  const provider = pick(world, [...providers.values()]);
  if (!provider || [...provider.machines.values()].filter(({ foreign }) => foreign).length >= 4) return;
  const scaleSet = pick(world, SCALE_SETS) ?? 'vm';
  const name = `${scaleSet}-${hex(world)}`;
  const identity = { installation: world.installation, scaleSet, runner: name, revision: 'r1' };
  const labels = pick(world, [
    {},
    runnerLabels({ ...identity, installation: 'gh-000000000000' }),
    runnerLabels({ ...identity, scaleSet: 'old' }),
  ]);
  provider.put(name, labels ?? {}, { foreign: true, ...(world.random.fraction() < 0.3 && { state: 'stopped' }) });
}

/** "Launch more like this": the same name and labels, and nobody's registration. */
function copyMachine(machine: SimMachine, { providers, world }: TroubleParts): void {
  if (machine.labels[LABEL.runner] !== machine.name) return;
  pick(world, [...providers.values()])?.put(machine.name, machine.labels);
}

function copyLabels(machine: SimMachine, { providers, world }: TroubleParts): void {
  const provider = providers.get(machine.provider);
  if (!provider || [...provider.machines.values()].filter(({ foreign }) => foreign).length >= 4) return;
  provider.put(`${machine.name}-copy-${hex(world)}`, machine.labels, { foreign: true });
}

function offline(machine: SimMachine, { github, world }: TroubleParts, least: number, most: number): void {
  const { runner } = machine;
  if (!runner?.online) return;
  github.goOffline(runner);
  // Some do not come back at all: their jobs come to an end only as they are taken for stuck.
  if (runner.job?.doomed && world.random.fraction() < 0.4) return;
  world.scheduler.after(between(world, least, most), () => {
    if (machine.runner === runner && machine.state !== 'stopped') github.goOnline(runner);
  });
}

function partOutage(provider: SimProvider | undefined, world: World): void {
  if (provider) provider.partDownUntil = world.scheduler.now + between(world, 20 * SECOND, 12 * MINUTE);
}

function providerOutage({ providers, world }: TroubleParts): void {
  const provider = pick(world, [...providers.values()]);
  if (!provider) return;
  const long = world.random.fraction() < 0.3;
  provider.downUntil = world.scheduler.now + (long ? 60 * MINUTE : between(world, 20 * SECOND, 9 * MINUTE));
}

function slow(provider: SimProvider | undefined, world: World): void {
  if (provider) provider.slowUntil = world.scheduler.now + between(world, MINUTE, 6 * MINUTE);
}

function reconfigure({ crew, world, shape }: TroubleParts): void {
  crew.configuration = configurationOf(world.random, shape);
  crew.sweep();
  // All of them: two daemons of one installation are to be configured alike.
  for (const daemon of crew.living) {
    const dice = world.random.fraction();
    if (dice < 0.5) daemon.apply(crew.configuration);
    else if (dice < 0.8) daemon.stop();
    else crew.kill(daemon);
  }
}

function pause({ crew, world }: TroubleParts): void {
  const daemon = pick(world, crew.living);
  const scaleSet = daemon && pick(world, daemon.configuration.scaleSets);
  if (!daemon?.alive || !scaleSet) return;
  const { reconciler, life } = daemon;
  reconciler.pause(scaleSet.name);
  world.scheduler.after(between(world, 10 * SECOND, 4 * MINUTE), () => {
    if (life.over || daemon.stopped || !daemon.policy(scaleSet.name)) return;
    world.scheduler.wake();
    reconciler.resume(scaleSet.name);
  });
}
