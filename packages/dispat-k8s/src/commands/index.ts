import type { Command } from '../command.js';
import { checkCommand } from './check.js';
import { demandCommand } from './demand.js';
import { explainCommand } from './explain.js';
import { generateCommand } from './generate.js';
import { initCommand } from './init.js';
import { orchestratorCommand } from './orchestrator.js';
import { sizeCommand } from './size.js';

/** Every command, in the order of the help. */
export const commands: readonly Command[] = [
  initCommand,
  generateCommand,
  orchestratorCommand,
  checkCommand,
  explainCommand,
  sizeCommand,
  demandCommand,
];
