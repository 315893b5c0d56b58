import { type LocatedEntry, nearest, type Place } from '@rungar/model';
import { parse } from '@rungar/yaml-source';
import { MOST_INPUT_BYTES, type NamedText } from '../files.js';
import type { InputProblem, ProblemList } from '../problems.js';

/** What stands in an options file, in written order; nothing of a file that is none, whose problems are told. */
export function entriesOfOptionsFile({ name, text }: NamedText, problems: ProblemList): readonly LocatedEntry[] {
  const { root, problems: faults } = parse(text, { file: name, mostBytes: MOST_INPUT_BYTES });
  for (const { message, place, hint } of faults) {
    problems.add({
      code: message.startsWith('is set twice') ? 'YAML_DUPLICATE_KEY' : 'YAML_INVALID',
      at: name,
      found: message,
      allowed: 'one YAML or JSON document, each key once',
      fix: hint ?? 'put that line right',
      place,
    });
  }
  if (faults.length > 0) return [];
  if (root.kind === 'map') return root.entries.filter(({ key }) => key !== '$schema');
  if (root.kind === 'scalar' && root.isNull) return [];
  problems.add({
    code: 'DOCUMENT_NOT_OBJECT',
    at: name,
    found: root.kind === 'list' ? 'a list' : 'a single value',
    allowed: 'a mapping of option keys',
    fix: 'write keys with values, as in `count: 4`',
    place: root.place,
  });
  return [];
}

/** What to say of a key that is none of `known`. */
export function unknownOption(key: string, known: readonly string[], place?: Place): Omit<InputProblem, 'severity'> {
  const near = nearest(key, known);
  return {
    code: 'CONFIG_UNKNOWN_KEY',
    at: key,
    found: 'a key that is no option',
    allowed: "the command's flags in camelCase, and a pool's options",
    fix: near === undefined ? 'take it out' : `did you mean ${near}?`,
    ...(place && { place }),
  };
}

/** `ssh-mode` as a key of the file: `sshMode`. */
export function optionKey(flag: string): string {
  return flag.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
