/** A ref as `git ls-remote` prints it; `id` makes its hex digits and object id distinct. */
export function refLine(
  node: string,
  kind: string,
  { date = '20260820', id = 1 }: { date?: string; id?: number } = {},
): string {
  return `${hex(id, 40)}\trefs/heads/dispat-worker-${node}-${date}-${kind}-${hex(id, 32)}`;
}

function hex(id: number, digits: number): string {
  return id.toString(16).padStart(digits, '0');
}
