import { Composer, type Document, Lexer, type ParsedNode, Parser } from 'yaml';

/** Nesting beyond this is nobody's configuration, and would exhaust the stack of whoever walks it. */
export const MOST_DEPTH = 100;
/** The pieces (words, marks, line ends) of a text; one full of plain keys has about half as many. */
const PIECES_PER_BYTE = 600_000 / (1024 * 1024);

/** Lines that begin with `%`, before the document. */
const MOST_DIRECTIVES = 100;

/** Something that is wrong with a text as YAML, at an offset in it. */
export interface SyntaxProblem {
  readonly offset: number;
  readonly message: string;
  readonly hint?: string;
}

export interface Composed {
  /** What each document holds; nothing for an empty one. */
  readonly documents: readonly (ParsedNode | null)[];
  readonly problems: readonly SyntaxProblem[];
  /** The document that is one too many, if there is one. Those before it are whole. */
  readonly surplus?: SyntaxProblem;
}

export interface ComposeLimits {
  /** How many documents are read; one more is a problem. */
  readonly mostDocuments: number;
  /** How many bytes the text may have had; the work is bounded in proportion. */
  readonly mostBytes: number;
}

/**
 * Parses YAML documents into nodes whose scalars are all text. Both the work and the depth are bounded, so that a
 * hostile text is refused rather than run out on.
 */
export function compose(text: string, { mostDocuments, mostBytes }: ComposeLimits): Composed {
  const composer = new Composer({
    schema: 'failsafe',
    uniqueKeys: false,
    merge: false,
    strict: true,
    logLevel: 'silent',
  });
  const documents: Document.Parsed[] = [];
  const unclosed = new Map<number, number>();
  const limits = { documents: mostDocuments, pieces: Math.ceil(mostBytes * PIECES_PER_BYTE) };
  try {
    for (const token of tokensOf(text, unclosed, limits)) documents.push(...composer.next(token));
    documents.push(...composer.end(false, text.length));
  } catch (error) {
    if (error instanceof LimitReached) return { documents: [], problems: [error.problem] };
    throw error;
  }
  if (documents.length === 0) {
    return { documents: [], problems: composer.streamInfo().errors.map((error) => toProblem(error, unclosed)) };
  }
  const read = documents.slice(0, mostDocuments);
  const problems = read.flatMap((document) => document.errors.map((error) => toProblem(error, unclosed)));
  const contents = read.map((document) => document.contents);
  if (documents.length <= mostDocuments) return { documents: contents, problems };
  const surplus: SyntaxProblem = {
    offset: startOfDocument(text, read.at(-1)?.range[2] ?? 0),
    message:
      mostDocuments === 1
        ? 'a second document begins here, and only one is read'
        : `more than ${mostDocuments} documents are not read`,
    hint: 'take away everything from this "---" on',
  };
  return { documents: contents, problems, surplus };
}

class LimitReached extends Error {
  readonly problem: SyntaxProblem;

  constructor(offset: number, message: string) {
    super(message);
    this.problem = { offset, message };
  }
}

/** @param unclosed takes the quoted texts that do not end: where each stops, and where it began */
function* tokensOf(
  text: string,
  unclosed: Map<number, number>,
  most: { readonly documents: number; readonly pieces: number },
): Generator<Parameters<Composer['next']>[0]> {
  const lexer = new Lexer();
  const parser = new Parser();
  let pieces = 0;
  let documents = 0;
  let directives = 0;
  for (const piece of lexer.lex(text)) {
    if (isUnclosed(piece)) unclosed.set(parser.offset + piece.length, parser.offset);
    for (const token of parser.next(piece)) {
      yield token;
      if (token.type === 'directive' && ++directives > MOST_DIRECTIVES) {
        throw new LimitReached(token.offset, `more than ${MOST_DIRECTIVES} lines before here begin with "%"`);
      }
      if (token.type === 'document' && ++documents > most.documents) return;
    }
    if (parser.stack.length > MOST_DEPTH + 1) {
      throw new LimitReached(parser.offset, `the nesting here is more than ${MOST_DEPTH} deep`);
    }
    if (++pieces > most.pieces)
      throw new LimitReached(parser.offset, 'the file holds more than anybody could have written');
  }
  yield* parser.end();
}

function isUnclosed(piece: string): boolean {
  const quote = piece.charAt(0);
  return (quote === '"' || quote === "'") && (piece.length === 1 || !piece.endsWith(quote));
}

/** Where the mark of the document after `offset` stands. */
function startOfDocument(text: string, offset: number): number {
  const mark = /^---(?=\s|$)/gm;
  mark.lastIndex = Math.max(0, offset - 4);
  const found = mark.exec(text);
  return found === null ? Math.min(offset, text.length) : found.index;
}

/** What to do about the parser's complaints that people meet most. */
const HINTS: Readonly<Record<string, string>> = {
  TAB_AS_INDENT: 'indent with spaces',
  BAD_SCALAR_START: 'put the value in quotes',
  BAD_INDENT: 'line it up with its neighbours',
  MISSING_CHAR: 'is a quote, bracket or colon missing here or above?',
  MULTILINE_IMPLICIT_KEY: 'is a quote, bracket or colon missing here or above?',
  BLOCK_AS_IMPLICIT_KEY: 'put a value that holds ": " in quotes',
  BAD_DQ_ESCAPE: 'write a backslash twice, or use single quotes',
  UNEXPECTED_TOKEN: 'is a quote, bracket or comma missing here or above?',
};

/**
 * The parser quotes the text after a colon, and that text may be a secret: its message ends there. A quote that is
 * missing is looked for where the quoted text began, not where it came to an end with the file.
 */
function toProblem(
  error: { code: string; message: string; pos: readonly [number, number] },
  unclosed: ReadonlyMap<number, number>,
): SyntaxProblem {
  const [said = ''] = error.message.split(/: |:$/, 1);
  const start = error.code === 'MISSING_CHAR' ? unclosed.get(error.pos[0]) : undefined;
  const message = start === undefined ? `${said.charAt(0).toLowerCase()}${said.slice(1)}` : 'missing closing quote';
  const hint = HINTS[error.code];
  return {
    offset: start ?? error.pos[0],
    message: `this is not YAML: ${message}`,
    ...(hint !== undefined && { hint }),
  };
}
