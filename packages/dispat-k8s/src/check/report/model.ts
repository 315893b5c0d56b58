import type { Severity } from '../rule.js';

/** The object a finding is about. */
export interface ReportObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
}

/** One thing a rule found, with all that is needed to put it right. */
export interface Finding {
  readonly rule: string;
  readonly severity: Severity;
  readonly title: string;
  /** What is there and what it leads to. */
  readonly message: string;
  /** Why it matters. */
  readonly reason: string;
  readonly fix: string;
  /** The chapter of docs/dispat-workers.md it comes from. */
  readonly reference: string;
  readonly object?: ReportObject;
  /** JSON pointer to the field in the object; to where it would be, when it is missing. */
  readonly pointer?: string;
  readonly file?: string;
  /** From 1; of what should hold the field, when it is missing. */
  readonly line?: number;
  readonly column?: number;
}

/** A finding an annotation asks to leave out, and why. */
export interface IgnoredFinding extends Finding {
  readonly ignoredBecause: string;
}

/** The result of a check. */
export interface CheckReport {
  readonly pools: readonly (ReportObject & { readonly nodes?: readonly string[] })[];
  readonly summary: {
    readonly error: number;
    readonly warning: number;
    readonly info: number;
    readonly ignored: number;
  };
  /** Errors first, then warnings, then the rest; each in order of rule and place. */
  readonly findings: readonly Finding[];
  readonly ignored: readonly IgnoredFinding[];
}
