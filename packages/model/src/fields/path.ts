/** The path of a mapping's member, as an author would say it: `github.url`, `tags["a.b"]`. */
export function memberPath(path: string, key: string): string {
  if (!/^[A-Za-z0-9_-]+$/.test(key)) return `${path}[${JSON.stringify(key)}]`;
  return path === '' ? key : `${path}.${key}`;
}

/** The path of a list's item, counted from 0: `scale_sets[0]`. */
export function itemPath(path: string, index: number): string {
  return `${path}[${index}]`;
}
