import { looksLikeCredential, REDACTED, withoutCredentials } from '../credential-like.js';
import { text, type YamlEntry, type YamlNode } from './yaml-node.js';

/** Keys of a runner block whose members have names of the user's own. */
const NAMED_VALUES: ReadonlySet<string> = new Set(['env', 'metadata']);
/** Keys of a runner block that hold a script. */
const SCRIPTS: ReadonlySet<string> = new Set(['user_data', 'startup_script']);

/**
 * A runner block without what looks like a credential: such values of `env` and `metadata` as a whole, and such parts
 * of a script. Everything else stays as it is.
 */
export function redactRunner(block: YamlNode): YamlNode {
  if (block.kind !== 'map') return block;
  return { kind: 'map', entries: block.entries.map(([key, value]): YamlEntry => [key, redactMember(key, value)]) };
}

function redactMember(key: string, value: YamlNode): YamlNode {
  if (SCRIPTS.has(key) && value.kind === 'text') return text(withoutCredentials(value.text));
  if (!NAMED_VALUES.has(key) || value.kind !== 'map') return value;
  return { kind: 'map', entries: value.entries.map(([name, member]): YamlEntry => [name, redactValue(name, member)]) };
}

function redactValue(name: string, value: YamlNode): YamlNode {
  if (value.kind !== 'text' && value.kind !== 'bare') return value;
  return looksLikeCredential(value.kind === 'text' ? value.text : value.source, name) ? text(REDACTED) : value;
}
