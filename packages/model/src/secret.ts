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

/** A redactor that holds nothing yet. */
export function createRedactor(): Redactor {
  const held = new Map<string, number>();

  const count = (text: string, by: 1 | -1): void => {
    const now = (held.get(text) ?? 0) + by;
    if (now > 0) held.set(text, now);
    else held.delete(text);
  };

  return {
    hold(secret) {
      if (secret.length < SHORTEST_HELD) return () => {};
      const base64 = Buffer.from(secret).toString('base64');
      const forms = new Set([secret, base64, base64.replace(/=+$/, ''), encodeURIComponent(secret)]);
      for (const line of secret.split('\n')) if (line.length >= 40) forms.add(line);
      for (const form of forms) count(form, 1);
      let released = false;
      return () => {
        if (released) return;
        released = true;
        for (const form of forms) count(form, -1);
      };
    },
    redact(text) {
      let out = text;
      for (const secret of held.keys()) if (out.includes(secret)) out = out.replaceAll(secret, REDACTED);
      return out;
    },
  };
}
