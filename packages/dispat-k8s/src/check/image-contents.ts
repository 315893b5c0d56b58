/** What is known to be in the worker's image. */
export interface ImageContents {
  /** Absolute paths. */
  readonly paths: ReadonlySet<string>;
  /** The home of each user, by its number. */
  readonly homes: ReadonlyMap<number, string>;
}

/**
 * Reads what an image holds: absolute paths, one a line, and lines of its `/etc/passwd`, in any order. This prints both:
 * `docker run --rm IMAGE sh -c 'command -v dispat git ssh; cat /etc/passwd'`.
 */
export function readImageContents(text: string): ImageContents {
  const paths = new Set<string>();
  const homes = new Map<number, string>();
  for (const line of text.split(/\r?\n/)) {
    const user = /^[^:/\s]+:[^:]*:([0-9]+):[0-9]*:[^:]*:([^:]*)(?::.*)?$/.exec(line);
    if (user !== null) homes.set(Number(user[1]), user[2] ?? '');
    else if (line.startsWith('/')) paths.add(line.trim());
  }
  return { paths, homes };
}

/** Whether a program of that name is anywhere in the image. */
export function hasProgram({ paths }: ImageContents, name: string): boolean {
  for (const path of paths) if (path.endsWith(`/${name}`)) return true;
  return false;
}
