/** Something that happened in a run. */
export interface Happening {
  readonly at: number;
  readonly what: string;
  /** The runner, provider, scale set or daemon it is about. */
  readonly subject: string;
  readonly more: string;
}

/** What happened, newest last, and a number that tells one course of things from another. */
export class Trace {
  hash = 0x811c9dc5;
  readonly #ring: Happening[] = [];
  readonly #kept: number;
  #next = 0;

  /** @param kept of how many things it is known what they were */
  constructor(kept = 60_000) {
    this.#kept = kept;
  }

  note(at: number, what: string, subject: string, more = ''): void {
    this.#mix(what);
    this.#mix(subject);
    this.#mix(more);
    this.hash = Math.imul(this.hash ^ (at & 0x7fffffff), 0x01000193) >>> 0;
    const happening = { at, what, subject, more };
    if (this.#ring.length < this.#kept) this.#ring.push(happening);
    else this.#ring[this.#next] = happening;
    this.#next = (this.#next + 1) % this.#kept;
  }

  /** The last `count` things about any of these subjects, oldest first. */
  about(subjects: readonly string[], count: number): Happening[] {
    const wanted = new Set(subjects);
    const found: Happening[] = [];
    for (let back = 1; back <= this.#ring.length && found.length < count; back++) {
      const one = this.#ring[(this.#next - back + this.#kept * 2) % this.#kept];
      if (one && (wanted.has(one.subject) || subjects.some((subject) => one.more.includes(subject)))) found.push(one);
    }
    return found.reverse();
  }

  /** Everything whose line matches, oldest first. */
  matching(pattern: RegExp): Happening[] {
    const all = [...this.#ring.slice(this.#next), ...this.#ring.slice(0, this.#next)];
    return all.filter(({ what, subject, more }) => pattern.test(`${what} ${subject} ${more}`));
  }

  #mix(text: string): void {
    let hash = this.hash;
    for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
    this.hash = hash >>> 0;
  }
}
