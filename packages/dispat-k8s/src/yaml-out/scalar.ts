/** Words that one YAML reader or another takes for a boolean, for nothing or for a number (`E0`). */
const RESERVED = /^(y|yes|n|no|on|off|true|false|null|nan|inf|e[-+]?[0-9]+)$/i;

/** Text that no YAML dialect reads as anything else: begins with a letter or a slash, and holds nothing that YAML acts on. */
const PLAIN = /^[A-Za-z/][A-Za-z0-9_./@:+-]*$/;

/** A size is the one thing that may begin with a digit: `24Gi`. */
const SIZE = /^[0-9]+[KMGTPE]i$/;

/** Characters that cannot stand in a quoted text as they are, beyond those that JSON escapes. */
const UNPRINTABLE = /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g;

/** A text as YAML: bare when every dialect reads it back as that text, else in double quotes. */
export function yamlText(text: string): string {
  if ((PLAIN.test(text) && !text.endsWith(':') && !RESERVED.test(text)) || SIZE.test(text)) return text;
  return JSON.stringify(text).replace(
    UNPRINTABLE,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Whether a text of several lines can be a literal block: as it stands, with one line feed at its end. */
export function fitsBlock(text: string): boolean {
  return /^[!-~][^\n]*\n(?:[^\n]*\n)*$/.test(text) && /^[\n -~]*$/.test(text) && !text.endsWith('\n\n');
}
