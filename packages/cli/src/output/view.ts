import type { World } from '../command.js';
import { type Style, styleFor } from './style.js';

/** How and where something is shown. */
export interface View {
  readonly style: Style;
  /** The terminal's columns; unset shows every column of every table. */
  readonly width?: number;
  /** Epoch milliseconds, to tell ages. */
  readonly now: number;
}

/** What `world` shows: colours and a limited width only on a terminal. */
export function viewOf({ stdout, env, clock }: Pick<World, 'stdout' | 'env' | 'clock'>): View {
  const { isTTY, columns } = stdout;
  return {
    style: styleFor(stdout, env),
    now: clock.wallNow(),
    ...(isTTY === true && columns !== undefined && { width: columns }),
  };
}

/** A title with the number of what stands under it. */
export function sectionTitle(title: string, count: number, { style }: View): string {
  return `${style.bold(title)} ${style.dim(`(${count})`)}`;
}
