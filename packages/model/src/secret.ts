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

  toString(): string {
    return REDACTED;
  }

  toJSON(): string {
    return REDACTED;
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return REDACTED;
  }
}

/** Replaces every secret it holds in whatever text passes through it. One serves the whole process. */
export interface Redactor {
  /** Holds `secret` (and its base64 forms) until the returned function is called. Empty and very short values are not held. */
  hold(secret: string): () => void;
  /** `text` with every held secret replaced by `REDACTED`. */
  redact(text: string): string;
}

const SHORTEST_HELD = 8;

/** What a secret may turn up as: itself, in base64, in a URL, and each long line of a key. */
function formsOf(secret: string): ReadonlySet<string> {
  const bytes = Buffer.from(secret);
  const base64 = bytes.toString('base64');
  // The detour over bytes makes half a character whole, which encodeURIComponent would not take.
  const forms = new Set([secret, base64, base64.replace(/=+$/, ''), encodeURIComponent(bytes.toString())]);
  for (const line of secret.split('\n')) if (line.length >= 40) forms.add(line);
  return forms;
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
      for (const secret of held.keys())
        for (const form of knownFormsOf(secret)) if (out.includes(form)) out = out.replaceAll(form, REDACTED);
      return out;
    },
  };
}
