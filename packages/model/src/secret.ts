const REDACTED = 'REDACTED';

/** A value that no log, error, event or JSON shows by accident: only {@link Secret.reveal} gives it. */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  /** The value itself. Call it where the value leaves for its one destination, and nowhere else. */
  reveal(): string {
    return this.#value;
  }

  /** @returns a placeholder, whatever the secret is */
  toString(): string {
    return REDACTED;
  }

  /** @returns a placeholder, whatever the secret is */
  toJSON(): string {
    return REDACTED;
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return REDACTED;
  }
}

/** Replaces every secret it holds in whatever text passes through it. One serves the whole process. */
export interface Redactor {
  /**
   * Holds `secret` (and its base64 forms) until the returned function is called, and of a long one its beginning and its
   * end, as whatever shortens a text would leave them. Empty and very short values are not held.
   */
  hold(secret: string): () => void;
  /** `text` with every held secret replaced by `REDACTED`. */
  redact(text: string): string;
}

const SHORTEST_HELD = 8;
/** A secret of this length has pieces worth holding. */
const LONG = 24;
/** How much of its beginning or its end is a piece. */
const SHORTEST_PIECE = 8;

/** What a secret may turn up as: itself, in base64, in a URL, and each long line of a key. */
function formsOf(secret: string): ReadonlySet<string> {
  const bytes = Buffer.from(secret);
  const base64 = bytes.toString('base64');
  // The detour over bytes makes half a character whole, which encodeURIComponent would not take.
  const forms = new Set([secret, base64, base64.replace(/=+$/, ''), encodeURIComponent(bytes.toString())]);
  for (const line of secret.split('\n')) if (line.length >= 40) forms.add(line);
  return forms;
}

/** `text` without `form`, nor any piece that begins or ends it. */
function without(text: string, form: string): string {
  if (form.length < LONG || isKeyText(form)) return text.includes(form) ? text.replaceAll(form, REDACTED) : text;
  return withoutEnds(withoutBeginnings(text, form), form);
}

/** What every key begins and ends with is no secret, and stands in many an error. */
const isKeyText = (form: string): boolean => form.startsWith('-----');

function withoutBeginnings(text: string, form: string): string {
  const piece = form.slice(0, SHORTEST_PIECE);
  let out = '';
  let from = 0;
  for (let at = text.indexOf(piece); at !== -1; at = text.indexOf(piece, from)) {
    let length = SHORTEST_PIECE;
    while (length < form.length && text[at + length] === form[length]) length++;
    out += text.slice(from, at) + REDACTED;
    from = at + length;
  }
  return from === 0 ? text : out + text.slice(from);
}

function withoutEnds(text: string, form: string): string {
  const piece = form.slice(-SHORTEST_PIECE);
  let out = '';
  let from = 0;
  for (let at = text.indexOf(piece); at !== -1; at = text.indexOf(piece, from)) {
    let length = SHORTEST_PIECE;
    while (at + SHORTEST_PIECE - length > from && text[at + SHORTEST_PIECE - 1 - length] === form.at(-1 - length))
      length++;
    out += text.slice(from, at + SHORTEST_PIECE - length) + REDACTED;
    from = at + SHORTEST_PIECE;
  }
  return from === 0 ? text : out + text.slice(from);
}

/** A redactor that holds nothing yet. */
export function createRedactor(): Redactor {
  const held = new Map<string, number>();
  /** Worked out with the first text to pass: most secrets come and go without one. */
  const forms = new Map<string, ReadonlySet<string>>();

  const count = (secret: string, by: 1 | -1): void => {
    const now = (held.get(secret) ?? 0) + by;
    if (now > 0) {
      held.set(secret, now);
      return;
    }
    held.delete(secret);
    forms.delete(secret);
  };

  const knownFormsOf = (secret: string): ReadonlySet<string> => {
    const known = forms.get(secret) ?? formsOf(secret);
    forms.set(secret, known);
    return known;
  };

  return {
    hold(secret) {
      if (secret.length < SHORTEST_HELD) return () => {};
      count(secret, 1);
      let released = false;
      return () => {
        if (released) return;
        released = true;
        count(secret, -1);
      };
    },
    redact(text) {
      let out = text;
      for (const secret of held.keys()) for (const form of knownFormsOf(secret)) out = without(out, form);
      return out;
    },
  };
}
