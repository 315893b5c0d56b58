/** A piece of a shell word. */
export type Part =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'variable'; readonly name: string; readonly operator: string; readonly argument: string }
  /** What only running it would tell: `$(…)`, backticks, arithmetic. */
  | { readonly kind: 'unknown' };

export type Word = readonly Part[];

export interface Redirect {
  /** `>`, `>>`, `<`; descriptors other than 0 and 1 are left out. */
  readonly operator: string;
  readonly target: Word;
}

export interface Heredoc {
  /** Whether the delimiter was quoted: then the body is taken as it is. */
  readonly quoted: boolean;
  readonly delimiter: string;
  readonly body: string;
}

/** One simple command of a script. */
export interface ShellCommand {
  readonly words: readonly Word[];
  readonly redirects: readonly Redirect[];
  readonly heredocs: readonly Heredoc[];
}

/** A text is not looked at beyond this. */
const MOST_COMMANDS = 2_000;

/** Takes a POSIX shell script apart into its simple commands, in written order. Never throws. */
export function commandsOf(script: string): readonly ShellCommand[] {
  const reader = new ScriptReader(script);
  const commands: ShellCommand[] = [];
  while (!reader.atEnd && commands.length < MOST_COMMANDS) {
    const command = reader.command();
    if (command.words.length > 0 || command.redirects.length > 0 || command.heredocs.length > 0) commands.push(command);
  }
  return commands;
}

/** The parts of a text in which a shell expands variables: a heredoc's body, the inside of double quotes. */
export function expandable(text: string): Word {
  return new ScriptReader(text).rest();
}

interface OpenHeredoc {
  readonly delimiter: string;
  readonly quoted: boolean;
  readonly dropTabs: boolean;
  readonly into: Heredoc[];
}

class ScriptReader {
  readonly #text: string;
  #at = 0;
  /** Heredocs whose body begins at the next line end. */
  #open: OpenHeredoc[] = [];

  constructor(text: string) {
    this.#text = text;
  }

  get atEnd(): boolean {
    return this.#at >= this.#text.length;
  }

  /** Everything that is left, as within double quotes; quotes themselves are text. */
  rest(): Word {
    const parts: Part[] = [];
    while (!this.atEnd) this.#expansionOrText(parts, HEREDOC_ESCAPES);
    return parts;
  }

  command(): ShellCommand {
    const words: Word[] = [];
    const redirects: Redirect[] = [];
    const heredocs: Heredoc[] = [];
    for (;;) {
      this.#skipBlanks();
      if (this.#operator() || this.atEnd) return { words, redirects, heredocs };
      if (!this.#redirect(redirects, heredocs)) words.push(this.#word());
    }
  }

  #take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    if (found !== undefined) this.#at += found.length;
    return found;
  }

  #skipBlanks(): void {
    this.#take(/(?:[ \t\r]|\\\n)*/y);
    if (this.#text[this.#at] === '#') this.#take(/[^\n]*/y);
  }

  #operator(): boolean {
    const operator = this.#take(/;;&?|;&|&&|\|\||[;&|()\n]/y);
    if (operator === '\n') this.#bodies();
    return operator !== undefined;
  }

