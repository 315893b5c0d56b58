import type { CheckReport } from './model.js';

/** The report for a program: `schemas/check.schema.json`. */
export function checkJson(report: CheckReport): string {
  return `${JSON.stringify(report, null, 2)}\n`;
}
