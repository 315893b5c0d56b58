import { looksLikeCredential, REDACTED, withoutCredentials } from '../credential-like.js';
import { text, type YamlEntry, type YamlNode } from './yaml-node.js';

/** Keys of a runner block whose members have names of the user's own. */
const NAMED_VALUES: ReadonlySet<string> = new Set(['env', 'metadata', 'tags']);
/** Keys of a runner block that hold a script. */
const SCRIPTS: ReadonlySet<string> = new Set(['user_data', 'startup_script']);

/**
 * A runner block without what looks like a credential: such values of `env`, `metadata` and `tags` as a whole, and such
 * parts of a script or a command. Everything else stays as it is.
 */
export function redactRunner(block: YamlNode): YamlNode {
  if (block.kind !== 'map') return block;
  return { kind: 'map', entries: block.entries.map(([key, value]): YamlEntry => [key, redactMember(key, value)]) };
}

function redactMember(key: string, value: YamlNode): YamlNode {
  if (SCRIPTS.has(key) && value.kind === 'text') return text(withoutCredentials(value.text));
  if (key === 'command' && value.kind === 'list') return { ...value, items: value.items.map(redactArgument) };
  if (!NAMED_VALUES.has(key) || value.kind !== 'map') return value;
  return { kind: 'map', entries: value.entries.map(([name, member]): YamlEntry => [name, redactValue(name, member)]) };
}

/** An argument may be a script, or the value of the flag before it: `--password`, `hunter2`. */
function redactArgument(argument: YamlNode, index: number, all: readonly YamlNode[]): YamlNode {
  const [, flag] = /^--?([\w-]+)$/.exec(textOf(all[index - 1]) ?? '') ?? [];
  const shown = textOf(argument);
  if (shown === undefined) return argument;
  if (flag !== undefined && !shown.startsWith('-') && looksLikeCredential(shown, flag)) return text(REDACTED);
  return argument.kind === 'text' ? text(withoutCredentials(shown)) : argument;
}

function textOf(node: YamlNode | undefined): string | undefined {
  if (node?.kind === 'text') return node.text;
  return node?.kind === 'bare' ? node.source : undefined;
}

function redactValue(name: string, value: YamlNode): YamlNode {
  const shown = textOf(value);
  return shown !== undefined && looksLikeCredential(shown, name) ? text(REDACTED) : value;
}
