const SLASH = 0x2f; // /
const BANG = 0x21; // !
const QUESTION = 0x3f; // ?

const ENTITIES: ReadonlyMap<string, string> = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
]);

/**
 * Goes through an XML text without making anything of what nobody asks for. It reads what EC2 writes: elements, text
 * with entities, comments and CDATA, and no attribute but the root's namespace.
 *
 * Whoever has been given an element by {@link XmlReader.child} takes it as text, skips it, or reads its children to
 * their end.
 */
export class XmlReader {
  readonly #xml: string;
  #at = 0;
  /** Whether the element just given was `<name/>`, whose end needs no tag. */
  #empty = false;

  constructor(xml: string) {
    this.#xml = xml;
  }

  /**
   * The name of the next child of the element being read; nothing at the end of that element, which is then left. The
   * first one is the root.
   * @throws SyntaxError when the text is not XML, or ends too early
   */
  child(): string | undefined {
    if (this.#empty) {
      this.#empty = false;
      return undefined;
    }
    for (;;) {
      const tag = this.#toTag();
      switch (this.#xml.charCodeAt(tag + 1)) {
        case SLASH:
          this.#at = this.#after('>', tag);
          return undefined;
        case BANG:
        case QUESTION:
          this.#at = this.#afterAside(tag);
          break;
        default:
          return this.#open(tag);
      }
    }
  }

  /** The text of the element just given. @throws SyntaxError when it holds other elements, or is not XML */
  text(): string {
    if (this.#empty) {
      this.#empty = false;
      return '';
    }
    let text = '';
    for (;;) {
      const from = this.#at;
      const tag = this.#toTag();
      text += unescaped(this.#xml.slice(from, tag));
      const next = this.#xml.charCodeAt(tag + 1);
      if (next === SLASH) {
        this.#at = this.#after('>', tag);
        return text;
      }
      if (next !== BANG && next !== QUESTION) throw new SyntaxError('an element where text was to be');
      this.#at = this.#afterAside(tag);
      if (this.#xml.startsWith('<![CDATA[', tag)) text += this.#xml.slice(tag + 9, this.#at - 3);
    }
  }

  /** Passes over the element just given, whatever it holds. */
  skip(): void {
    if (this.#empty) {
      this.#empty = false;
      return;
    }
    for (let depth = 1; depth > 0; ) {
      const tag = this.#toTag();
      const next = this.#xml.charCodeAt(tag + 1);
      if (next === BANG || next === QUESTION) {
        this.#at = this.#afterAside(tag);
        continue;
      }
      this.#at = this.#after('>', tag);
      if (next === SLASH) depth -= 1;
      else if (this.#xml.charCodeAt(this.#at - 2) !== SLASH) depth += 1;
    }
  }

  #open(tag: number): string {
    this.#at = this.#after('>', tag);
    this.#empty = this.#xml.charCodeAt(this.#at - 2) === SLASH;
    const name = this.#xml.slice(tag + 1, this.#at - (this.#empty ? 2 : 1));
    const space = name.search(/\s/);
    return space === -1 ? name : name.slice(0, space);
  }

  #toTag(): number {
    const tag = this.#xml.indexOf('<', this.#at);
    if (tag === -1) throw new SyntaxError('the XML ends too early');
    return tag;
  }

  /** After a comment, CDATA, a declaration or an instruction. */
  #afterAside(tag: number): number {
    if (this.#xml.startsWith('<!--', tag)) return this.#after('-->', tag + 4);
    if (this.#xml.startsWith('<![CDATA[', tag)) return this.#after(']]>', tag);
    return this.#after('>', tag);
  }

  #after(end: string, from: number): number {
    const at = this.#xml.indexOf(end, from);
    if (at === -1) throw new SyntaxError('the XML ends too early');
    return at + end.length;
  }
}

/** Text as it was before it was written as XML. An entity nobody knows stays as it is. */
function unescaped(text: string): string {
  if (!text.includes('&') && !text.includes('\r')) return text;
  return text
    .replace(/\r\n?/g, '\n')
    .replace(/&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|(\w+));/gi, (whole, hex?: string, decimal?: string, name = '') => {
      if (hex === undefined && decimal === undefined) return ENTITIES.get(name) ?? whole;
      const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
      return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
    });
}
