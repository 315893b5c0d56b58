import { wrapLine } from '../../wrap.js';
import type { ObjectRef } from '../api.js';
import type { ApplyResult } from '../apply.js';
import type { AppliedObject } from '../apply-object.js';
import type { RemoveResult } from '../remove.js';

/** `Job release/dispat-workers`. */
function objectText({ kind, namespace, name }: ObjectRef): string {
  return namespace === undefined ? `${kind} ${name}` : `${kind} ${namespace}/${name}`;
}

/** What became of each object, a line each. */
export function applyText({ objects, dryRun }: ApplyResult): string {
  const suffix = dryRun === undefined ? '' : ` (dry run of the ${dryRun})`;
  return objects.map((one) => `${wrapLine(appliedLine(one, suffix))}\n`).join('');
}

function appliedLine({ object, action, note }: AppliedObject, suffix: string): string {
  return `${action.padEnd(10)}  ${objectText(object)}${suffix}${note === undefined ? '' : `: ${note}`}`;
}

/** What was deleted, and what stays. */
export function removeText({ removed, kept, dryRun }: RemoveResult): string {
  const verb = dryRun ? 'would delete' : 'deleted';
  const lines = removed.map((object) => `${verb}  ${objectText(object)}`);
  if (removed.length === 0) lines.push('nothing to delete');
  lines.push(...kept.map(({ object, why }) => `kept  ${object}: ${why}`));
  return lines.map((line) => `${wrapLine(line)}\n`).join('');
}
