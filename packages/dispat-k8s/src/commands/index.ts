import type { Command } from '../command.js';
import { sizeCommand } from './size.js';

/** Every command, in the order of the help. */
export const commands: readonly Command[] = [sizeCommand];