  #bodies(): void {
    for (const { delimiter, quoted, dropTabs, into } of this.#open.splice(0)) {
      const lines: string[] = [];
      while (!this.atEnd) {
        const line = this.#take(/[^\n]*\n?/y) ?? '';
        const bare = dropTabs ? line.replace(/^\t+/, '') : line;
        if (bare.replace(/\n$/, '') === delimiter) break;
        lines.push(bare);
      }
      into.push({ quoted, delimiter, body: lines.join('') });
    }
  }

  #redirect(redirects: Redirect[], heredocs: Heredoc[]): boolean {
    const operator = this.#take(/[0-9]*(?:<<-?(?!<)|<<<|<>|>>|>\||[<>]&|[<>])|&>>?/y);
    if (operator === undefined) return false;
    this.#skipBlanks();
    const [, descriptor = '', sign = ''] = /^([0-9]*)(.*)$/.exec(operator) ?? [];
    const quoted = /['"\\]/.test(this.#text[this.#at] ?? '');
    const target = this.#word();
    if (sign === '<<' || sign === '<<-') {
      const delimiter = target.map((part) => (part.kind === 'text' ? part.text : '')).join('');
      this.#open.push({ delimiter, quoted, dropTabs: sign === '<<-', into: heredocs });
    } else if (descriptor === '' || descriptor === '0' || descriptor === '1') {
      redirects.push({ operator: sign === '>|' ? '>' : sign, target });
    }
    return true;
  }

  #word(): Word {
    const parts: Part[] = [];
    const start = this.#at;
    while (!this.atEnd && !/[ \t\r\n;&|()<>]/.test(this.#text[this.#at] ?? '')) {
      const plain = this.#take(/[^ \t\r\n;&|()<>'"\\$`]+/y);
      if (plain !== undefined) parts.push({ kind: 'text', text: plain });
      else this.#quotedOrExpansion(parts);
    }
    // Something that is no word and no operator: step over it rather than stand still.
    if (this.#at === start) this.#at++;
    return parts;
  }

  #quotedOrExpansion(parts: Part[]): void {
    const character = this.#text[this.#at];
    if (character === "'") {
      const quoted = this.#take(/'[^']*'?/y) ?? '';
      parts.push({ kind: 'text', text: quoted.replace(/^'|'$/g, '') });
    } else if (character === '"') {
      this.#at++;
      parts.push({ kind: 'text', text: '' });
      while (!this.atEnd && this.#text[this.#at] !== '"') this.#expansionOrText(parts, QUOTE_ESCAPES);
      this.#at++;
    } else if (character === '\\') {
      const escaped = this.#text[this.#at + 1] ?? '';
      this.#at += 2;
      if (escaped !== '\n') parts.push({ kind: 'text', text: escaped });
    } else {
      this.#expansion(parts);
    }
  }

  #expansionOrText(parts: Part[], escapes: RegExp): void {
    const character = this.#text[this.#at];
    if (character === '$' || character === '`') {
      this.#expansion(parts);
      return;
    }
    if (character === '\\') {
      const escaped = this.#text[this.#at + 1] ?? '';
      this.#at += 2;
      if (escaped === '\n') return;
      parts.push({ kind: 'text', text: escapes.test(escaped) ? escaped : `\\${escaped}` });
      return;
    }
    const plain = escapes === QUOTE_ESCAPES ? this.#take(/[^$`\\"]+/y) : this.#take(/[^$`\\]+/y);
    if (plain === undefined) this.#at++;
    else parts.push({ kind: 'text', text: plain });
  }

  #expansion(parts: Part[]): void {
    const simple = this.#take(/\$(?:[A-Za-z_][A-Za-z0-9_]*|[0-9@*#?$!-])/y);
    if (simple !== undefined) {
      parts.push({ kind: 'variable', name: simple.slice(1), operator: '', argument: '' });
      return;
    }
    const braced = this.#take(/\$\{[A-Za-z_][A-Za-z0-9_]*(?::?[-=?+]|##?|%%?)?[^}`$"']*\}/y);
    if (braced !== undefined) {
      const match = /^\$\{([A-Za-z_][A-Za-z0-9_]*)(:?[-=?+]|##?|%%?)?(.*)\}$/s.exec(braced);
      const [, name = '', operator = '', argument = ''] = match ?? [];
      parts.push(
        operator === '' && argument !== '' ? { kind: 'unknown' } : { kind: 'variable', name, operator, argument },
      );
      return;
    }
    if (this.#text[this.#at] === '`') {
      this.#take(/`(?:[^`\\]|\\[\s\S])*`?/y);
      parts.push({ kind: 'unknown' });
    } else if (/^\$[({]/.test(this.#text.slice(this.#at, this.#at + 2))) {
      this.#skipBalanced();
      parts.push({ kind: 'unknown' });
    } else {
      this.#at++;
      parts.push({ kind: 'text', text: '$' });
    }
  }

  /** Over `$(…)` or `${…}`, counting brackets of the same kind. */
  #skipBalanced(): void {
    const open = this.#text[this.#at + 1];
    const close = open === '(' ? ')' : '}';
    this.#at += 2;
    for (let depth = 1; depth > 0 && !this.atEnd; this.#at++) {
      const character = this.#text[this.#at];
      if (character === '\\') this.#at++;
      else if (character === open) depth++;
      else if (character === close) depth--;
    }
  }
}

/** What a backslash takes the meaning from: within double quotes, and in a heredoc. */
const QUOTE_ESCAPES = /^[$`"\\]$/;
const HEREDOC_ESCAPES = /^[$`\\]$/;
