/** A deliberate fault: a text of a source file of the reconciler, and what stands there instead. */
export interface Mutant {
  readonly name: string;
  /** Below packages/reconciler/src. */
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

export const mutants: readonly Mutant[] = [];
