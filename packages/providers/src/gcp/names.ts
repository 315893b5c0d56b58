/** What Compute Engine takes for the name of an instance, a template and most else. */
const RESOURCE_NAME = /^[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
const TEMPLATE_PATH =
  /^(?:https:\/\/(?:www\.googleapis\.com\/compute|compute\.googleapis\.com\/compute)\/v1\/)?(projects\/[^/]+\/(?:global|regions\/([^/]+))\/instanceTemplates\/([^/]+))$/;

/** Whether Compute Engine could have an instance of that name. */
export function isResourceName(text: string): boolean {
  return RESOURCE_NAME.test(text);
}

/** An instance template, taken apart. */
export interface TemplatePath {
  /** `projects/P/global/instanceTemplates/N` or `projects/P/regions/R/instanceTemplates/N`. */
  readonly path: string;
  readonly project: string;
  /** Absent for a global one. */
  readonly region?: string;
  readonly name: string;
}

/**
 * Reads an instance template as it is written: a name, which is a global one of `project`, or a path, optionally after
 * the address of the API. Nothing when it is neither.
 */
export function parseTemplate(written: string, project: string): TemplatePath | undefined {
  if (!written.includes('/')) {
    if (!isResourceName(written)) return undefined;
    return { path: `projects/${project}/global/instanceTemplates/${written}`, project, name: written };
  }
  const [, path = '', region, name = ''] = TEMPLATE_PATH.exec(written) ?? [];
  if (!isResourceName(name)) return undefined;
  return { path, project: path.split('/')[1] ?? '', name, ...(region !== undefined && { region }) };
}

/** A value with a `/` as it is, a name behind `prefix`. */
export function pathOf(written: string, prefix: string): string {
  return written.includes('/') ? written : prefix + written;
}

/** The last segment of a path or URL. */
export function lastSegment(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
