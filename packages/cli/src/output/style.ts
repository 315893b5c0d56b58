import { styleText } from 'node:util';
import type { Output } from '../command.js';

/** Colour emphasises and never tells anything by itself. */
export interface Style {
  bold(text: string): string;
  dim(text: string): string;
  cyan(text: string): string;
  red(text: string): string;
  green(text: string): string;
  yellow(text: string): string;
}

/** Colours for a terminal; plain text for anything else, and wherever `NO_COLOR` is set to something. */
export function styleFor(output: Output, env: Readonly<Record<string, string | undefined>>): Style {
  const on = output.isTTY === true && !env.NO_COLOR;
  const paint =
    (format: 'bold' | 'dim' | 'cyan' | 'red' | 'green' | 'yellow') =>
    (text: string): string =>
      on && text !== '' ? styleText(format, text, { validateStream: false }) : text;
  return {
    bold: paint('bold'),
    dim: paint('dim'),
    cyan: paint('cyan'),
    red: paint('red'),
    green: paint('green'),
    yellow: paint('yellow'),
  };
}
