/** An instant that is worked out anew each time moves a little each time: not so by whole seconds. */
export function wholeSecond(instant: number): number {
  return Math.round(instant / 1000) * 1000;
}

/** To one place after the point: what nobody sees change is not sent. */
export function tenths(value: number): number {
  return Math.round(value * 10) / 10;
}
