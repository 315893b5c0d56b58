/** A provider with what its backend says it is, where it has said. */
export interface IdentifiedProvider {
  readonly name: string;
  readonly identity?: string;
}

/**
 * Providers whose backend is one that an earlier provider leads to: each would list the other's machines, and every
 * runner would be counted twice.
 * @param providers in configured order
 * @returns by the name of the later one, the name of the first
 */
export function sameBackends(providers: Iterable<IdentifiedProvider>): ReadonlyMap<string, string> {
  const firsts = new Map<string, string>();
  const same = new Map<string, string>();
  for (const { name, identity } of providers) {
    if (identity === undefined) continue;
    const first = firsts.get(identity);
    if (first === undefined) firsts.set(identity, name);
    else same.set(name, first);
  }
  return same;
}
