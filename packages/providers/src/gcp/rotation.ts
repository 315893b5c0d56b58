/** The place in the order of zones to begin with: one further with every machine of a scale set. */
export type Rotation = (scaleSet: string) => number;

export function createRotation(): Rotation {
  const next = new Map<string, number>();
  return (scaleSet) => {
    const place = next.get(scaleSet) ?? 0;
    next.set(scaleSet, place + 1);
    return place;
  };
}
