/** The variable the runner program reads its registration from. */
const JIT_VARIABLE = 'ACTIONS_RUNNER_INPUT_JITCONFIG';

/**
 * The script a machine boots with: `script` with the registration exported in a line after its first. A carriage
 * return stays with the line it ends.
 * @param jitConfig the registration, a secret
 */
export function userDataScript(script: string, jitConfig: string): string {
  const quoted = `'${jitConfig.replaceAll("'", "'\\''")}'`;
  const line = `export ${JIT_VARIABLE}=${quoted}\n`;
  const firstLineEnd = script.indexOf('\n') + 1;
  if (firstLineEnd === 0) return `${script}\n${line}`;
  return script.slice(0, firstLineEnd) + line + script.slice(firstLineEnd);
}

/** {@link userDataScript} as EC2 takes it. */
export function encodeUserData(script: string, jitConfig: string): string {
  return Buffer.from(userDataScript(script, jitConfig)).toString('base64');
}
