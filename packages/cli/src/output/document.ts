import type { Output } from '../command.js';

/** How something is printed. */
export type Format = 'table' | 'wide' | 'json' | 'yaml' | 'name';

/** Flags as the command line gives them. */
export interface FormatFlags extends Readonly<Record<string, unknown>> {
  readonly output?: unknown;
  readonly json?: unknown;
}

const FORMATS: ReadonlySet<unknown> = new Set<Format>(['wide', 'json', 'yaml', 'name']);

/** The format that the flags ask for. */
export function formatOf({ output, json }: FormatFlags): Format {
  if (json === true) return 'json';
  return FORMATS.has(output) ? (output as Format) : 'table';
}

/** One thing in each of the ways it can be printed. */
export interface Printable {
  /** Lines for people. */
  lines(wide: boolean): readonly string[];
  /** The same for programs. */
  readonly document: object;
  /** The names of what is listed. */
  readonly names: readonly string[];
}

/** Prints it in one write. */
export async function print(what: Printable, format: Format, stdout: Output): Promise<void> {
  stdout.write(await textOf(what, format));
}

/** The text of {@link print}, with a line feed at its end unless it is empty. */
export async function textOf(what: Printable, format: Format): Promise<string> {
  switch (format) {
    case 'table':
    case 'wide':
      return joined(what.lines(format === 'wide'));
    case 'name':
      return joined(what.names);
    case 'json':
      return jsonText(what.document);
    case 'yaml': {
      const { yamlOf } = await import('@rungar/config');
      return yamlOf({ ...what.document });
    }
  }
}

/** A JSON document, indented by two. What a web page could take for markup is escaped, as the Go daemon's is. */
export function jsonText(document: object): string {
  const asCode = (character: string): string => `\\u00${character.charCodeAt(0).toString(16)}`;
  return `${JSON.stringify(document, null, 2).replace(/[<>&]/g, asCode)}\n`;
}

function joined(lines: readonly string[]): string {
  return lines.length === 0 ? '' : `${lines.join('\n')}\n`;
}
