import { RungarError } from '@rungar/model';
import { askOnce } from '../shared/ask-once.js';
import { waitFor } from '../shared/within-limit.js';
import type { ComputeEngine } from './client.js';
import { GceError, toRungarError } from './errors.js';
import { parseTemplate } from './names.js';
import type { RawTemplate } from './wire.js';

/** An instance template, as it was when it was first asked for: a template never changes. */
export interface ReadTemplate {
  /** From `projects/` on. */
  readonly path: string;
  readonly content: RawTemplate;
}

/**
 * Reads a template as a runner block names it.
 * @throws RungarError `invalid_argument` when there is none, else of the class of Google's refusal
 */
export type Templates = (written: string, signal: AbortSignal) => Promise<ReadTemplate>;

/** @param run ends with the provider */
export function readTemplates(
  gce: Pick<ComputeEngine, 'getTemplate'>,
  project: string,
  run: <T>(work: (signal: AbortSignal) => Promise<T>) => Promise<T>,
): Templates {
  const read = askOnce(async (written): Promise<ReadTemplate> => {
    const template = parseTemplate(written, project);
    if (template === undefined) throw new RungarError('invalid_argument', `${written} is not an instance template`);
    try {
      return { path: template.path, content: await run((signal) => gce.getTemplate(template, signal)) };
    } catch (error) {
      if (error instanceof GceError) throw toRungarError(error, `instance template ${template.path}`);
      throw error;
    }
  });
  return (written, signal) => waitFor(read(written), signal);
}
