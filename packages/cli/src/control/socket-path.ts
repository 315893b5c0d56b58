/** Where the daemon listens unless told otherwise. */
const DEFAULT_SOCKET = '/run/rungar/rungar.sock';

/** The socket to ask: the flag, else `RUNGAR_SOCKET`, else the default. Empty counts as not given. */
export function socketPath(flag: unknown, env: Readonly<Record<string, string | undefined>>): string {
  if (typeof flag === 'string' && flag !== '') return flag;
  return env.RUNGAR_SOCKET || DEFAULT_SOCKET;
}
