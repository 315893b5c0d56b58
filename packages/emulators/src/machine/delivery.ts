/** What a machine was given at its creation. */
export type Delivery =
  /** A script run at boot, as the machine sees it (decoded). */
  | { readonly kind: 'user-data'; readonly text: string }
  /** The configuration itself, for backends that have a place of their own for it. */
  | { readonly kind: 'jit-config'; readonly text: string };

/** What a machine made of its delivery. */
export type FoundJitConfig = { readonly jitConfig: string } | { readonly problem: string };

const VARIABLE = 'ACTIONS_RUNNER_INPUT_JITCONFIG';

/** Finds the runner's configuration in what a machine was given, as the machine itself would come by it. */
export function findJitConfig(delivery: Delivery | undefined): FoundJitConfig {
  if (!delivery) return { problem: 'nothing was delivered to the machine' };
  if (delivery.kind === 'jit-config') {
    return delivery.text === '' ? { problem: 'the delivered configuration is empty' } : { jitConfig: delivery.text };
  }
  return readScript(delivery.text);
}

/** A script is run only if it begins `#!`; the runner in it sees what the script exports. */
function readScript(script: string): FoundJitConfig {
  if (!script.startsWith('#!')) return { problem: 'the user data is not a script: it does not begin with #!' };
  const lines = script.split('\n');
  if (lines[0]?.endsWith('\r')) {
    return { problem: 'the script cannot run: its first line ends with a carriage return, which names no interpreter' };
  }
  const prefix = `export ${VARIABLE}=`;
  const line = lines.find((candidate) => candidate.startsWith(prefix));
  if (line === undefined) return { problem: `the script does not export ${VARIABLE}` };
  const value = unquote(line.slice(prefix.length));
  if (value === undefined) return { problem: `the script's ${VARIABLE} is not one word in single quotes` };
  return value === '' ? { problem: `the script's ${VARIABLE} is empty` } : { jitConfig: value };
}

/** A word as a POSIX shell reads it: text in single quotes and `\'`, one after the other. */
function unquote(word: string): string | undefined {
  if (!/^(?:'[^']*'|\\')+$/.test(word)) return undefined;
  return word.replace(/'([^']*)'|\\'/g, (_, quoted: string | undefined) => quoted ?? "'");
}
