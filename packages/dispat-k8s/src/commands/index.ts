import type { Command } from '../command.js';
import { applyCommand } from './apply.js';
import { checkCommand } from './check.js';
import { deleteCommand } from './delete.js';
import { demandCommand } from './demand.js';
import { explainCommand } from './explain.js';
import { followCommand } from './follow.js';
import { generateCommand } from './generate.js';
import { initCommand } from './init.js';
import { orchestratorCommand } from './orchestrator.js';
import { sizeCommand } from './size.js';
import { waitCommand } from './wait.js';

/** Every command, in the order of the help. */
export const commands: readonly Command[] = [
  initCommand,
  generateCommand,
  orchestratorCommand,
  checkCommand,
  explainCommand,
  sizeCommand,
  demandCommand,
  applyCommand,
  waitCommand,
  followCommand,
  deleteCommand,
];
