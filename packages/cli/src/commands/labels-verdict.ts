import { LABEL } from '@rungar/labels';
import type { Instance } from './labels-instances.js';

/** Whether a machine is one that Rungar acts on. */
export type Verdict =
  | { readonly ours: true }
  | {
      readonly ours: false;
      readonly reason: 'not_managed' | 'other_installation' | 'other_scale_set' | 'name_disagrees';
      /** The reason for a person. */
      readonly because: string;
    };

/** Judges a machine by its labels, as the daemon does. What is not wanted in particular is not compared. */
export function judge(instance: Instance, wanted: { installation?: string; scaleSet?: string }): Verdict {
  const { name, labels } = instance;
  const managed = labels[LABEL.managed];
  const installation = labels[LABEL.installation];
  const scaleSet = labels[LABEL.scaleSet];
  const runner = labels[LABEL.runner];
  if (managed !== 'true') {
    const because = managed === undefined ? `it has no label ${LABEL.managed}` : `${LABEL.managed} is not true`;
    return { ours: false, reason: 'not_managed', because };
  }
  if (installation === undefined || installation !== (wanted.installation ?? installation)) {
    return {
      ours: false,
      reason: 'other_installation',
      because: differs('installation', installation, wanted.installation),
    };
  }
  if (scaleSet === undefined || scaleSet !== (wanted.scaleSet ?? scaleSet)) {
    return { ours: false, reason: 'other_scale_set', because: differs('scale set', scaleSet, wanted.scaleSet) };
  }
  if (runner === undefined || runner !== name) {
    const because = `its name is not ${runner === undefined ? 'kept in' : `"${runner}" of`} ${LABEL.runner}`;
    return { ours: false, reason: 'name_disagrees', because };
  }
  return { ours: true };
}

function differs(what: string, is: string | undefined, wanted: string | undefined): string {
  if (is === undefined) return `it names no ${what}`;
  return `it belongs to ${what} "${is}", not "${wanted}"`;
}
