import type { Command } from '../command.js';
import { completionCommand } from './completion.js';
import { configCommand } from './config.js';
import { devCommand } from './dev.js';
import { doctorCommand } from './doctor.js';
import { eventsCommand } from './events.js';
import { explainCommand } from './explain.js';
import { githubCommand } from './github.js';
import { labelsCommand } from './labels.js';
import { planCommand } from './plan.js';
import { providersCommand } from './providers.js';
import { reconcileCommand } from './reconcile.js';
import { reloadCommand } from './reload.js';
import { replayCommand } from './replay.js';
import { runnersCommand } from './runners.js';
import { scaleSetsCommand } from './scale-sets.js';
import { serveCommand } from './serve.js';
import { statusCommand } from './status.js';
import { topCommand } from './top.js';
import { validateCommand } from './validate.js';
import { waitCommand } from './wait.js';

/** Every command, in the order of the help. */
export const commands: readonly Command[] = [
  serveCommand,
  statusCommand,
  topCommand,
  eventsCommand,
  reconcileCommand,
  scaleSetsCommand,
  providersCommand,
  runnersCommand,
  waitCommand,
  reloadCommand,
  planCommand,
  explainCommand,
  replayCommand,
  validateCommand,
  doctorCommand,
  configCommand,
  githubCommand,
  labelsCommand,
  completionCommand,
  devCommand,
];
