import type { GceCatalogue, GceInstanceTemplate } from './catalogue.js';
import { notFound } from './errors.js';
import { lastSegment } from './links.js';

/**
 * The instance template at a path.
 * @param path from `projects/` on
 * @throws GceRefusal when there is none
 */
export function findTemplate(catalogue: GceCatalogue, project: string, path: string): GceInstanceTemplate {
  const [, , ofProject, region] =
    /^(projects\/([^/]+)\/(?:global|regions\/([^/]+))\/instanceTemplates\/[^/]+)$/.exec(path) ?? [];
  const found = catalogue.instanceTemplates.find(
    (template) => template.name === lastSegment(path) && template.region === region,
  );
  if (ofProject !== project || found === undefined) throw notFound(path);
  return found;
}
