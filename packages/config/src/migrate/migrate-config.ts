import { entryOf, type Located, type LocatedMap, type Problem } from '@rungar/model';
import { parse, rewrite } from '@rungar/yaml-source';
import { FORMAT, type Format } from '../format/format.js';
import { type MigratedTree, migrateTree } from '../format/migration.js';
import { type ParseOptions, parseAs } from '../parse.js';
import { checkVersion } from '../version.js';
import { sameApartFromVersion } from './same-meaning.js';
import { setVersionInText } from './version-in-text.js';

/** A file in the words of the newest version. */
export interface MigratedConfig {
  readonly text: string;
  /** The version it declares now. */
  readonly version: number;
  /** What was changed, in words; empty when the text is as it was, byte for byte. */
  readonly changes: readonly string[];
}

/** A file that cannot be migrated. */
export interface UnmigratedConfig {
  /** What does not load: the file itself, or what would have become of it. */
  readonly refused: 'file' | 'result';
  readonly problems: readonly Problem[];
}

/**
 * Rewrites the text of a configuration file for the newest version of the format. Pure: reads and writes no file.
 *
 * Where only the version is missing or old, that alone is put into the text. Else the file is written afresh, with an
 * indent of two and its comments. What the file means stays the same, which is checked.
 * @see docs/reference/configuration.md, "Versions"
 */
export function migrateConfig(text: string, options: ParseOptions): MigratedConfig | UnmigratedConfig {
  return migrateTo(FORMAT, text, options);
}

/** {@link migrateConfig}, to a format that may be another than this release's. */
export function migrateTo(format: Format, text: string, options: ParseOptions): MigratedConfig | UnmigratedConfig {
  const before = parseAs(format, text, options);
  if (before.settings === undefined) return { refused: 'file', problems: before.problems };
  const version = format.current;
  if (before.deprecations.length === 0) return { text, version, changes: [] };

  const written = asMap(parse(text, options).root);
  const declared = checkVersion(entryOf(written, 'version')?.value, written.place, format, { add() {} });
  const tree = migrateTree(written, declared.version, format.migrations);
  const migrated = editText(text, written, tree, format, options) ?? rewriteText(text, tree, format);
  const after = parseAs(format, migrated, options);
  if (after.settings === undefined || after.deprecations.length > 0 || !sameApartFromVersion(after.root, tree.map)) {
    return { refused: 'result', problems: [...after.problems, ...after.deprecations] };
  }
  return { text: migrated, version, changes: changesOf(written, tree, format) };
}

function asMap(root: Located): LocatedMap {
  return root.kind === 'map' ? root : { kind: 'map', entries: [], place: root.place };
}

/** The text with its version alone changed, when that is all there is to do and nothing else changes by it. */
function editText(
  text: string,
  written: LocatedMap,
  tree: MigratedTree,
  { current }: Format,
  { file }: ParseOptions,
): string | undefined {
  if (tree.edits.length > 0) return undefined;
  const edited = setVersionInText(text, written, current);
  if (edited === undefined) return undefined;
  const { root, problems } = parse(edited, { file });
  const version = entryOf(asMap(root), 'version')?.value;
  const isSet = version?.kind === 'scalar' && version.source === String(current);
  return isSet && problems.length === 0 && sameApartFromVersion(root, written) ? edited : undefined;
}

function rewriteText(text: string, { edits }: MigratedTree, { current }: Format): string {
  const changes = edits.map(({ place, ...change }) => ({ line: place.line, column: place.column, ...change }));
  const fresh = rewrite(text, { changes, set: { key: 'version', value: String(current) } });
  return text.includes('\r\n') ? fresh.replaceAll('\n', '\r\n') : fresh;
}

function changesOf(written: LocatedMap, { deprecations }: MigratedTree, { current }: Format): string[] {
  const version = entryOf(written, 'version')?.value;
  const before = version?.kind === 'scalar' && !version.isNull ? version.source : undefined;
  const versionChange =
    before === undefined
      ? [`version is set to ${current}`]
      : before === `${current}`
        ? []
        : [`version ${before} is ${current} now`];
  return [...versionChange, ...deprecations.map(({ place, message }) => `line ${place.line}: ${message}`)];
}
