import { type ManualClock, realClock, scopedClock } from '../clock.js';
import type { EmulatedMachine } from '../machine/machine.js';
import { realRandom } from '../random.js';
import { type Complaint, type EmulatedAnswer, startServer } from '../server.js';
import { gitHubControls } from './controls.js';
import { Credentials } from './credentials.js';
import type { GitHubEmulator } from './emulator.js';
import { JobBoard } from './jobs.js';
import { restError } from './refusals.js';
import { acquireRoutes } from './routes/acquire.js';
import { agentRoutes } from './routes/agents.js';
import { appRoutes } from './routes/apps.js';
import { controlRoutes } from './routes/control.js';
import { restRoutes } from './routes/rest.js';
import { runnerRoutes } from './routes/runner.js';
import { scaleSetRoutes } from './routes/scale-sets.js';
import { sessionRoutes } from './routes/sessions.js';
import { Runners } from './runners.js';
import { ScaleSets } from './scale-sets.js';
import { Sessions } from './sessions.js';
import { DEFAULT_SETTINGS, type GitHubEmulatorOptions, type GitHubSettings } from './settings.js';
import { World } from './world.js';

/** Starts an emulated GitHub on 127.0.0.1, laid out like an Enterprise Server: everything on one port. */
export async function startGitHubEmulator(options: GitHubEmulatorOptions = {}): Promise<GitHubEmulator> {
  const {
    port,
    scopes = ['acme'],
    people = [],
    runnerGroups = [],
    clock: time = realClock,
    random = realRandom,
    ...given
  } = options;
  const settings: GitHubSettings = { ...DEFAULT_SETTINGS, ...given };
  const clock = scopedClock(time);
  const world = new World({ clock, random, settings, scopes, people, runnerGroups });
  const board = new JobBoard(world);
  const runners = new Runners(world, board);
  const sessions = new Sessions(world, board);
  const scaleSets = new ScaleSets(world, board, runners, sessions);
  const credentials = new Credentials(world);
  const machines = new Set<EmulatedMachine>();
  const parts = { world, board, runners, sessions, scaleSets, credentials, baseUrl: () => server.url };
  const controls = gitHubControls({
    ...parts,
    machines,
    faults: {
      operations: () => new Set(routes.map(({ operation }) => String(operation))),
      add: (fault) => server.faults.add(fault),
      clear: (operation) => server.faults.clear(operation),
    },
  });
  const routes = [
    ...restRoutes(parts),
    ...appRoutes(parts),
    ...scaleSetRoutes(parts),
    ...agentRoutes(parts),
    ...acquireRoutes(parts),
    ...sessionRoutes(parts),
    ...runnerRoutes(parts),
    ...controlRoutes(controls, isManual(time) ? time : undefined),
  ];
  const server = await startServer({ routes, clock, random, refuse: complain, ...(port !== undefined && { port }) });

  return {
    ...controls,
    url: server.url,
    configUrl: `${server.url}/${scopes[0] ?? ''}`,
    requests: server.requests,
    counts: server.counts,
    failures: server.failures,
    async close() {
      clock.close();
      for (const machine of machines) machine.kill();
      await server.close();
    },
  };
}

function complain({ status, message }: Complaint): EmulatedAnswer {
  return restError(status, message);
}

function isManual(clock: object): clock is ManualClock {
  return 'advance' in clock;
}
