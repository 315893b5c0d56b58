import { asShape, textOf } from './read.js';

/** What an error answer says of itself. */
export interface Fault {
  /** The service's name for the kind of error, a long .NET name; empty where there is none. */
  readonly typeName: string;
  /** Empty when the answer has no words of its own. */
  readonly message: string;
}

const LONGEST_MESSAGE = 512;
/** What a page has to say stands at its beginning. More is not searched: that takes time with the square of the length. */
const LONGEST_PAGE = 4_096;

/** The first words of an HTML page: its title, else what is left without the tags. */
function wordsOfPage(whole: string): string {
  const page = whole.slice(0, LONGEST_PAGE);
  const title = /<title[^>]*>([^<]*)<\/title>/i.exec(page)?.[1]?.trim();
  if (title) return title;
  return page.replace(/<(script|style)[\s\S]*?<\/\1>/gi, ' ').replace(/<[^>]*>/g, ' ');
}

function oneLine(text: string): string {
  const line = text.slice(0, LONGEST_PAGE).replace(/\s+/g, ' ').trim();
  return line.length > LONGEST_MESSAGE ? `${line.slice(0, LONGEST_MESSAGE)}...` : line;
}

/** Reads the body of an error answer, be it JSON of either service, plain text, a proxy's HTML page or nothing. */
export function decodeFault(body: unknown): Fault {
  const shape = asShape(body);
  if (shape) return { typeName: textOf(shape, 'typeName'), message: oneLine(textOf(shape, 'message')) };
  if (typeof body !== 'string') return { typeName: '', message: '' };
  return { typeName: '', message: oneLine(/^\s*</.test(body) ? wordsOfPage(body) : body) };
}
