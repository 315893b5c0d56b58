/** The path of a mapping's member, as an author would say it: `github.url`, `tags["a.b"]`. */
export function memberPath(path: string, key: string): string {
  if (!/^[A-Za-z0-9_-]+$/.test(key)) return `${path}[${escaped(key)}]`;
  return path === '' ? key : `${path}.${key}`;
}

/** The path of a list's item, counted from 0: `scale_sets[0]`. */
export function itemPath(path: string, index: number): string {
  return `${path}[${index}]`;
}

/** A text in quotes, with every character that could break a line or hide in one written out. */
export function escaped(text: string): string {
  return JSON.stringify(text).replace(
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu,
    (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  );
}
